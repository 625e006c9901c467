// Numbers and names as people read them.

const digits = new Intl.NumberFormat("en-US");

export const count = (n: number): string => digits.format(n);

export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

// short is a number on an axis: 950, 12k, 3.4M.
export function short(n: number): string {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (Math.abs(n) >= size) {
      return `${+(n / size).toPrecision(3)}${unit}`;
    }
  }
  return `${+n.toPrecision(3)}`;
}

export function seconds(s: number): string {
  return s < 10 ? `${s.toFixed(1)} s` : s < 600 ? `${s.toFixed(0)} s` : `${(s / 60).toFixed(0)} min`;
}

// base is a qualified name without its source: "src/Vault.sol:Vault" is Vault.
export const base = (qualified: string): string => qualified.slice(qualified.lastIndexOf(":") + 1);

export const placeOf = (file: string, line: number): string => `${file}:${line}`;

// Statuses: how each is marked, what it means, and its color. A mark never stands without its word.
export const statuses: Record<string, { mark: string; word: string; meaning: string }> = {
  reached: { mark: "✓", word: "reached", meaning: "A call that succeeds executes it." },
  partly: { mark: "◐", word: "in part", meaning: "A call that succeeds executes it, but not all of it." },
  "only-reverts": { mark: "↺", word: "only in reverts", meaning: "Only calls that revert execute it." },
  unreached: { mark: "○", word: "unreached", meaning: "No call was found that executes it. That does not mean it is safe." },
  unreachable: { mark: "⊘", word: "unreachable", meaning: "Proved: no call executes it." },
  undeployed: { mark: "▽", word: "not deployed", meaning: "No contract with it could be deployed." },
  unmapped: { mark: "?", word: "not mapped", meaning: "It could not be mapped to bytecode." },
  "not-fuzzed": { mark: "!", word: "not fuzzed", meaning: "No contract that can be deployed has this code." },
  "no-bytecode": { mark: "·", word: "no bytecode", meaning: "It has no bytecode of its own." },
};

const unknown = { mark: "?", word: "unknown", meaning: "" };

export const statusOf = (status: string): { mark: string; word: string; meaning: string } =>
  Object.prototype.hasOwnProperty.call(statuses, status) ? statuses[status] : unknown;

// matcher returns whether a text has all words of a query.
export function matcher(query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w !== "");
  return (text) => words.every((w) => text.includes(w));
}

// haystack is all text in a value, in lower case, for a search.
export function haystack(value: unknown): string {
  const parts: string[] = [];
  const walk = (v: unknown): void => {
    if (typeof v === "string") {
      parts.push(v);
    } else if (typeof v === "number") {
      parts.push(String(v));
    } else if (v !== null && typeof v === "object") {
      Object.values(v).forEach(walk);
    }
  };
  walk(value);
  return parts.join("\n").toLowerCase();
}
