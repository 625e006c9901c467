import { Fragment, render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Campaign } from "./campaign";
import { EffectOf } from "./effect";
import { ClashOf, FindingOf } from "./findings";
import { FileLines, Filters, lacking, state } from "./lines";
import type { Page } from "./model";
import { Mark, PlaceLink, Places, Section, Some, Table } from "./parts";
import "./style.css";
import { count, haystack, matcher, placeOf, plural } from "./text";
import { WorldOf } from "./world";

const verdicts: Record<Page["tone"], [string, string]> = {
  pass: ["✓", "Passed"],
  doubt: ["!", "Passed, with reservations"],
  fail: ["✕", "Failed"],
  error: ["■", "Error"],
  skip: ["»", "Nothing to fuzz"],
};

function Verdict({ page }: { page: Page }) {
  let [sign, word] = verdicts[page.tone] ?? verdicts.error;
  if (page.tone === "doubt" && page.verdict !== "pass") {
    word = page.verdict === "skipped" ? "Nothing was fuzzed" : "Could not tell";
  }
  const rows = page.counts.reduce((n, c) => n + (c.status === "no-bytecode" ? 0 : c.rows), 0);
  const code = page.counts.filter((c) => c.status !== "no-bytecode");
  return (
    <header class={`verdict t-${page.tone}`}>
      <p class="word"><span class="sign" aria-hidden="true">{sign}</span>{word}</p>
      <h1 tabIndex={-1}>{page.heading}</h1>
      {page.remark && <p class="remark">{page.remark}</p>}
      {rows > 0 && <>
        <div class="meter" aria-hidden="true">{code.map((c) => <span key={c.status} class={`s-${c.status}`} style={{ flexGrow: c.rows }} />)}</div>
        <ul class="legend">
          {page.counts.map((c) => <li key={c.status}><Mark status={c.status} word /> <span class="number">{count(c.rows)}</span></li>)}
        </ul>
        <p class="caution"><strong>"Unreached" does not mean safe.</strong> The verdict is about what was executed. {page.apart && `${page.apart}.`}</p>
      </>}
      <dl class="facts">{page.facts.map((f) => <div key={f.name}><dt>{f.name}</dt><dd>{f.value}</dd></div>)}</dl>
    </header>
  );
}

