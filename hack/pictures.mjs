// Renders Markdown in Chromium, see pictures.sh:
//
//   node pictures.mjs PAGE.md… -- PAGE.md PICTURE.png… -- REPORT.html LIGHT.png DARK.png PHONE.png
//
// Pages before "--" only have their diagrams parsed, by every Mermaid that is installed. Of those behind it pictures are made, with
// the diagrams unfolded; of the report the first screens, in both themes and on a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { marked } from 'marked';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const text = (file) => readFileSync(require.resolve(file), 'utf8');
const split = process.argv.indexOf('--');
const checked = process.argv.slice(2, split);
const second = process.argv.indexOf('--', split + 1);
const pictured = process.argv.slice(split + 1, second);
const [report, ...screens] = process.argv.slice(second + 1);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
let diagrams = 0;
for (const version of ['mermaid10', 'mermaid', 'mermaid12']) {
  const page = await browser.newPage();
  await page.addScriptTag({ content: text(`${version}/dist/mermaid.min.js`) });
  for (const file of [...checked, ...pictured.filter((name) => name.endsWith('.md'))]) {
    for (const [, code] of readFileSync(file, 'utf8').matchAll(/^```mermaid\n(.*?)^```$/gms)) {
      const shown = await page.evaluate(async (code) => {
        mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
        const { svg } = await mermaid.render('diagram', code);
        document.body.innerHTML = svg;
        return { text: document.body.textContent, odd: document.body.querySelectorAll('img, script, a, foreignObject img').length };
      }, code).catch((error) => { throw new Error(`${version} on ${file}: ${error.message}\n${code}`); });
      if (shown.odd > 0) throw new Error(`${version} makes more than text of ${file}:\n${code}`);
      // What follows "as" or ":" is shown as it was before it was escaped.
      for (const [, escaped] of code.matchAll(/^ {2}(?:participant p\d+ as|p\d+\S+:) (.*)$/gm)) {
        const plain = escaped.replace(/#(\d+);/g, (_, n) => String.fromCodePoint(n)).trim();
        if (!shown.text.replace(/\s+/g, '').includes(plain.replace(/\s+/g, ''))) throw new Error(`${version} on ${file} does not show ${JSON.stringify(plain)}: ${JSON.stringify(shown.text.slice(-1500))}`);
      }
      diagrams++;
    }
  }
  await page.close();
}
console.log(`${diagrams} diagrams parsed`);

for (let i = 0; i < pictured.length; i += 2) {
  const html = marked.parse(readFileSync(pictured[i], 'utf8'), { gfm: true })
    .replace(/<pre><code class="language-mermaid">(.*?)<\/code><\/pre>/gs, '<pre class="mermaid">$1</pre>')
    .replaceAll('<details><summary>These calls as a diagram', '<details open><summary>These calls as a diagram');
  const page = await browser.newPage({ viewport: { width: 930, height: 400 } }); // of a comment on GitHub, with its frame
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${text('github-markdown-css/github-markdown-light.css')}
    .markdown-body { padding: 16px 24px } .mermaid { background: none !important; text-align: center } .mermaid svg { max-width: 620px !important }</style>
    <article class="markdown-body">${html}</article>`);
  await page.addScriptTag({ content: text('mermaid/dist/mermaid.min.js') });
  await page.evaluate(async () => {
    mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
    await mermaid.run();
  });
  await page.screenshot({ path: pictured[i + 1], fullPage: true });
  await page.close();
}

const looks = [{ width: 1100, height: 1300, colorScheme: 'light' }, { width: 1100, height: 1300, colorScheme: 'dark' }, { width: 390, height: 1000, colorScheme: 'light' }];
for (const [i, { width, height, colorScheme }] of looks.entries()) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.on('console', (message) => { throw new Error(`${report}: ${message.text()}`); });
  await page.goto(`file://${report}`);
  await page.waitForSelector('#findings');
  await page.screenshot({ path: screens[i] });
  await page.close();
}
await browser.close();
