package settings

import (
	"reflect"
	"testing"
)

// TestCompare compares versions of configuration files.
func TestCompare(t *testing.T) {
	const foundry = "[profile.default]\nsrc = \"src\"\nsolc = \"0.8.30\"\noptimizer_runs = 200\n"
	const hardhat = "require('x'); // a\nmodule.exports = { solidity: '0.8.30', networks: { a: { url: 'http://}' } }, mocha: { timeout: 1 } };\n"
	unknown := Difference{Unknown: true}
	for _, c := range []struct {
		name, file, base, head string
		want                   Difference
	}{
		{"a comment", "foundry.toml", foundry, "# New.\n" + foundry, Difference{}},
		{"other tables", "packages/a/foundry.toml", foundry, foundry + "[fmt]\nline_length = 100\n[profile.default.fuzz]\nruns = 5\n[rpc_endpoints]\na = \"b\"\n", Difference{}},
		{"another profile", "foundry.toml", foundry, foundry + "[profile.ci]\nvia_ir = true\n", Difference{}},
		{"a setting for tests", "foundry.toml", foundry, foundry + "ffi = true\n", Difference{}},
		{"the optimizer", "foundry.toml", foundry, "[profile.default]\nsrc = \"src\"\nsolc = \"0.8.30\"\noptimizer_runs = 9\nvia_ir = true\n",
			Difference{Names: []string{"optimizer_runs", "via_ir"}, Standard: map[string]any{"optimizer.runs": int64(200), "viaIR": nil}}},
		{"the compiler", "foundry.toml", foundry, "[profile.default]\nsrc = \"src\"\nsolc = \"0.8.31\"\noptimizer_runs = 200\n",
			Difference{Names: []string{"solc"}, Solc: "0.8.30"}},
		{"the compiler, which was not named", "foundry.toml", "", "[profile.default]\nsolc = \"0.8.31\"\n", Difference{Unknown: true, Names: []string{"solc"}}},
		{"remappings", "foundry.toml", "[profile.default]\nremappings = [\"a/=b/\", \"c/=d/\"]\n", "[profile.default]\nremappings = [\"c/=d/\", \"a/=e/\"]\n",
			Difference{Names: []string{"remappings"}, Removed: []string{"a/=e/"}, Added: []string{"a/=b/"}}},
		{"the order of remappings", "remappings.txt", "a/=b/\nc/=d/\n", "c/=d/\na/=b/", Difference{}},
		{"what is not known", "foundry.toml", foundry, foundry + "libs = [\"deps\"]\n", Difference{Unknown: true, Names: []string{"libs"}}},
		{"not TOML", "foundry.toml", foundry, "[", unknown},
		{"a version and a script", "package.json", `{"version": "1", "dependencies": {"a": "1"}}`, `{"version": "2", "scripts": {"b": "c"}, "dependencies": {"a": "1"}}`, Difference{}},
		{"a dependency", "package.json", `{"dependencies": {"a": "1"}}`, `{"dependencies": {"a": "2"}}`, unknown},
		{"a lock file's version", "package-lock.json", `{"version": "1", "packages": {"": {"version": "1"}, "a": {"version": "1"}}}`, `{"version": "2", "packages": {"": {"version": "2"}, "a": {"version": "1"}}}`, Difference{}},
		{"a lock file's dependency", "package-lock.json", `{"packages": {"a": {"version": "1"}}}`, `{"packages": {"a": {"version": "2"}}}`, unknown},
		{"another lock file", "yarn.lock", "a", "b", unknown},
		{"comments and networks", "hardhat.config.ts", hardhat, "require('x');\nmodule.exports = { solidity: '0.8.30', /* b */ networks: { a: { url: '{' }, b: {} }, mocha: { timeout: 2 } };\n", Difference{}},
		{"networks that are new", "hardhat.config.ts", "module.exports = { solidity: '0.8.30' };", "module.exports = { networks: { a: {} }, solidity: '0.8.30' };", Difference{}},
		{"the compiler of Hardhat", "hardhat.config.ts", hardhat, "require('x');\nmodule.exports = { solidity: '0.8.31', networks: { a: { url: 'http://}' } }, mocha: { timeout: 1 } };\n",
			Difference{Names: []string{"solidity"}, Solc: "0.8.30"}},
		{"the optimizer of Hardhat", "hardhat.config.ts", "a = { solidity: { version: '0.8.30', settings: { optimizer: { enabled: true, runs: 200 }, viaIR: true } } }", "a = { solidity: { version: '0.8.30', settings: { optimizer: { enabled: false, runs: 9 } } } }",
			Difference{Names: []string{"optimizer", "runs", "viaIR"}, Standard: map[string]any{"optimizer.enabled": true, "optimizer.runs": int64(200), "viaIR": true}}},
		{"several compilers", "hardhat.config.ts", "a = [{ version: '0.8.30' }, { version: '0.7.6' }]", "a = [{ version: '0.8.30' }, { version: '0.7.5' }]", unknown},
		{"code of Hardhat", "hardhat.config.ts", "a = { solidity: '0.8.30', b: c() }", "a = { solidity: '0.8.30', b: d() }", unknown},
		{"code that is cut off", "hardhat.config.js", "a = { networks: { ", "a = { networks: { b", unknown},
	} {
		if got := Compare(c.file, []byte(c.base), []byte(c.head), func(string) string { return "" }); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}
