// Draws a terminal's text as an SVG: node tools/termsvg.mjs 'COMMAND LINE' < output.txt > docs/demo.svg
//
// docs/demo.svg is made of what `sightline demo --seed 7` prints, so that the README's picture can be
// made again. Colors follow the words that the program colors.

import { readFileSync } from "node:fs";

const command = process.argv[2] ?? "";
const lines = readFileSync(0, "utf8").trimEnd().split("\n");
if (command) {
  lines.unshift(`$ ${command}`);
}

const [charWidth, lineHeight, margin] = [7.8, 18, 16]; // of 13px monospace
const width = Math.ceil(Math.max(...lines.map((line) => [...line].length)) * charWidth) + 2 * margin;
const height = lines.length * lineHeight + 2 * margin;

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

function style(line) {
  if (line.startsWith("$")) return "fill='#79c0ff'";
  if (/^FAIL|FOUND/.test(line)) return "fill='#ff7b72' font-weight='bold'";
  if (/^PASS/.test(line)) return "fill='#7ee787' font-weight='bold'";
  if (/ reached  /.test(line)) return "fill='#7ee787'";
  if (/unreached|only-reverts/.test(line)) return "fill='#e3b341'";
  return "fill='#e6edf3'";
}

const rows = lines.map(
  (line, i) => `<text x='${margin}' y='${margin + 13 + i * lineHeight}' xml:space='preserve' ${style(line)}>${escape(line)}</text>`,
);
console.log(`<svg xmlns='http://www.w3.org/2000/svg' width='${width}' height='${height}' viewBox='0 0 ${width} ${height}' role='img' aria-label='Terminal output of sightline demo'>
<rect width='100%' height='100%' rx='8' fill='#0d1117'/>
<g font-family='ui-monospace, SFMono-Regular, Menlo, Consolas, monospace' font-size='13'>
${rows.join("\n")}
</g>
</svg>`);
