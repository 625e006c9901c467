import type { ComponentChildren } from "preact";
import type { Clash, Finding, Message, Page } from "./model";
import { anchor, Command, Copy, Fold, PlaceLink, Sequence, Table } from "./parts";
import { base, count, plural, seconds } from "./text";

const newness: Record<string, string> = { introduced: "introduced", "pre-existing": "pre-existing", unknown: "not compared", "no-base": "audit" };

export function FindingOf({ finding: f, rules }: { finding: Finding; rules: Page["rules"] }) {
  const rule = rules.find((r) => r.id === f.oracle);
  const test = f.foundryTest;
  return (
    <article class={`finding v-${f.severity}`} id={f.id} tabIndex={-1}>
      <h3>
        <a class="self" href={anchor(f.id)}>{f.id}</a>
        <span class={`chip v-${f.severity}`}>{f.severity}</span>
        <span class="chip">{newness[f.comparison] ?? f.comparison}</span>
        {f.gates && <span class="chip v-gate">fails the gate</span>}
        <span class="title">{rule?.title ?? f.oracle} <span class="muted">in</span> <code>{f.where}</code></span>
      </h3>
      <p class="said">{f.said}</p>
      <dl class="where">
        <dt>Breaks at</dt><dd><PlaceLink {...f.location} /> <code class="quote">{f.location.text}</code></dd>
        {f.changed && (f.changed.file !== f.location.file || f.changed.line !== f.location.line) &&
          <><dt>Changed line before it</dt><dd><PlaceLink {...f.changed} /> <code class="quote">{f.changed.text}</code></dd></>}
      </dl>
      {f.sequence.length > 0 && <Sequence steps={f.sequence} />}
      {f.storage && f.storage.length > 0 && <Fold title={`Storage before and after (${count(f.storage.length + (f.storageOmitted ?? 0))})`}><Stored changes={f.storage} left={f.storageOmitted ?? 0} /></Fold>}
      {f.answer && <Sides what={<>Afterwards, <code>{f.answer.of}</code> is</>} before={f.answer.base} now={f.answer.head} />}
      <p class="muted">{f.assessment}{f.calls > 0 && ` Found after ${plural(f.calls, "call")}${f.seconds ? `, ${seconds(f.seconds)}` : ""}.`}</p>
      {f.replay && <Command line={f.replay} />}
      {f.trace.length > 0 && <Fold title={`Messages (${f.trace.length})`}><Trace messages={f.trace} /></Fold>}
      {test?.text && <Fold title="Foundry test">
        <p class="command"><span class="muted">{test.fails ? "It fails as long as the finding happens." : "It shows the calls; what is wrong, a comment in it says."}</span><Copy text={test.text} what={`the Foundry test of ${f.id}`} /></p>
        <pre tabIndex={0}>{test.text}</pre>
      </Fold>}
      {test?.reason && <p class="muted">No Foundry test: {test.reason}</p>}
      {rule && <Fold title={`About ${f.oracle}`}>
        <p>{rule.doc}</p>
        {rule.remedy && <p><strong>Remedy.</strong> {rule.remedy}</p>}
        {(f.swc || f.cwe) && <p class="muted">{[f.swc && `SWC-${f.swc}`, f.cwe && `CWE-${f.cwe}`].filter(Boolean).join(", ")}</p>}
      </Fold>}
    </article>
  );
}

// Trace shows the calls of a sequence and those that contracts made in them.
function Trace({ messages }: { messages: Message[] }) {
  return (
    <ol class="trace">
      {messages.map((m, i) => (
        <li key={i} class={m.fails ? "fails" : ""} style={{ paddingLeft: `${Math.min(m.depth, 24) * 1.4}em` }}>
          <span class="number">{m.depth === 0 ? m.step : "└"}</span> {m.from} <span class="muted" aria-label="calls">→</span> {m.to} <code>{m.call}</code>
          {m.fails && <span class="note">fails: {m.fails}</span>}
        </li>
      ))}
    </ol>
  );
}

// Stored shows the state variables that a sequence changes.
function Stored({ changes, left }: { changes: NonNullable<Finding["storage"]>; left: number }) {
  return (
    <>
      <Table label="Storage before and after" head={["Account", "Variable", "Before", "After", "Call"]}>
        {changes.map((c, i) => (
          <tr key={i}><td>{c.account}</td><td title={`slot ${c.slot}`}><code>{c.variable}</code></td><td><code>{c.before}</code></td><td><code>{c.after}</code></td><td>{count(c.step)}{c.undone && <span class="note">written, then undone</span>}</td></tr>
        ))}
      </Table>
      {left > 0 && <p class="muted">{plural(left, "more variable")} left out.</p>}
    </>
  );
}

// Sides shows two outcomes side by side.
export function Sides({ what, before, now, names = ["On the base", "Now"] }: { what?: ComponentChildren; before: string; now: string; names?: [string, string] }) {
  return (
    <>
      {what && <p class="what">{what}</p>}
      <div class="sides">
        <div><span class="side">{names[0]}</span> <code>{before}</code></div>
        <div><span class="side">{names[1]}</span> <code>{now}</code></div>
      </div>
    </>
  );
}

export function ClashOf({ clash: c }: { clash: Clash }) {
  return (
    <article class={`finding v-${c.severity}`} id={c.id} tabIndex={-1}>
      <h3>
        <a class="self" href={anchor(c.id)}>{c.id}</a>
        <span class={`chip v-${c.severity}`}>{c.severity}</span>
        {c.gates && <span class="chip v-gate">fails the gate</span>}
        <span class="title">Storage layout <span class="muted">of</span> <code>{c.contracts.map(base).join(", ")}</code></span>
      </h3>
      <p class="said">{c.message}</p>
      <p>{c.file && <>Caused at <PlaceLink file={c.file} line={c.line} />; </>}<span class="muted">{c.basis}.</span></p>
      {c.places.length > 0 && <Table label="Storage" head={["Slot", "Base", "Head", "Change"]}>
        {c.places.map((p, i) => <tr key={i}><td>{p.space && <><code>{p.space}</code> + </>}<code>{p.slot}</code>{p.offset > 0 && `, byte ${count(p.offset)}`}</td><td><code>{p.before}</code></td><td><code>{p.after || "nothing"}</code></td><td>{p.change}</td></tr>)}
      </Table>}
      {c.shown?.map((s, i) => <Sides key={i} what={<code>{s.call}</code>} before={s.before} now={s.after} names={["Before the upgrade", "After it"]} />)}
      {c.replay && <Command line={c.replay} />}
    </article>
  );
}
