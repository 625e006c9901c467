// What the page shows: browserPage in report/html.go. All strings are text of strangers, in which invisible
// characters are written out already.

export interface Page {
  tool: { name: string; version: string };
  verdict: string;
  tone: "pass" | "doubt" | "fail" | "error" | "skip";
  heading: string;
  remark: string;
  noun: string;
  counts: Count[];
  apart?: string;
  facts: { name: string; value: string }[];
  warnings: string[];
  faults: { message: string; input?: string; file?: string }[];
  unread: { files: string[]; reason: string }[];
  trouble?: { lines?: string[]; places?: { file: string; line?: number; column?: number; text: string }[]; fixes?: { file?: string; yaml: string }[] };
  findings: Finding[];
  fixed: string[];
  clashes: Clash[];
  upgrades: { contract: string; because: string; result: string; reason?: string; notes?: string[] }[];
  rules: { id: string; title: string; swc?: string; cwe?: string; doc: string; remedy?: string }[];
  watched: { id: string; title: string }[];
  files: File[];
  effect?: Effect;
  world: World;
  chain?: string;
  builds: { origin: string; compiler: string; contracts: number; made: string }[];
  stats: Stats;
}

export interface Count {
  status: string;
  word: string;
  rows: number;
}

export interface Place {
  file: string;
  line: number;
  contract: string;
  pc: number;
  text?: string;
}

export interface Step {
  sender: string;
  call: string;
  note?: string;
  answers?: string[];
  test?: boolean;
  file?: string;
  line?: number;
}

export interface Message {
  step: number;
  depth: number;
  from: string;
  to: string;
  call: string;
  fails?: string;
}

export interface Finding {
  id: string;
  oracle: string;
  swc?: string;
  cwe?: string;
  severity: string;
  comparison: string;
  title: string;
  location: Place;
  changed?: Place;
  sequence: Step[];
  answer?: { of: string; head: string; base: string };
  trace: Message[];
  storage?: { account: string; variable: string; slot: string; before: string; after: string; step: number; undone?: boolean }[];
  storageOmitted?: number;
  foundryTest?: { text?: string; fails?: boolean; reason?: string };
  executions: number;
  calls: number;
  seconds?: number;
  where: string;
  said: string;
  assessment: string;
  gates: boolean;
  replay?: string;
}

export interface Clash {
  id: string;
  severity: string;
  message: string;
  file: string;
  line: number;
  contracts: string[];
  places: { space?: string; slot: string; offset: number; before: string; after: string; change: string }[];
  shown?: { call: string; before: string; after: string }[];
  basis: string;
  gates: boolean;
  replay?: string;
}

export interface File {
  name: string;
  link?: string;
  rows: Row[];
  lines: { line: number; text: string }[];
}

export interface Barrier {
  file: string;
  line: number;
  contract?: string;
  function?: string;
  text?: string;
  failure?: string;
  needs?: string;
  executions: number;
  of: number;
  passed?: boolean;
  sender?: { name: string; address: string; why?: string };
  missing?: string;
}

export interface Row {
  line: number;
  place: string;
  kind: string;
  text: string;
  status: string;
  reason?: string;
  tests?: "reached" | "unreached" | "unknown";
  aside?: string;
  harness?: boolean;
  partly?: string[];
  barrier?: Barrier;
  targets: Target[];
}

export interface Target {
  contract: string;
  status: string;
  reason?: string;
  barrier?: Barrier;
  executions?: number;
  calls?: number;
  seconds?: number;
  sequence: Step[];
  replay?: string;
  release?: string;
  setup?: string;
}

export interface Behavior {
  contract: string;
  function: string;
  kind: string;
  now: string;
  before: string;
  anyone?: boolean;
  through?: string[];
  tests?: string[];
  sequence: Step[];
}

export interface Effect {
  notCompared?: string;
  executions: number;
  behaviors: Behavior[];
  permissions: { contract: string; variable: string; before?: string; now?: string; changed: boolean }[];
  dropped?: { oracle: string; reason: string; count: number }[];
}

export interface World {
  setups: { contract: string; function: string; address?: string; tests?: string[]; failure?: string }[];
  instances: { name: string; contract: string; address: string; arguments: string; generated?: boolean }[];
  undeployed: { contract: string; reason: string; holds?: string[] }[];
  senders: { name: string; address: string; why?: string }[];
  calls: string[];
  fork: string;
  forkReason?: string;
}

export interface Sample {
  executions: number;
  calls: number;
  seconds?: number;
  paths: number;
  blocks: number;
  reached: number;
  findings: number;
}

export interface Stats {
  executions: number;
  calls: number;
  seconds?: number;
  callsPerSecond?: number;
  paths: number;
  seeds: number;
  blocks: number;
  stopped: string;
  burners?: { contract: string; function: string; calls: number; share: number }[];
  timeline?: Sample[];
}
