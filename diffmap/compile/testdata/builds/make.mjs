// Makes the fixtures in this folder with the real tools, from the sources in src:
//
//   node make.mjs forge PROGRAM     foundry, foundry-split, foundry-plain: forge with --build-info and --ast, with
//                                   --ast alone, with neither; foundry-two-runs: a file was added between two
//   node make.mjs hardhat2 FOLDER   hardhat2: FOLDER holds node_modules with hardhat 2
//   node make.mjs hardhat3 FOLDER   hardhat3: likewise with hardhat 3; needs the node that it supports
//   node make.mjs truffle           truffle: what truffle 5 writes, imitated from solc's output
//
// They were made with forge 1.7.1, hardhat 2.26.3 and hardhat 3.18.0, installed by npm; the compiler is the one
// that ./test installs. The fixtures are build outputs as the tools write them, but for the folder they were made
// in, which becomes /project, and for what no reader looks at: method identifiers, opcodes, gas and documentation.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.join(here, "..", "..", "..", "..");
const modules = path.join(repository, ".cache", "npm", "node_modules");
const soljson = path.join(modules, "solc", "soljson.js");
const [, , tool, where] = process.argv;

const adder = `// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;

import "./Step.sol";

contract Adder {
    function twice(uint256 a) public pure returns (uint256) {
        return Step.next(a, a);
    }
}
`;

const makers = { forge, hardhat2, hardhat3, truffle };
if (!makers[tool]) {
  console.error(`usage: node make.mjs ${Object.keys(makers).join("|")} [PROGRAM|FOLDER]`);
  process.exit(2);
}

function forge() {
  const program = path.resolve(where);
  const variants = { foundry: ["--build-info", "--ast"], "foundry-split": ["--ast"], "foundry-plain": [], "foundry-two-runs": ["--ast"] };
  for (const [name, flags] of Object.entries(variants)) {
    const project = newProject("src");
    writeFileSync(path.join(project, "foundry.toml"), `[profile.default]\nsolc = "${solcProgram(project)}"\noptimizer = ${name !== "foundry"}\n`);
    run(project, program, ["build", ...flags]);
    if (name === "foundry-two-runs") {
      // Its name comes first, so that the sources' ids are others in the second run.
      writeFileSync(path.join(project, "src", "Adder.sol"), adder);
      run(project, program, ["build", ...flags]);
    }
    keep(project, name, ["out", ...(name === "foundry" ? [] : ["cache"])]);
  }
}

function hardhat2() {
  const project = newProject("contracts", where);
  writeFileSync(
    path.join(project, "hardhat.config.js"),
    `const { subtask } = require("hardhat/config");
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require("hardhat/builtin-tasks/task-names");
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: ${JSON.stringify(soljson)}, isSolcJs: true, version: "0.8.30", longVersion: "0.8.30+commit.73712a01",
}));
module.exports = { solidity: "0.8.30" };
`,
  );
  run(project, path.join(project, "node_modules", ".bin", "hardhat"), ["compile"]);
  keep(project, "hardhat2", ["artifacts"]);
}

function hardhat3() {
  const project = newProject("contracts", where);
  writeFileSync(path.join(project, "package.json"), `{ "name": "counter", "version": "1.0.0", "type": "module" }\n`);
  writeFileSync(
    path.join(project, "hardhat.config.js"),
    `export default { solidity: { version: "0.8.30", path: ${JSON.stringify(soljson)} } };\n`,
  );
  run(project, path.join(project, "node_modules", ".bin", "hardhat"), ["build"]);
  keep(project, "hardhat3", ["artifacts"]);
}

