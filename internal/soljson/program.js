#!/usr/bin/env node
// What build tools need of a native solc, by its Emscripten build (soljson.js):
//
//   solc --version
//   solc [OPTION…] --standard-json < input.json > output.json
//
// Nothing but the input's own sources is read; other options are ignored.
'use strict';

const fs = require('fs');

// Only what runs for long is optimized: for the rest that takes longer than running it.
for (const flag of ['--wasm-lazy-compilation', '--wasm-lazy-validation', '--wasm-tiering-budget=200000000']) {
  require('v8').setFlagsFromString(flag);
}
const soljson = require(process.env.SOLJSON);
const exported = (...names) => names.find((name) => typeof soljson['_' + name] === 'function');

function version() {
  const name = exported('solidity_version', 'version');
  const text = soljson.cwrap(name, 'string', [])().replace('Emscripten.clang', 'Linux.g++');
  return `solc, the solidity compiler commandline interface\nVersion: ${text}\n`;
}

function compile(input) {
  const name = exported('solidity_compile', 'compileStandard');
  // cwrap would copy the input to the compiler's stack, which holds 5 MB.
  const size = Buffer.byteLength(input) + 1;
  const pointer = soljson._malloc(size);
  soljson.stringToUTF8(input, pointer, size);
  const types = name === 'solidity_compile' ? ['number', 'number', 'number'] : ['number', 'number'];
  return soljson.cwrap(name, 'string', types)(pointer, 0, 0);
}

if (process.argv.includes('--version')) {
  process.stdout.write(version());
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(compile(fs.readFileSync(0, 'utf8')));
} else {
  process.stderr.write('solc: give --version or --standard-json\n');
  process.exitCode = 1;
}
