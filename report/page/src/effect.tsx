import type { Behavior, Effect } from "./model";
import { Fold, Sequence, Some, Table } from "./parts";
import { Sides } from "./findings";
import { base, plural } from "./text";

export function EffectOf({ effect: e, behaviors }: { effect: Effect; behaviors: Behavior[] }) {
  const changed = e.permissions.filter((p) => p.changed);
  return (
    <>
      {e.notCompared && <p>Not compared with the base: {e.notCompared}</p>}
      {!e.notCompared && <p class="muted">The same calls ran on base and head, in {plural(e.executions, "sequence")}. What differs is not a failure.</p>}
      <Some of={behaviors} first={12} noun="differences" each={(b, i) => <BehaviorOf key={i} behavior={b} />} />
      {e.permissions.length > 0 && <>
        <h3 class="plain">Who can write what {changed.length > 0 && <span class="chip v-medium">{plural(changed.length, "change")}</span>}</h3>
        <p class="muted">As calls show it: who was not seen to write a variable may be able to nevertheless.</p>
        <Table label="Who can write what" head={["Variable", "On the base", "Now", ""]}>
          <Some of={e.permissions} first={20} noun="variables" each={(p, i) => (
            <tr key={i} class={p.changed ? "changed" : ""}>
              <td><code>{base(p.contract)}.{p.variable}</code></td><td>{p.before ?? "not there"}</td><td>{p.now ?? "gone"}</td><td>{p.changed ? "changed" : ""}</td>
            </tr>
          )} />
        </Table>
      </>}
      {e.dropped?.length ? <Fold title="Seen, and not reported">
        <Table label="Seen, and not reported" head={["Oracle", "Why not", "Times"]}>
          {e.dropped.map((d, i) => <tr key={i}><td>{d.oracle}</td><td>{d.reason}</td><td>{d.count}</td></tr>)}
        </Table>
      </Fold> : null}
    </>
  );
}

const kinds: Record<string, string> = { succeeds: "succeeds now", reverts: "reverts now", stores: "stores something else", sends: "sends something else", returns: "returns something else", emits: "emits something else", costs: "costs more gas" };

function BehaviorOf({ behavior: b }: { behavior: Behavior }) {
  return (
    <article class="behavior">
      <h3>
        <code>{base(b.contract)}.{b.function}</code> <span class="muted">{kinds[b.kind] ?? b.kind}</span>
        {b.anyone && <span class="chip">anyone can call it so</span>}
      </h3>
      <Sides before={b.before} now={b.now} />
      {b.through?.length ? <p class="muted">Through {b.through.map((t, i) => <>{i > 0 && ", "}<code>{t}</code></>)}</p> : null}
      {b.tests?.length ? <p class="muted">Tests of the change say the same: {b.tests.map((t, i) => <>{i > 0 && ", "}<code>{t}</code></>)}</p> : null}
      {b.sequence.length > 0 && <Fold title={plural(b.sequence.length, "call")} open={b.sequence.length <= 3}><Sequence steps={b.sequence} /></Fold>}
    </article>
  );
}