function truffle() {
  const solc = createRequire(path.join(modules, "solc", "package.json"))(path.join(modules, "solc-0.5.17"));
  const at = (name) => `/home/alice/counter/contracts/${name}`;
  const sources = {};
  for (const name of readdirSync(path.join(here, "src"))) {
    sources[at(name)] = { content: readFileSync(path.join(here, "src", name), "utf8") };
  }
  const outputSelection = { "*": { "": ["ast"], "*": ["abi", "metadata", "evm.bytecode", "evm.deployedBytecode"] } };
  const input = { language: "Solidity", sources, settings: { optimizer: { enabled: true, runs: 200 }, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const folder = path.join(here, "truffle", "build", "contracts");
  mkdirSync(folder, { recursive: true });
  for (const [sourcePath, contracts] of Object.entries(output.contracts)) {
    for (const [contractName, contract] of Object.entries(contracts)) {
      const code = (artefact) => "0x" + artefact.object.replace(/__\$[0-9a-f]{34}\$__/g, "__Step".padEnd(40, "_"));
      const artefact = {
        contractName,
        abi: contract.abi,
        metadata: contract.metadata,
        bytecode: code(contract.evm.bytecode),
        deployedBytecode: code(contract.evm.deployedBytecode),
        sourceMap: contract.evm.bytecode.sourceMap,
        deployedSourceMap: contract.evm.deployedBytecode.sourceMap,
        source: sources[sourcePath].content,
        sourcePath,
        ast: output.sources[sourcePath].ast,
        compiler: { name: "solc", version: "0.5.17+commit.d19bba13.Emscripten.clang" },
        networks: {},
        schemaVersion: "3.2.0",
        updatedAt: "2020-06-23T14:47:43.000Z",
      };
      writeFileSync(path.join(folder, contractName + ".json"), JSON.stringify(artefact) + "\n");
    }
  }
  cpSync(path.join(here, "src"), path.join(here, "truffle", "contracts"), { recursive: true });
  writeFileSync(path.join(here, "truffle", "truffle-config.js"), "module.exports = {};\n");
}

// newProject makes a folder with the sources in it and, where one is given, that folder's node_modules.
function newProject(sources, installed) {
  const project = mkdtempSync(path.join(tmpdir(), "fixture-"));
  cpSync(path.join(here, "src"), path.join(project, sources), { recursive: true });
  if (installed) {
    symlinkSync(path.resolve(installed, "node_modules"), path.join(project, "node_modules"));
    writeFileSync(path.join(project, "package.json"), `{ "name": "counter", "version": "1.0.0" }\n`);
  }
  return project;
}

// solcProgram is a program that stands for a native solc.
function solcProgram(project) {
  const program = path.join(project, "solc");
  const text = readFileSync(path.join(repository, "internal", "testsolc", "program.js"), "utf8");
  writeFileSync(program, text.replace("process.env.SOLJSON", JSON.stringify(soljson)));
  chmodSync(program, 0o755);
  return program;
}

function run(cwd, program, args) {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(" ")} failed`);
  }
}

// keep replaces a fixture by a project's sources, configuration and output.
function keep(project, name, folders) {
  const fixture = path.join(here, name);
  rmSync(fixture, { recursive: true, force: true });
  mkdirSync(fixture);
  for (const entry of readdirSync(project)) {
    if ([...folders, "src", "contracts", "foundry.toml", "hardhat.config.js"].includes(entry)) {
      cpSync(path.join(project, entry), path.join(fixture, entry), { recursive: true });
    }
  }
  for (const entry of readdirSync(fixture, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && file.endsWith(".d.ts")) {
      rmSync(file);
    } else if (entry.isFile()) {
      writeFileSync(file, scrub(file, readFileSync(file, "utf8").replaceAll(project, "/project").replaceAll(soljson, "/project/soljson.js")));
    }
  }
  if (existsSync(path.join(fixture, "foundry.toml"))) {
    writeFileSync(path.join(fixture, "foundry.toml"), "[profile.default]\n");
  } else {
    writeFileSync(path.join(fixture, "hardhat.config.js"), "// Never run: its presence tells the tool.\n");
  }
  rmSync(project, { recursive: true });
}

// scrub leaves out what no reader looks at.
function scrub(file, text) {
  if (!file.endsWith(".json")) {
    return text;
  }
  const unread = new Set(["methodIdentifiers", "opcodes", "gasEstimates", "devdoc", "userdoc", "generatedSources", "functionDebugData"]);
  return JSON.stringify(JSON.parse(text), (key, value) => (unread.has(key) ? undefined : value)) + "\n";
}

makers[tool]();
