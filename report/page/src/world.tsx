import type { Page } from "./model";
import { Fold, Some, Table } from "./parts";
import { base, plural } from "./text";

export function WorldOf({ page }: { page: Page }) {
  const w = page.world;
  return (
    <>
      <p class="muted">The state that every sequence starts from{page.chain && <>, on top of {page.chain}</>}{w.fork && <>; fork {w.fork}{w.forkReason && ` (${w.forkReason})`}</>}.</p>
      <Graph page={page} />
      {w.instances.length > 0 && <Table label="Contracts" head={["Name", "Contract", "Address", "How it was made"]}>
        <Some of={w.instances} first={50} noun="contracts" each={(i) => (
          <tr key={i.name}><td><code>{i.name}</code></td><td><code title={i.contract}>{base(i.contract)}</code>{i.generated && <span class="chip">generated</span>}</td><td><code class="address">{i.address}</code></td><td>{i.arguments}</td></tr>
        )} />
      </Table>}
      {w.senders.length > 0 && <Table label="Senders" head={["Sender", "Address", "Why"]}>
        {w.senders.map((s) => <tr key={s.name + s.address}><td><code>{s.name}</code></td><td><code class="address">{s.address}</code></td><td>{s.why ?? "in every World"}</td></tr>)}
      </Table>}
      {w.setups.length > 0 && <Fold title={`Set-ups of tests (${w.setups.length})`}>
        <Table label="Set-ups of tests" head={["Test contract", "Ran", "Not used, since"]}>
          {w.setups.map((s, i) => <tr key={i}><td><code>{s.contract}</code></td><td>{s.failure ? "" : <code>{[s.function || "its constructor", ...(s.tests ?? [])].join(", ")}</code>}</td><td>{s.failure}</td></tr>)}
        </Table>
      </Fold>}
      {w.undeployed.length > 0 && <Fold title={`Not deployed (${w.undeployed.length})`} open={w.undeployed.some((u) => u.holds?.length)}>
        <Table label="Not deployed" head={["Contract", "Why", "Missing with it"]}>
          {w.undeployed.map((u, i) => <tr key={i}><td><code>{u.contract}</code></td><td>{u.reason}</td><td>{u.holds?.join(", ")}</td></tr>)}
        </Table>
      </Fold>}
      {w.calls.length > 0 && <Fold title={`Calls after deployments (${w.calls.length})`}><ol class="plain">{w.calls.map((c, i) => <li key={i}><code>{c}</code></li>)}</ol></Fold>}
      {page.builds.length > 0 && <Fold title={`Builds (${page.builds.length})`}>
        <Table label="Builds" head={["Build", "Compiler", "Contracts", ""]}>
          {page.builds.map((b, i) => <tr key={i}><td><code>{b.origin}</code></td><td>{b.compiler}</td><td>{b.contracts}</td><td>{b.made}</td></tr>)}
        </Table>
      </Fold>}
      {page.watched.length > 0 && <Fold title={`Oracles that watched (${page.watched.length})`}>
        <Table label="Oracles that watched" head={["Oracle", "What it sees"]}>{page.watched.map((o) => <tr key={o.id}><td><code>{o.id}</code></td><td>{o.title}</td></tr>)}</Table>
      </Fold>}
    </>
  );
}

// Sizes of the graph, in its own units, and the most nodes of one: with more, a table says more.
const width = 168, height = 34, between = 70, below = 14, most = 30;

interface Node {
  name: string;
  kind: string;
  sender: boolean;
  column: number;
  x: number;
  y: number;
}

// Graph shows which instances and senders are named in how an instance was made, and in why a sender is one.
// Without such relations there is none: the tables say the rest.
function Graph({ page }: { page: Page }) {
  const { instances, senders } = page.world;
  const nodes = new Map<string, Node>();
  const edges: [Node, Node][] = [];
  for (const i of instances) {
    nodes.set(i.name, { name: i.name, kind: base(i.contract), sender: false, column: 0, x: 0, y: 0 });
  }
  const known = new Map<string, Node>(); // senders, which are drawn if anything is connected with them
  for (const s of senders) {
    known.set(s.name, { name: s.name, kind: "sender", sender: true, column: 0, x: 0, y: 0 });
  }
  const link = (from: Node, text: string): void => {
    for (const word of new Set(text.split(/[^\w#$.]+/).flatMap((w) => [w, w.replace(/\.$/, "")]))) {
      const to = nodes.get(word) ?? known.get(word);
      if (to && to !== from) {
        edges.push([from, to]);
      }
    }
  };
  for (const i of instances) {
    link(nodes.get(i.name)!, i.arguments);
  }
  for (const s of senders) {
    link(known.get(s.name)!, s.why ?? "");
  }
  const drawn = edges.filter(([from, to], i) => edges.findIndex((e) => e[0] === from && e[1] === to) === i);
  for (const n of new Set(drawn.flat())) {
    if (!nodes.has(n.name)) {
      nodes.set(n.name, n);
    }
  }
  if (drawn.length === 0 || nodes.size > most || drawn.flat().some((n) => nodes.get(n.name) !== n)) {
    return null;
  }
  // A node is to the left of what it names; the bound keeps circles from going on.
  for (let round = 0, moved = true; moved && round < nodes.size; round++) {
    moved = false;
    for (const [from, to] of drawn) {
      if (to.column <= from.column && from.column + 1 < 6) {
        to.column = from.column + 1;
        moved = true;
      }
    }
  }
  const columns: Node[][] = [];
  for (const n of nodes.values()) {
    (columns[n.column] ??= []).push(n);
  }
  columns.forEach((column, c) => column?.forEach((n, i) => { n.x = c * (width + between); n.y = i * (height + below); }));
  const wide = columns.length * (width + between) - between, high = Math.max(...columns.map((c) => (c?.length ?? 0) * (height + below))) - below;
  const cut = (s: string, n: number) => (s.length > n ? s.slice(0, n - 1) + "…" : s);
  return (
    <div class="scroll graph" tabIndex={0} role="region" aria-label="How the contracts of the World are connected">
      <svg width={wide + 4} height={high + 4} viewBox={`-2 -2 ${wide + 4} ${high + 4}`} role="img"
        aria-label={`${plural(drawn.length, "connection")}: ${drawn.map(([a, b]) => `${a.name} to ${b.name}`).join(", ")}`}>
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" class="arrow" /></marker></defs>
        {drawn.map(([a, b], i) => {
          const x1 = a.x + width, y1 = a.y + height / 2, x2 = b.x, y2 = b.y + height / 2, bend = Math.max(30, (x2 - x1) / 2);
          return <path key={i} class="edge" d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`} marker-end="url(#arrow)" />;
        })}
        {[...nodes.values()].map((n) => (
          <g key={n.name} transform={`translate(${n.x} ${n.y})`}>
            <title>{n.name}</title>
            <rect width={width} height={height} rx={n.sender ? height / 2 : 5} class={n.sender ? "node sender" : "node"} />
            <text x={width / 2} y={14} text-anchor="middle" class="name">{cut(n.name, 24)}</text>
            <text x={width / 2} y={27} text-anchor="middle" class="kind">{cut(n.kind, 28)}</text>
          </g>
        ))}
      </svg>
    </div>
  );
}
