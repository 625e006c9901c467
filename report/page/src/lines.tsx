import { useContext, useEffect, useState } from "preact/hooks";
import type { Barrier, Count, File, Row, Target } from "./model";
import { anchor, Away, Command, Mark, PlaceLink, Places, Sequence, Some } from "./parts";
import { base, count, plural, seconds, statusOf } from "./text";

// state is a row's status, where "partly" is one.
export const state = (row: Row): string => (row.status === "reached" && row.partly?.length ? "partly" : row.status);

// Filters choose the statuses that are shown.
export function Filters({ counts, hidden, toggle, only }: { counts: Count[]; hidden: Set<string>; toggle: (status: string) => void; only: () => void }) {
  return (
    <div class="filters" role="group" aria-label="Statuses to show">
      {counts.map((c) => (
        <button type="button" key={c.status} class="filter" aria-pressed={!hidden.has(c.status)} onClick={() => toggle(c.status)}>
          <Mark status={c.status} word /> <span class="number">{count(c.rows)}</span>
        </button>
      ))}
      {counts.some((c) => lacking.has(c.status)) && counts.some((c) => !lacking.has(c.status)) &&
        <button type="button" class="choice" aria-pressed={counts.every((c) => hidden.has(c.status) !== lacking.has(c.status))} onClick={only}>only what was not reached</button>}
    </div>
  );
}

// FileLines shows the rows of a file among the lines around them.
export function FileLines({ file, rows, shows, open, toggle }: { file: File; rows: Row[]; shows: string; open: Set<string>; toggle: (place: string) => void }) {
  const reached = rows.filter((r) => r.status === "reached").length;
  const code = rows.filter((r) => r.status !== "no-bytecode").length;
  const [unfolded, unfold] = useState(true);
  useEffect(() => {
    if (rows.some((r) => open.has(r.place))) {
      unfold(true);
    }
  }, [open]);
  const name = file.name === "" ? "Code without source" : file.name;
  const aside = rows.length > 0 && rows.every((r) => r.aside) ? rows[0].aside : "";
  return (
    <article class="file">
      <h3>
        <button type="button" class="fold" aria-expanded={unfolded} onClick={() => unfold(!unfolded)}>
          <span class="name">{name}</span>
          {aside && <span class="chip">{aside}, counted apart</span>}
          <span class="tally">{code > 0 ? `${reached} of ${code} reached` : "no bytecode"}</span>
        </button>
        {file.link && <Away href={file.link}><span class="away">source</span></Away>}
      </h3>
      {unfolded && <div class="lines" onKeyDown={arrows}>
        <Some of={weave(file, rows, shows === "")} first={400} noun="lines" is={(entry, target) => entry !== "gap" && "place" in entry && entry.place === target} each={(entry) => entry === "gap"
          ? <div class="gap" aria-hidden="true">⋯</div>
          : "place" in entry
            ? <LineRow key={entry.place} row={entry} open={open.has(entry.place)} toggle={() => toggle(entry.place)} />
            : <div key={entry.line} class="line around"><span class="at">{entry.line}</span><span /><code>{entry.text}</code></div>} />
      </div>}
    </article>
  );
}

// weave puts the rows of a file and the lines around them in order.
function weave(file: File, rows: Row[], around: boolean): (Row | { line: number; text: string } | "gap")[] {
  const all: (Row | { line: number; text: string })[] = [...rows, ...(around ? file.lines : [])];
  all.sort((a, b) => a.line - b.line);
  const out: (Row | { line: number; text: string } | "gap")[] = [];
  let last = -1;
  for (const entry of all) {
    if (last >= 0 && entry.line > last + 1) {
      out.push("gap");
    }
    out.push(entry);
    last = entry.line;
  }
  return out;
}

// arrows moves between lines.
function arrows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const from = event.target as HTMLElement;
  if (step === undefined || !from.classList.contains("line")) {
    return;
  }
  const lines = [...document.querySelectorAll<HTMLElement>("button.line")];
  const to = lines[lines.indexOf(from) + step];
  if (to) {
    event.preventDefault();
    to.focus();
  }
}

function LineRow({ row, open, toggle }: { row: Row; open: boolean; toggle: () => void }) {
  const status = state(row);
  const found = useContext(Places).findings.get(row.place) ?? [];
  const first = row.targets.find((t) => t.status === row.status);
  let when = statusOf(status).word;
  if (row.status === "reached") {
    when = first?.setup ? "in the set-up" : first?.calls ? `after ${plural(first.calls, "call")}` : "reached";
    when += status === "partly" ? ", in part" : "";
  }
  return (
    <div class={`entry s-${status}${open ? " open" : ""}`} id={row.place}>
      <button type="button" class="line" aria-expanded={open} onClick={toggle}>
        <span class="at">{row.line > 0 ? row.line : ""}</span>
        <Mark status={status} />
        <code>{row.text === "" && row.line === 0 ? row.place : row.text}</code>
        <span class="when">{found.map((f) => <span class={`chip v-${f.severity}`} key={f.id}>{f.id}</span>)} {chipOf(row, status)} {row.kind === "deletion" ? "code deleted before it · " : row.kind === "indirect" ? "changed elsewhere · " : ""}{when}</span>
        {lacking.has(status) && row.reason && !open && <span class="why">{row.reason}</span>}
      </button>
      {open && <Details row={row} status={status} />}
    </div>
  );
}

