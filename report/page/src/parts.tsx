import { createContext, type ComponentChildren } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import type { Step } from "./model";
import { placeOf, statusOf } from "./text";

// Places are what a place links to: the rows that the page has, the addresses of files, and the findings that
// break at a place or execute it last of all changed lines. The target is what the page's address names.
export const Places = createContext<{ rows: Set<string>; links: Map<string, string>; findings: Map<string, { id: string; severity: string }[]>; target: string }>({ rows: new Set(), links: new Map(), findings: new Map(), target: "" });

// anchor is the link to what has a place or an id on this page.
export const anchor = (id: string): string => "#" + encodeURIComponent(id).replace(/%2F/g, "/").replace(/%3A/g, ":");

// PlaceLink names a place. It leads to its row, else to the file where that is published.
export function PlaceLink({ file, line, contract, pc }: { file: string; line: number; contract?: string; pc?: number }) {
  const { rows, links } = useContext(Places);
  if (file === "") {
    return <code>{contract}{pc === undefined ? "" : `:0x${pc.toString(16)}`}</code>;
  }
  const place = placeOf(file, line);
  if (rows.has(place)) {
    return <a href={anchor(place)}><code>{place}</code></a>;
  }
  const link = links.get(file);
  return link === undefined ? <code>{place}</code> : <Away href={`${link}#L${line}`}><code>{place}</code></Away>;
}

// Away links to another page. Nothing but a web address is a link.
export function Away({ href, children }: { href: string; children: ComponentChildren }) {
  return /^https?:\/\//.test(href) ? <a href={href} target="_blank" rel="noopener noreferrer">{children}</a> : <>{children}</>;
}

// Mark is a status as a sign, with its word for those who do not see it.
export function Mark({ status, word = false }: { status: string; word?: boolean }) {
  const s = statusOf(status);
  return (
    <span class={`mark s-${status}`}>
      <span aria-hidden="true">{s.mark}</span> <span class={word ? "" : "unseen"}>{s.word}</span>
    </span>
  );
}

// Sequence lists calls, one on a line.
export function Sequence({ steps }: { steps: Step[] }) {
  return (
    <ol class="sequence">
      {steps.map((s, i) => (
        <li key={i}>
          <span class="number">{i + 1}</span>
          <span class="sender">{s.test ? "forge" : s.sender}</span>
          <span class="call">
            <code>{s.call}</code>
            {s.note && <span class="note">{s.note}</span>}
            {s.answers?.map((a, j) => <span class="answer" key={j}><span aria-hidden="true">└ </span>{a}</span>)}
          </span>
          {s.file ? <span class="at"><PlaceLink file={s.file} line={s.line ?? 0} /></span> : <span />}
        </li>
      ))}
    </ol>
  );
}

// Copy is a button that copies a text.
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, say] = useState("Copy");
  const timer = useRef(0);
  const copy = async (event: MouseEvent) => {
    const button = event.currentTarget as HTMLElement;
    say((await copyText(text, button)) ? "Copied" : "Select it, and copy");
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => say("Copy"), 2000);
  };
  return <button type="button" class="copy" aria-label={`${said}: ${what}`} onClick={copy}>{said}</button>;
}

// copyText copies a text, where pages from files may do so and where they may not.
async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    near.after(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    near.focus();
    return done;
  }
}

// Command is a line to run.
export function Command({ line }: { line: string }) {
  return <p class="command"><code>{line}</code><Copy text={line} what="the command to replay it" /></p>;
}

// Fold is a part that opens on a click.
export function Fold({ title, open = false, children }: { title: ComponentChildren; open?: boolean; children: ComponentChildren }) {
  return <details open={open}><summary>{title}</summary><div class="folded">{children}</div></details>;
}

// Section is a part of the page, with its number of entries in the heading.
export function Section({ id, title, number, children }: { id: string; title: string; number?: string; children: ComponentChildren }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>{title}{number && <span class="number"> {number}</span>}</h2>
      {children}
    </section>
  );
}

// Table scrolls where it is wider than the screen.
export function Table({ label, head, children }: { label: string; head: string[]; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table><thead><tr>{head.map((h) => <th scope="col" key={h}>{h}</th>)}</tr></thead><tbody>{children}</tbody></table>
    </div>
  );
}

// Some shows the first entries of a list, as many as lead to the target, and the rest when asked.
export function Some<T>({ of, first, noun, each, is }: { of: T[]; first: number; noun: string; each: (value: T, i: number) => ComponentChildren; is?: (value: T, target: string) => boolean }) {
  const [asked, show] = useState(first);
  const { target } = useContext(Places);
  const shown = Math.max(asked, target && is ? of.findIndex((value) => is(value, target)) + 1 : 0);
  const rest = of.length - shown;
  return (
    <>
      {of.slice(0, shown).map(each)}
      {rest > 0 && <button type="button" class="more" onClick={() => show(shown + Math.max(first, 500))}>Show {Math.min(rest, Math.max(first, 500))} more of {of.length} {noun}</button>}
    </>
  );
}
