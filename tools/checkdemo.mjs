// Checks what `go run ./cmd/sightline demo --out DIR` left behind: node tools/checkdemo.mjs DIR EXIT_CODE
//
// `go run` exits with 1 for any failure of the program, so that 1 alone says little: it must come with the
// verdict "fail".

import { readFileSync } from "node:fs";
import path from "node:path";

const [dir, exitCode] = process.argv.slice(2);

const report = JSON.parse(read("report.json"));
const sarif = JSON.parse(read("sightline.sarif"));
read("comment.md");
read("summary.md");
expect(read("report.html").includes("Content-Security-Policy"), "report.html has no policy");

const reached = report.targets.filter((target) => target.status === "reached");
expect(exitCode === "0" || (exitCode === "1" && report.verdict === "fail"), `exit code ${exitCode} with verdict ${report.verdict}`);
expect(report.stats.calls > 0, "no call was made");
expect(reached.length > 0, "no target was reached");
expect(report.findings.length > 0, "the example's bug was not found");
expect(sarif.version === "2.1.0", `SARIF version ${sarif.version}`);
for (const item of [...reached, ...report.findings]) {
  read(item.reproducer);
}
console.log(`    ${reached.length} of ${report.targets.length} targets reached, ${report.findings.length} findings`);

function read(file) {
  let text;
  try {
    text = readFileSync(path.join(dir, file), "utf8");
  } catch (cause) {
    fail(`${file} cannot be read: ${cause.message}`);
  }
  expect(text.length > 0, `${file} is empty`);
  return text;
}

function expect(condition, message) {
  if (!condition) {
    fail(message);
  }
}

function fail(message) {
  console.error(`the demo's output is not as documented: ${message}`);
  process.exit(1);
}
