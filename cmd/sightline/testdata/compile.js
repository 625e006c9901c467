// What scripts compile with: require(process.env.COMPILE)(INPUT, PACKAGE) is the output of a compiler of npm for a standard-JSON input.
// It is asked as the product asks it, so that one that stays loaded answers.
module.exports = (input, name = "solc") => JSON.parse(require("child_process").execFileSync(
  "node", ["-e", "", "--", `${process.env.NPM}/${name}/soljson.js`, "compile"], { input: JSON.stringify(input), maxBuffer: 1 << 28 }));