// neither reports whether neither the campaign nor the project's tests reach a row.
export const neither = (row: Row): boolean => row.tests === "unreached" && lacking.has(row.status);

// chipOf marks what the project's own tests reach, and what nothing reaches.
function chipOf(row: Row, status: string) {
  if (neither(row)) {
    return <span class="chip nothing">nor do tests reach it</span>;
  }
  return row.tests === "reached" ? <span class="chip">{lacking.has(status) ? "tests reach it" : "tests, too"}</span> : null;
}

// lacking are the statuses for which the reason shows at once.
export const lacking = new Set(["only-reverts", "unreached", "unreachable", "undeployed", "unmapped", "not-fuzzed"]);

// said is what is known of the project's own tests, by what a tracefile has of the line.
const said = {
  reached: "Your tests reach it.",
  unreached: "Your tests do not reach it.",
  unknown: "Whether your tests reach it is not known: the tracefile does not count it.",
};

// Details says all that is known of a row.
function Details({ row, status }: { row: Row; status: string }) {
  const found = useContext(Places).findings.get(row.place) ?? [];
  return (
    <div class="details">
      <p>
        <Mark status={status} word /> <span class="muted">{statusOf(status).meaning}</span>{" "}
        <a class="self" href={anchor(row.place)}>{row.place}</a>
      </p>
      {found.length > 0 && <p>A finding is about this line: {found.map(({ id }, i) => <>{i > 0 && ", "}<a href={anchor(id)}>{id}</a></>)}</p>}
      {row.reason && <p>{row.reason}</p>}
      {row.tests && <p>{neither(row) ? "Neither the campaign nor your tests reach it." : said[row.tests]}</p>}
      {row.partly?.length ? <p>Not executed: {row.partly.map((p, i) => <>{i > 0 && ", "}<code>{p}</code></>)}</p> : null}
      {row.harness && <p>Only a generated harness calls it: failures there are not findings.</p>}
      {row.aside && <p>It is part of a {row.aside}, and counted apart.</p>}
      {row.barrier && <BarrierOf barrier={row.barrier} />}
      {row.targets.map((t, i) => <TargetOf key={i} target={t} several={row.targets.length > 1} row={row} />)}
    </div>
  );
}

function TargetOf({ target: t, several, row }: { target: Target; several: boolean; row: Row }) {
  const reached = t.sequence.length > 0 || t.setup;
  return (
    <div class="target">
      {(several || reached) && <h4><code>{base(t.contract)}</code>{several && t.status !== row.status && <> <Mark status={t.status} word /></>}</h4>}
      {t.reason && t.reason !== row.reason && <p>{t.reason}</p>}
      {t.setup && <p>Executed while the World was made, by <code>{t.setup}</code>.</p>}
      {t.calls ? <p class="muted">First after {plural(t.calls, "call")} in {plural(t.executions ?? 0, "execution")}{t.seconds ? `, ${seconds(t.seconds)}` : ""}.</p> : null}
      {t.sequence.length > 0 && <Sequence steps={t.sequence} />}
      {t.replay && <Command line={t.replay} />}
      {t.release && <p class="muted">On the project's own build: {t.release}</p>}
      {t.barrier && <BarrierOf barrier={t.barrier} />}
    </div>
  );
}

// BarrierOf says at which condition executions end that come near.
export function BarrierOf({ barrier: b }: { barrier: Barrier }) {
  const unlike = b.sender?.name ? `${b.sender.name}${b.sender.address ? ` (${b.sender.address})` : ""}` : b.sender?.address;
  return (
    <dl class="barrier">
      <dt>Barrier</dt>
      <dd>{b.text && <><code>{b.text}</code> </>}at <PlaceLink file={b.file} line={b.line} contract={b.contract} />{b.function && <> in <code>{b.function}</code></>}</dd>
      {b.needs && <><dt>Needs</dt><dd><code>{b.needs}</code>, in the execution that came closest</dd></>}
      {b.failure && <><dt>Calls fail with</dt><dd><code>{b.failure}</code></dd></>}
      {b.sender && <><dt>Wants as sender</dt><dd>{unlike ? <code>{unlike}</code> : "an account for which something is stored, as for no sender"}{b.sender.why && <> ({b.sender.why})</>}</dd></>}
      {b.missing && <><dt>Calls an account without code</dt><dd><code>{b.missing}</code></dd></>}
      {b.of > 0 && <><dt>Executions</dt><dd>{count(b.executions)} of the {count(b.of)} that came near ended here{b.passed ? "; others got past it" : "; none got past it"}</dd></>}
    </dl>
  );
}
