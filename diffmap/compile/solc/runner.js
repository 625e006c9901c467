// Runs one Emscripten build of solc (soljson.js) for Sightline:
//
//   node -e "$(cat runner.js)" SOLJSON version
//   node -e "$(cat runner.js)" SOLJSON compile < input.json > output.json
//
// The exported functions are called directly, since the npm package's own
// wrapper exists beside some of these builds only. No callback is passed for
// imports, so that nothing but the given sources is read.
'use strict';

const fs = require('fs');
const [, path, mode] = process.argv;

// A run needs a part of the compiler, so that the rest is not compiled or validated; and a function is optimized only once it has
// run for long, by V8's count a hundred times as long as it does so by itself (1.8 million in Node.js 20): for less, making it fast takes
// longer than running it. Measured with solc 0.8.30 and OpenZeppelin's contracts, seconds of two cores without and with this: 18 kB of
// sources 1.9 and 0.9, 203 kB 3.4 and 2.5, via IR and optimized 7.0 and 3.8, 662 kB 11.7 and 8.8.
const flags = ['--wasm-lazy-compilation', '--wasm-lazy-validation', '--wasm-tiering-budget=200000000'];

function main() {
  const input = mode === 'compile' ? fs.readFileSync(0, 'utf8') : '';
  for (const flag of flags) {
    require('v8').setFlagsFromString(flag);
  }
  const soljson = require(path);
  if (typeof soljson.cwrap !== 'function') {
    throw new Error('this is no Emscripten build of solc (soljson.js)');
  }
  // Before 0.5.0 the functions were called version and compileStandard.
  const exported = (...names) => names.find((name) => typeof soljson['_' + name] === 'function');
  if (mode === 'version') {
    return soljson.cwrap(exported('solidity_version', 'version'), 'string', [])();
  }
  const name = exported('solidity_compile', 'compileStandard');
  if (!name) {
    throw new Error('this solc has no standard-JSON interface (it came with 0.4.11)');
  }
  // cwrap would copy the input to the compiler's stack, which holds 5 MB.
  const size = Buffer.byteLength(input) + 1;
  const pointer = soljson._malloc(size);
  soljson.stringToUTF8(input, pointer, size);
  // Behind the input: the callback for imports and, since 0.6, its context.
  const types = name === 'solidity_compile' ? ['number', 'number', 'number'] : ['number', 'number'];
  return soljson.cwrap(name, 'string', types)(pointer, 0, 0);
}

try {
  process.stdout.write(main());
} catch (error) {
  process.stderr.write(String((error && error.message) || error));
  process.exitCode = 1;
}