// Notices are what readers must know to judge the result.
function Notices({ page }: { page: Page }) {
  const t = page.trouble;
  return (
    <>
      {page.faults.length > 0 && <aside class="notice v-critical" aria-label="Faults of Sightline itself">
        <h2>Faults of Sightline itself</h2>
        <p>Please report them: whatever makes Sightline fail could also make it miss something.</p>
        <ul>{page.faults.map((f, i) => <li key={i}>{f.message}{f.file && <>, kept in the report's folder: <code>{f.file}</code></>}{f.input && <pre>{f.input}</pre>}</li>)}</ul>
      </aside>}
      {t && <aside class="notice v-critical" aria-label="The error that ended the run">
        <h2>The error that ended the run</h2>
        {t.lines?.length ? <pre tabIndex={0}>{t.lines.join("\n")}</pre> : null}
        {t.places?.length ? <ul>{t.places.map((p, i) => <li key={i}><PlaceLink file={p.file} line={p.line ?? 0} /> {p.text}</li>)}</ul> : null}
        {t.fixes?.map((m, i) => <div key={i}><p>What would fix it, in {m.file || "the workflow"}:</p><pre tabIndex={0}>{m.yaml}</pre></div>)}
      </aside>}
      {page.unread.length > 0 && <aside class="notice v-medium" aria-label="Not looked at">
        <h2>Not looked at</h2>
        <ul>{page.unread.map((u, i) => <li key={i}>{u.files.map((f, n) => <Fragment key={f}>{n > 0 && ", "}<code>{f}</code></Fragment>)}: {u.reason}</li>)}</ul>
      </aside>}
      {page.warnings.length > 0 && <aside class="notice v-medium" aria-label="Warnings">
        <h2>Warnings</h2>
        <ul><Some of={page.warnings} first={8} noun="warnings" each={(w, i) => <li key={i}>{w}</li>} /></ul>
      </aside>}
    </>
  );
}

// Themes: the system's until one is chosen.
function useTheme(): [string, () => void] {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const [chosen, choose] = useState<string | null>(() => stored());
  const [system, follow] = useState(dark.matches);
  useEffect(() => {
    const change = () => follow(dark.matches);
    dark.addEventListener("change", change);
    return () => dark.removeEventListener("change", change);
  }, []);
  const theme = chosen ?? (system ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  return [theme, () => {
    const next = theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("sightline-theme", next);
    } catch {
      // It lasts as long as the page, then.
    }
    choose(next);
  }];
}

function stored(): string | null {
  try {
    const theme = localStorage.getItem("sightline-theme");
    return theme === "dark" || theme === "light" ? theme : null;
  } catch {
    return null;
  }
}

function App({ page }: { page: Page }) {
  const [query, search] = useState("");
  const [hidden, hide] = useState<Set<string>>(new Set());
  const [open, unfold] = useState<Set<string>>(new Set());
  const [target, aim] = useState("");
  const [theme, toggleTheme] = useTheme();
  const box = useRef<HTMLInputElement>(null);

  const places = useMemo(() => ({
    rows: new Set(page.files.flatMap((f) => f.rows.map((r) => r.place))),
    links: new Map(page.files.flatMap((f) => (f.link ? [[f.name, f.link] as const] : []))),
    findings: findingsAt(page),
    target,
  }), [target]);
  const texts = useMemo(() => {
    const all = new Map<object, string>();
    for (const f of page.files) {
      f.rows.forEach((r) => all.set(r, haystack([f.name, r])));
    }
    [...page.findings, ...page.clashes, ...(page.effect?.behaviors ?? [])].forEach((x) => all.set(x, haystack(x)));
    return all;
  }, []);

  // The address may name a finding or a line.
  useEffect(() => {
    const go = () => {
      const id = named();
      if (id === "") {
        return;
      }
      aim(id);
      if (places.rows.has(id)) {
        search("");
        hide(new Set());
        unfold((before) => new Set([...before, id]));
      } else if ([...page.findings, ...page.clashes].some((f) => f.id === id)) {
        search("");
      }
      requestAnimationFrame(() => requestAnimationFrame(() => show(id)));
    };
    go();
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, []);

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement;
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        box.current?.focus();
      } else if (event.key === "Escape" && event.target === box.current) {
        search("");
      }
    };
    const folds: HTMLDetailsElement[] = [];
    const print = () => document.querySelectorAll<HTMLDetailsElement>(".finding details, .behavior details").forEach((d) => { if (!d.open) { d.open = true; folds.push(d); } });
    const printed = () => folds.splice(0).forEach((d) => { d.open = false; });
    document.addEventListener("keydown", key);
    window.addEventListener("beforeprint", print);
    window.addEventListener("afterprint", printed);
    return () => {
      document.removeEventListener("keydown", key);
      window.removeEventListener("beforeprint", print);
      window.removeEventListener("afterprint", printed);
    };
  }, []);

  const matches = useMemo(() => matcher(query), [query]);
  const has = (x: object) => query === "" || matches(texts.get(x) ?? "");
  const findings = page.findings.filter(has);
  const clashes = page.clashes.filter(has);
  const behaviors = (page.effect?.behaviors ?? []).filter(has);
  const files = page.files.map((file) => ({ file, rows: file.rows.filter((r) => !hidden.has(state(r)) && has(r)) })).filter((f) => f.rows.length > 0);
  const shown = files.reduce((n, f) => n + f.rows.length, 0);
  const rows = page.files.reduce((n, f) => n + f.rows.length, 0);
  const bugs = page.findings.length + page.clashes.length;
  const counts = useMemo(() => statesOf(page), []);
  const flip = (set: Set<string>, value: string) => {
    const next = new Set(set);
    next.has(value) ? next.delete(value) : next.add(value);
    return next;
  };
  const links: [string, string, string][] = [];
  if (bugs > 0) links.push(["findings", "Findings", count(bugs)]);
  if (rows > 0) links.push(["lines", "Lines", count(rows)]);
  if (page.effect) links.push(["effect", "What it does", count(page.effect.behaviors.length)]);
  if (page.stats.executions > 0) links.push(["campaign", "Campaign", ""]);
  if (page.world.instances.length + page.world.undeployed.length + page.builds.length > 0) links.push(["world", "World", ""]);

  return (
    <Places.Provider value={places}>
      <nav class="bar" aria-label="This report">
        <span class="brand">Sightline</span>
        <span class="links">{links.map(([id, title, n]) => <a key={id} href={`#${id}`}>{title}{n && <span class="number"> {n}</span>}</a>)}</span>
        <label class="search"><span class="unseen">Search lines and findings</span>
          <input ref={box} type="search" placeholder="Search lines and findings  /" value={query} onInput={(e) => search(e.currentTarget.value)} />
        </label>
        <button type="button" class="theme" onClick={toggleTheme}><span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span> {theme === "dark" ? "Light" : "Dark"}<span class="unseen"> theme</span></button>
      </nav>
      <main>
        <p class="found" role="status">{query !== "" && `${plural(shown, "line")} of ${count(rows)}, ${plural(findings.length + clashes.length, "finding")} of ${count(bugs)} match`}</p>
        {query === "" && <><Verdict page={page} /><Notices page={page} /></>}
        {findings.length + clashes.length > 0 && <Section id="findings" title="Findings" number={count(findings.length + clashes.length)}>
          <Some of={findings} first={40} noun="findings" is={(f, target) => f.id === target} each={(f) => <FindingOf key={f.id} finding={f} rules={page.rules} />} />
          <Some of={clashes} first={40} noun="clashes" is={(c, target) => c.id === target} each={(c) => <ClashOf key={c.id} clash={c} />} />
        </Section>}
        {page.fixed.length > 0 && query === "" && <Section id="fixed" title="Fixed"><ul>{page.fixed.map((f, i) => <li key={i}>{f}</li>)}</ul></Section>}
        {rows > 0 && (query === "" || shown > 0) && <Section id="lines" title={page.noun === "target" ? "Targets" : "Lines"} number={count(shown)}>
          <Filters counts={counts} hidden={hidden} toggle={(s) => hide((before) => flip(before, s))} only={() => {
            const rest = counts.map((c) => c.status).filter((s) => !lacking.has(s));
            hide(rest.every((s) => hidden.has(s)) ? new Set() : new Set(rest));
          }} />
          <Some of={files} first={60} noun="files" is={({ rows }, target) => rows.some((r) => r.place === target)} each={({ file, rows }) => (
            <FileLines key={file.name} file={file} rows={rows} shows={query || [...hidden].join()} open={open} toggle={(place) => unfold((before) => flip(before, place))} />
          )} />
        </Section>}
        {page.effect && (query === "" || behaviors.length > 0) && <Section id="effect" title="What this change does" number={count(behaviors.length)}>
          <EffectOf effect={page.effect} behaviors={behaviors} />
        </Section>}
        {query === "" && page.upgrades.length > 0 && <Section id="upgrades" title="Storage layouts">
          <Table label="Storage layouts" head={["Contract", "Upgraded, because", "Result", "Notes"]}>
            {page.upgrades.map((u, i) => <tr key={i}><td><code>{u.contract}</code></td><td>{u.because}</td><td>{u.result}{u.reason && `: ${u.reason}`}</td><td>{u.notes?.join("; ")}</td></tr>)}
          </Table>
        </Section>}
        {query === "" && page.stats.executions > 0 && <Section id="campaign" title="Campaign">
          <Campaign stats={page.stats} targets={page.files.reduce((n, f) => n + f.rows.reduce((m, r) => m + r.targets.length, 0), 0)} theme={theme} />
        </Section>}
        {query === "" && links.some(([id]) => id === "world") && <Section id="world" title="World"><WorldOf page={page} /></Section>}
      </main>
      <footer><p>{page.tool.name} {page.tool.version} · rendered from report.json, next to this file, which has everything · this page loads and sends nothing</p></footer>
    </Places.Provider>
  );
}

