// Builds the examples: for each one and each side, the compiler's standard-JSON input and output, and the
// diff between the sides.
//
//   node examples/build.mjs           rewrite examples/*/build/*.json and examples/*/pr.diff
//   node examples/build.mjs --check   fail where the files under build/ are not what this script would write
//
// The compiler is the npm package solc that ./test installs, at the version of testdata/npm/package.json.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const examples = path.dirname(fileURLToPath(import.meta.url));
const npmDir = path.join(examples, "..", ".cache", "npm");
const sides = ["base", "head"];

// The optimizer stays off, so that every line keeps its instructions. evmVersion is solc 0.8.30's default,
// written out since readers of the input have no other place to learn it.
const settings = {
  optimizer: { enabled: false },
  evmVersion: "prague",
  outputSelection: {
    "*": {
      "": ["ast"],
      "*": [
        "abi",
        "storageLayout",
        "evm.bytecode.object",
        "evm.bytecode.sourceMap",
        "evm.bytecode.linkReferences",
        "evm.bytecode.generatedSources",
        "evm.deployedBytecode.object",
        "evm.deployedBytecode.sourceMap",
        "evm.deployedBytecode.linkReferences",
        "evm.deployedBytecode.immutableReferences",
        "evm.deployedBytecode.generatedSources",
        "evm.methodIdentifiers",
      ],
    },
  },
};

const check = process.argv.includes("--check");
const solc = loadCompiler();
const stale = [];
for (const name of exampleNames()) {
  for (const side of sides) {
    const input = standardInput(name, side);
    const output = compile(input, `${name}/${side}`);
    emit(path.join(name, "build", `${side}.input.json`), JSON.stringify(input) + "\n");
    emit(path.join(name, "build", `${side}.output.json`), JSON.stringify(output) + "\n");
  }
  if (!check) {
    // Not checked here: versions of git may differ in a diff's context. The Go tests apply it instead.
    writeFileSync(path.join(examples, name, "pr.diff"), diff(name));
  }
}
if (stale.length > 0) {
  fail(`out of date: ${stale.join(", ")}; run: node examples/build.mjs`);
}

function loadCompiler() {
  try {
    return createRequire(path.join(npmDir, "package.json"))("solc");
  } catch (cause) {
    return fail(`the npm package solc is not in .cache/npm (${cause.code}); run ./test once, it installs it`);
  }
}

function exampleNames() {
  return readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(examples, entry.name, "head")))
    .map((entry) => entry.name)
    .sort();
}

function standardInput(name, side) {
  const sources = {};
  const dir = path.join(examples, name, side, "src");
  for (const file of readdirSync(dir).sort()) {
    sources[`src/${file}`] = { content: readFileSync(path.join(dir, file), "utf8") };
  }
  return { language: "Solidity", sources, settings };
}

/** Compiles an input. The examples have to compile without a warning. */
function compile(input, what) {
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  if (output.errors?.length > 0) {
    fail(`${what}: ${output.errors.map((error) => error.formattedMessage).join("\n")}`);
  }
  for (const contract of Object.values(output.contracts).flatMap(Object.values)) {
    dropGeneratedAst(contract.evm.bytecode);
    dropGeneratedAst(contract.evm.deployedBytecode);
  }
  return output;
}

/** Leaves out the Yul AST of generated sources: two thirds of the output, and nothing maps to it. */
function dropGeneratedAst(bytecode) {
  for (const source of bytecode?.generatedSources ?? []) {
    delete source.ast;
  }
}

/** The diff from base to head, as if each side's folder were the root of a repository. */
function diff(name) {
  const args = ["-c", "core.abbrev=7", "diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", ...sides];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = spawnSync("git", args, { cwd: path.join(examples, name), env, encoding: "utf8" });
  // git diff --no-index exits with 1 when the two differ.
  if (git.status !== 1) {
    fail(`${name}: git diff: ${git.error ?? git.stderr}`);
  }
  return git.stdout
    .replace(/^diff --git a\/base\/(.*) b\/head\/(.*)$/gm, "diff --git a/$1 b/$2")
    .replace(/^--- a\/base\//gm, "--- a/")
    .replace(/^\+\+\+ b\/head\//gm, "+++ b/");
}

function emit(file, text) {
  const target = path.join(examples, file);
  if (check) {
    if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
      stale.push(file);
    }
    return;
  }
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function fail(message) {
  console.error(`examples/build.mjs: ${message}`);
  process.exit(1);
}
