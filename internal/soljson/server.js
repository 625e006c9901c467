// Compiles one standard-JSON input after the other with one soljson.js, which takes
// longer to load than to run. Inputs and outputs are preceded by their length, 4 bytes,
// big-endian.
'use strict';

const fs = require('fs');

for (const flag of ['--wasm-lazy-compilation', '--wasm-lazy-validation', '--wasm-tiering-budget=200000000']) {
  require('v8').setFlagsFromString(flag); // as program.js
}
const soljson = require(process.argv[1]);
const exported = (...names) => names.find((name) => typeof soljson['_' + name] === 'function');
const name = exported('solidity_compile', 'compileStandard');
const types = name === 'solidity_compile' ? ['number', 'number', 'number'] : ['number', 'number'];

function read(length) {
  const data = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const n = fs.readSync(0, data, at, length - at);
    if (n === 0) process.exit(0); // whoever asked is gone
    at += n;
  }
  return data;
}

for (;;) {
  const input = read(read(4).readUInt32BE());
  const pointer = soljson._malloc(input.length + 1);
  soljson.stringToUTF8(input.toString('utf8'), pointer, input.length + 1);
  const output = Buffer.from(soljson.cwrap(name, 'string', types)(pointer, 0, 0));
  if (exported('solidity_reset')) soljson._solidity_reset(); // else its memory grows
  const length = Buffer.alloc(4);
  length.writeUInt32BE(output.length);
  for (const data of [length, output]) {
    for (let at = 0; at < data.length; ) at += fs.writeSync(1, data, at);
  }
}
