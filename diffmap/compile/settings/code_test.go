package settings

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCodeSettings: what decides the meaning of sources is read of configurations.
func TestCodeSettings(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       Code
	}{
		"foundry":         {"foundry.toml", "[profile.default]\nvia_ir = true\nevm_version = \"Paris\"\n", Code{ViaIR: true, EVMVersion: "paris"}},
		"foundry, dashes": {"foundry.toml", "[profile.default]\nvia-ir = true\nevm-version = 'cancun'\n", Code{ViaIR: true, EVMVersion: "cancun"}},
		"foundry, plain":  {"foundry.toml", "[profile.default]\nsrc = \"src\"\n", Code{}},
		"hardhat":         {"hardhat.config.ts", "solidity: { settings: {\n  viaIR: true,\n  evmVersion: 'shanghai',\n} }", Code{ViaIR: true, EVMVersion: "shanghai"}},
		"hardhat, off":    {"hardhat.config.js", "// viaIR: true\nviaIR: false, evmVersion: version", Code{}},
		"hardhat, two":    {"hardhat.config.js", "evmVersion: 'paris'\nevmVersion: 'london'\n", Code{}},
		"foundry, sizes":  {"foundry.toml", "[profile.default]\ncode_size_limit = 50000\n", Code{Unlimited: true}},
		"hardhat, sizes":  {"hardhat.config.js", "networks: { hardhat: { allowUnlimitedContractSize: true } }", Code{Unlimited: true}},
		"foundry, solc":   {"foundry.toml", "[profile.default]\nsolc = \"0.8.19\"\n", Code{Solc: "0.8.19"}},
		"foundry, path":   {"foundry.toml", "[profile.default]\nsolc = \"./solc-0.8.19\"\n", Code{}},
		"hardhat, solc":   {"hardhat.config.js", "module.exports = { solidity: \"0.8.19\" };", Code{Solc: "0.8.19"}},
		"hardhat, solcs":  {"hardhat.config.js", "compilers: [{ version: '0.8.19' },\n{ version: '0.6.12' }]", Code{}},
		"none":            {"README.md", "viaIR: true", Code{}},
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, test.file), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := CodeSettings(root, func(string) string { return "" }); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
