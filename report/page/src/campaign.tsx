import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Sample, Stats } from "./model";
import { Fold, Table } from "./parts";
import { base, count, seconds, short } from "./text";

interface Line {
  label: string;
  color: string; // a custom property
  values: (number | null)[];
  dash?: number[];
}

export function Campaign({ stats: s, targets, theme }: { stats: Stats; targets: number; theme: string }) {
  const timeline = s.timeline ?? [];
  const timed = timeline.some((t) => t.seconds);
  const [byTime, choose] = useState(false);
  const x = timeline.map((t) => (byTime ? t.seconds ?? 0 : t.executions));
  const of = (key: keyof Sample) => timeline.map((t) => t[key] ?? 0);
  const charts: { title: string; lines: Line[]; total?: number }[] = [
    { title: "Targets reached", lines: [{ label: "targets", color: "--green", values: of("reached") }, { label: "findings", color: "--red", values: of("findings"), dash: [5, 4] }] },
    { title: "Paths", lines: [{ label: "paths", color: "--blue", values: of("paths") }] },
    { title: "Basic blocks entered", lines: [{ label: "blocks", color: "--violet", values: of("blocks") }] },
  ];
  if (timed) {
    charts.push({ title: "Executions per second", lines: [{ label: "per second", color: "--amber", values: speed(timeline) }], total: s.seconds ? s.executions / s.seconds : undefined });
  }
  return (
    <>
      <dl class="numbers">
        <div><dt>Executions</dt><dd>{count(s.executions)}</dd></div>
        <div><dt>Calls</dt><dd>{count(s.calls)}</dd></div>
        {s.seconds ? <div><dt>Time</dt><dd>{seconds(s.seconds)}</dd></div> : null}
        {s.callsPerSecond ? <div><dt>Calls per second</dt><dd>{count(Math.round(s.callsPerSecond))}</dd></div> : null}
        <div><dt>Paths</dt><dd>{count(s.paths)}</dd></div>
        <div><dt>Inputs kept</dt><dd>{count(s.seeds)}</dd></div>
        <div><dt>Basic blocks</dt><dd>{count(s.blocks)}</dd></div>
        <div><dt>Stopped</dt><dd>{s.stopped || "–"}</dd></div>
      </dl>
      {timeline.length > 1 && <>
        {timed && <div class="filters" role="group" aria-label="Horizontal axis">
          <button type="button" class="choice" aria-pressed={!byTime} onClick={() => choose(false)}>by executions</button>
          <button type="button" class="choice" aria-pressed={byTime} onClick={() => choose(true)}>by seconds</button>
        </div>}
        <div class={`charts of-${charts.length}`}>
          {charts.map((c) => <Chart key={c.title} title={c.title} x={x} lines={c.lines} total={c.total} unit={byTime ? "s" : ""} theme={theme} />)}
        </div>
        <Fold title="The same as a table">
          <Table label="Samples of the campaign" head={["Executions", "Calls", ...(timed ? ["Seconds"] : []), `Reached${targets ? ` (of ${targets})` : ""}`, "Findings", "Paths", "Blocks"]}>
            {timeline.map((t) => <tr key={t.executions}><td>{count(t.executions)}</td><td>{count(t.calls)}</td>{timed && <td>{(t.seconds ?? 0).toFixed(1)}</td>}<td>{count(t.reached)}</td><td>{count(t.findings)}</td><td>{count(t.paths)}</td><td>{count(t.blocks)}</td></tr>)}
          </Table>
        </Fold>
      </>}
      {s.burners?.length ? <Fold title="Functions that took most of the work">
        <Table label="Functions that took most of the work" head={["Function", "Heavy calls", "Share of the work"]}>
          {s.burners.map((b, i) => <tr key={i}><td><code>{base(b.contract)}.{b.function}</code></td><td>{count(b.calls)}</td><td>{(b.share * 100).toFixed(0)} %</td></tr>)}
        </Table>
      </Fold> : null}
    </>
  );
}

// speed is the executions per second up to each sample, in a fortieth of the campaign; null where the clock
// did not move that much.
function speed(timeline: Sample[]): (number | null)[] {
  const least = (timeline.at(-1)?.seconds ?? 0) / 40;
  let from = 0;
  return timeline.map((t) => {
    while ((t.seconds ?? 0) - (timeline[from + 1]?.seconds ?? Infinity) >= least) {
      from++;
    }
    const took = (t.seconds ?? 0) - (timeline[from].seconds ?? 0);
    return took > 0 && took >= least ? (t.executions - timeline[from].executions) / took : null;
  });
}

// Chart draws lines over the campaign. Its last values are in its heading, all of them in the table.
function Chart({ title, x, lines, total, unit, theme }: { title: string; x: number[]; lines: Line[]; total?: number; unit: string; theme: string }) {
  const at = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = at.current!;
    const color = (name: string) => resolve(box, name);
    const axis = { stroke: color("--muted"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1, size: 4 }, font: "11px system-ui, sans-serif" };
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const plot = new uPlot({
      width: Math.max(box.clientWidth, 120), height: 150, legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [{ ...axis, values: (_, ticks) => ticks.map((t) => short(t) + (unit && ` ${unit}`)), space: 70, size: 28 }, { ...axis, values: (_, ticks) => ticks.map((t) => (Number.isInteger(t) || t >= 1 ? short(t) : "")), size: 46, space: 34 }],
      series: [{}, ...lines.map((l) => ({ label: l.label, stroke: color(l.color), width: 2, dash: l.dash, spanGaps: true, points: { show: false }, ...(title.startsWith("Exec") ? {} : { paths: stepped }) }))],
    }, [x, ...lines.map((l) => l.values)], box);
    const fit = new ResizeObserver(() => plot.setSize({ width: Math.max(box.clientWidth, 120), height: 150 }));
    fit.observe(box);
    return () => {
      fit.disconnect();
      plot.destroy();
    };
  }, [x.join(), theme]);
  const last = (l: Line) => short(l.values.at(-1) ?? 0);
  const said = total === undefined ? last(lines[0]) : `${short(total)} on average`;
  return (
    <figure>
      <figcaption>{title} <span class="number">{said}{lines.slice(1).map((l) => ` · ${l.label} ${last(l)}, dashed`)}</span></figcaption>
      <div ref={at} role="img" aria-label={`${title}: ${said}${total === undefined ? " at the end of the campaign" : ""}`} />
    </figure>
  );
}

// resolve is the color that a custom property has in the present theme.
function resolve(near: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  near.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
