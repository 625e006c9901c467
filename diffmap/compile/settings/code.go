package settings

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// Code are the settings of a project that decide what its sources mean.
type Code struct {
	ViaIR      bool   // it compiles through the intermediate language
	EVMVersion string // as solc names it; empty: the compiler's default
	Unlimited  bool   // its chain accepts code of any size
	Solc       string // version of the compiler; empty: any, or several
}

// CodeSettings are those that the configuration at root has: of foundry.toml, else of
// Hardhat's, as far as they are written out there. Zero where there is none.
func CodeSettings(root string, getenv func(string) string) Code {
	if values, err := Foundry(root, getenv); err == nil {
		get := func(key string) string {
			if value, ok := values[key]; ok {
				return value
			}
			return values[strings.ReplaceAll(key, "_", "-")]
		}
		return Code{get("via_ir") == "true", strings.ToLower(get("evm_version")), get("code_size_limit") != "",
			exactVersion.FindString(cmp.Or(get("solc"), get("solc_version")))}
	}
	for _, name := range Configurations {
		if !strings.HasPrefix(name, "hardhat.") {
			continue
		}
		if text, err := Read(filepath.Join(root, name)); err == nil {
			return hardhatCode(text)
		}
	}
	return Code{}
}

// exactVersion is a release's version and nothing else, or not at all.
var exactVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Where a Hardhat configuration usually says it; a computed value is not found by them.
var (
	viaIRSetting      = regexp.MustCompile(`(?m)^[^/\n]*\bviaIR\s*:\s*true\b`)
	unlimitedSetting  = regexp.MustCompile(`(?m)^[^/\n]*\ballowUnlimitedContractSize\s*:\s*true\b`)
	solcSetting       = regexp.MustCompile("(?m)^[^/\n]*\\b(?:solidity|version)\\s*:\\s*[\"'`](\\d+\\.\\d+\\.\\d+)[\"'`]")
	evmVersionSetting = regexp.MustCompile("(?m)^[^/\n]*\\bevmVersion\\s*:\\s*[\"'`]([a-zA-Z]+)[\"'`]")
)

// hardhatCode are the settings in the text of a Hardhat configuration. EVM versions that
// differ, as several compilers may have them, are left to the compilers, and so are several
// compilers' versions.
func hardhatCode(text string) Code {
	code := Code{ViaIR: viaIRSetting.MatchString(text), Unlimited: unlimitedSetting.MatchString(text)}
	for i, m := range evmVersionSetting.FindAllStringSubmatch(text, -1) {
		if i > 0 && m[1] != code.EVMVersion {
			code.EVMVersion = ""
			break
		}
		code.EVMVersion = m[1]
	}
	for i, m := range solcSetting.FindAllStringSubmatch(text, -1) {
		if code.Solc = m[1]; i > 0 {
			code.Solc = ""
			break
		}
	}
	return code
}