// findingsAt are the findings by the places that they are about.
function findingsAt(page: Page) {
  const at = new Map<string, { id: string; severity: string }[]>();
  const add = ({ id, severity }: { id: string; severity: string }, file: string, line: number) => {
    const place = placeOf(file, line), found = at.get(place) ?? [];
    if (!found.some((f) => f.id === id)) {
      at.set(place, [...found, { id, severity }]);
    }
  };
  page.findings.forEach((f) => [f.location, f.changed].forEach((p) => p && add(f, p.file, p.line)));
  page.clashes.forEach((c) => add(c, c.file, c.line));
  return at;
}

// statesOf counts rows by status, with those reached in part apart.
function statesOf(page: Page) {
  const counts = new Map<string, number>();
  page.files.forEach((f) => f.rows.forEach((r) => counts.set(state(r), (counts.get(state(r)) ?? 0) + 1)));
  const order = ["reached", "partly", "only-reverts", "unreached", "unreachable", "undeployed", "unmapped", "not-fuzzed", "no-bytecode"];
  return order.filter((s) => counts.has(s)).map((status) => ({ status, word: status, rows: counts.get(status)! }));
}

// named is the id in the address.
function named(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

// show scrolls to an element, and makes the keyboard go on from there.
function show(id: string): void {
  const element = document.getElementById(id);
  if (!element) {
    return;
  }
  element.scrollIntoView({ block: "start" });
  (element.querySelector<HTMLElement>("button.line") ?? (element.tagName === "SECTION" ? element.querySelector<HTMLElement>("h2") : element))?.focus({ preventScroll: true });
}

const root = document.getElementById("page")!;
const page = JSON.parse(document.getElementById("data")!.textContent!) as Page;
root.replaceChildren();
render(<App page={page} />, root);
document.documentElement.dataset.ready = "true";
