package settings

import "testing"

// FuzzCompare: no text of a settings file makes the comparison fail, a file is like itself, and
// what differs does so in both directions.
func FuzzCompare(f *testing.F) {
	files := []string{"foundry.toml", "remappings.txt", "package.json", "package-lock.json", "hardhat.config.ts", "truffle-config.js", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "soldeer.lock"}
	f.Add(uint8(0), []byte("[profile.default]\nsolc = '0.8.20'\nvia_ir = true\n"), []byte("[profile.default]\nsolc = '0.8.30'\n[fuzz]\nruns = 3\n"))
	f.Add(uint8(1), []byte("@a/=lib/a/\n"), []byte("@a/=lib/b/\n"))
	f.Add(uint8(2), []byte(`{"dependencies": {"a": "1"}}`), []byte(`{"version": "2", "dependencies": {"a": "1"}}`))
	f.Add(uint8(4), []byte(`module.exports = { solidity: { version: "0.8.20", settings: { viaIR: true } } } // x`), []byte(`module.exports = { solidity: "0.8.21", networks: { a: { url: "b" } } }`))
	f.Add(uint8(5), []byte("compilers: { solc: { version: '0.5.1' /* { */ } }"), []byte("compilers: { solc: `${x}` }"))
	f.Fuzz(func(t *testing.T, which uint8, base, head []byte) {
		file := files[int(which)%len(files)]
		getenv := func(string) string { return "" }
		if d := Compare(file, base, base, getenv); d.Any() {
			t.Errorf("%s differs from itself: %+v", file, d)
		}
		there, back := Compare(file, base, head, getenv), Compare(file, head, base, getenv)
		if there.Any() != back.Any() {
			t.Errorf("%s: %+v one way, %+v back", file, there, back)
		}
	})
}
