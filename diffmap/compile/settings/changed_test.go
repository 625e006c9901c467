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
	of := func(packages ...string) Difference { return Difference{Packages: packages} }
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
		{"a dependency", "package.json", `{"dependencies": {"a": "1", "@b/c": "1"}}`, `{"dependencies": {"a": "2", "@b/c": "1"}, "resolutions": {"d/**/@e/f": "1"}}`, of("@e/f", "a")},
		{"tools of the project", "package.json", `{"mocha": {}, "dependencies": {"a": "1"}}`, `{"packageManager": "pnpm@9", "c8": {}, "dependencies": {"a": "1"}}`, Difference{}},
		{"not JSON", "package.json", `{}`, `{`, unknown},
		{"a lock file's version", "package-lock.json", `{"version": "1", "packages": {"": {"version": "1"}, "a": {"version": "1"}}}`, `{"version": "2", "packages": {"": {"version": "2"}, "a": {"version": "1"}}}`, Difference{}},
		{"a lock file's dependency", "package-lock.json", `{"packages": {"node_modules/a": {"version": "1"}, "node_modules/b": {"version": "1", "integrity": "c", "resolved": "d"}}}`,
			`{"packages": {"node_modules/a": {"version": "2"}, "node_modules/b": {"version": "1", "integrity": "c", "resolved": "e"}, "packages/d": {"version": "1"}}}`, of("a")},
		{"an old lock file's dependency", "npm-shrinkwrap.json", `{"dependencies": {"a": {"version": "1", "dependencies": {"@b/c": {"version": "1"}}}}}`,
			`{"dependencies": {"a": {"version": "1", "dependencies": {"@b/c": {"version": "2"}}}}}`, of("@b/c")},
		{"another copy of a package", "package-lock.json", `{"packages": {"node_modules/a": {"version": "1"}}}`,
			`{"packages": {"node_modules/a": {"version": "1"}, "node_modules/b/node_modules/a": {"version": "2"}, "node_modules/c/node_modules/a": {"version": "1"}}}`, of("a")},
		{"one more copy of the same", "package-lock.json", `{"packages": {"node_modules/a": {"version": "1"}}}`,
			`{"packages": {"node_modules/a": {"version": "1"}, "node_modules/c/node_modules/a": {"version": "1"}}}`, Difference{}},
		{"yarn.lock", "yarn.lock", "# yarn lockfile v1\n\n\n\"@a/b@^1.0.0\", \"@a/b@~1.0.0\":\n  version \"1.0.0\"\n  resolved \"x#y\"\n  dependencies:\n    c \"^1\"\n\nc@^1:\n  version \"1.0.0\"\n",
			"# yarn lockfile v1\n\n\n\"@a/b@~1.0.0\":\n  version \"1.0.1\"\n  resolved \"x#z\"\n\nc@^1, c@^1.1:\n  version \"1.0.0\"\n", of("@a/b")},
		{"yarn.lock of Yarn 4", "yarn.lock", "__metadata:\n  version: 8\n\n\"@a/b@npm:^1\":\n  version: 1.0.0\n  resolution: \"@a/b@npm:1.0.0\"\n  checksum: 10/x\n  languageName: node\n  linkType: hard\n\n\"w@workspace:.\":\n  version: 0.0.0-use.local\n  linkType: soft\n",
			"__metadata:\n  version: 9\n\n\"@a/b@npm:^1\":\n  version: 1.0.0\n  resolution: \"@a/b@npm:1.0.0\"\n  checksum: 10/z\n  languageName: node\n  linkType: hard\n", of("@a/b")},
		{"a yarn.lock that is none", "yarn.lock", "a", "b", unknown},
		{"pnpm's lock file", "pnpm-lock.yaml", "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n  '@b/c@1.0.0(a@1.0.0)':\n    resolution: {integrity: y}\n",
			"lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1.1\n        version: 1.0.0\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n  '@b/c@1.0.1(a@1.0.0)':\n    resolution: {integrity: z}\n", of("@b/c")},
		{"which of two versions, in pnpm's", "pnpm-lock.yaml", "importers:\n  .:\n    dependencies:\n      a: {version: 1.0.0}\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n  a@2.0.0:\n    resolution: {integrity: y}\n",
			"importers:\n  .:\n    dependencies:\n      a: {version: 2.0.0}\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n  a@2.0.0:\n    resolution: {integrity: y}\n", of("a")},
		{"pnpm's old lock file", "pnpm-lock.yaml", "lockfileVersion: 5.4\ndependencies:\n  a: 1.0.0\npackages:\n  /@b/c/1.0.0:\n    resolution: {integrity: x}\n", "lockfileVersion: 5.4\ndependencies:\n  a: 1.0.0\npackages:\n  /@b/c/1.0.1:\n    resolution: {integrity: y}\n", of("@b/c")},
		{"bun's lock file", "bun.lock", `{"packages": {"a": ["a@1.0.0", "", {}, "x"], "@b/c": ["@b/c@1.0.0", "", {}, "y,]"],},}`, `{"packages": {"a": ["a@1.0.0", "", {}, "x"], "d/@b/c": ["@b/c@1.0.1", "", {}, "z"], "w": ["w@workspace:w"],},}`, of("@b/c")},
		{"bun's old lock file", "bun.lockb", "a", "b", unknown},
		{"soldeer's lock file", "soldeer.lock", "[[dependencies]]\nname = \"a\"\nversion = \"1\"\n", "[[dependencies]]\nname = \"a\"\nversion = \"2\"\n", of("a")},
		{"soldeer's dependencies", "foundry.toml", foundry + "[dependencies]\na = \"1\"\nb = \"1\"\n", foundry + "[dependencies]\na = \"2\"\nb = \"1\"\n", of("a")},
		{"where output goes", "foundry.toml", foundry, foundry + "out = \"forge-out\"\n", Difference{}},
		{"what is built", "foundry.toml", foundry, foundry + "skip = [\"src/A.sol\"]\n", Difference{Unknown: true, Names: []string{"skip"}}},
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

// TestPackageOf names the packages of sources.
func TestPackageOf(t *testing.T) {
	for source, want := range map[string]string{
		"/home/a/node_modules/@b/c/D.sol":                         "@b/c",
		"/a/node_modules/.pnpm/b@1.0.0/node_modules/b/src/C.sol":  "b",
		"node_modules/a/node_modules/b/C.sol":                     "b",
		"@a/b/C.sol":                                              "@a/b",
		"a/B.sol":                                                 "a",
		"npm/@a/b@1.0.0/C.sol":                                    "@a/b",
		"npm/a@1.0.0/B.sol":                                       "a",
		"dependencies/@a-b-1.0.0/C.sol":                           "@a-b",
		"/home/a/dependencies/@a-b-1.0.0/node_modules_/d/e/C.sol": "@a-b",
	} {
		if got := PackageOf(source); !SamePackage(got, want) {
			t.Errorf("%s is of %q, want %q", source, got, want)
		}
	}
	if SamePackage(PackageOf("a-b/C.sol"), "a") {
		t.Error("a-b is taken for a")
	}
}
