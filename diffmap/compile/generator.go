package compile

import (
	"bytes"
	"cmp"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Code generators of solc. Some sources mean different things to them.
const (
	Legacy = "legacy"
	ViaIR  = "ir" // through the intermediate language, Yul
)

// Generator is the code generator that made the build: [Legacy] or [ViaIR]; empty when its
// settings are unknown.
func (o *Output) Generator() string {
	switch {
	case !o.Settings.Known:
		return ""
	case o.Settings.ViaIR:
		return ViaIR
	}
	return Legacy
}

// EVMVersion is the version of the EVM that the build's code is for, as solc names it: that
// of its settings, else its compiler's default. It is empty when neither is known.
func (o *Output) EVMVersion() string {
	if o.Settings.EVMVersion != "" {
		return o.Settings.EVMVersion
	}
	if v, err := solc.ParseVersion(o.Compiler); err == nil {
		return DefaultEVMVersion(v)
	}
	for _, c := range o.Contracts {
		if c.Runtime == nil {
			continue
		}
		if v, ok := compilerOf(c.Runtime.Bytes); ok {
			return DefaultEVMVersion(v)
		}
	}
	return ""
}

// compilerOf is the version of solc that code names in the metadata at its end, CBOR since
// 0.5.9: a map whose last key is "solc", with three bytes (solidity documentation,
// "Encoding of the Metadata Hash in the Bytecode").
func compilerOf(code []byte) (solc.Version, bool) {
	const length = 2 // bytes of the metadata's own length, at the end
	key := []byte("\x64solc\x43")
	at := len(code) - length - 3 - len(key)
	if at < 0 || !bytes.Equal(code[at:at+len(key)], key) {
		return solc.Version{}, false
	}
	v := code[at+len(key):]
	return solc.Version{Major: int(v[0]), Minor: int(v[1]), Patch: int(v[2])}, true
}

// DefaultEVMVersion is the version of the EVM that a compiler compiles for when it is not
// told one.
func DefaultEVMVersion(v solc.Version) string {
	name := defaultEVMVersions[0].name
	for _, d := range defaultEVMVersions {
		if !v.Less(d.since) {
			name = d.name
		}
	}
	return name
}

// defaultEVMVersions are the defaults and the first compilers that have them, oldest first
// (solidity's Changelog.md: "Set default EVM version to …"). Before 0.4.21, which
// introduced the setting, code is for any EVM.
var defaultEVMVersions = []struct {
	name  string
	since solc.Version
}{
	{"byzantium", solc.Version{}},
	{"petersburg", solc.Version{Major: 0, Minor: 5, Patch: 5}},
	{"istanbul", solc.Version{Major: 0, Minor: 5, Patch: 14}},
	{"berlin", solc.Version{Major: 0, Minor: 8, Patch: 5}},
	{"london", solc.Version{Major: 0, Minor: 8, Patch: 7}},
	{"paris", solc.Version{Major: 0, Minor: 8, Patch: 18}},
	{"shanghai", solc.Version{Major: 0, Minor: 8, Patch: 20}},
	{"cancun", solc.Version{Major: 0, Minor: 8, Patch: 25}},
	{"prague", solc.Version{Major: 0, Minor: 8, Patch: 30}},
	{"osaka", solc.Version{Major: 0, Minor: 8, Patch: 31}},
}

// DifferentCode says in which of the settings that decide what sources mean a build differs
// from the release build, as a sentence; empty when it does in none, or is the release build.
func (o *Output) DifferentCode(release *Output) string {
	if o == release || release.Debug {
		if o.askedViaIR && !o.Settings.ViaIR { // of sources without a build of their own
			return generatorText(Legacy) + " code was fuzzed, but the project ships " + generatorText(ViaIR) + " code"
		}
		return ""
	}
	if mine, theirs := o.Generator(), release.Generator(); mine != theirs {
		return generatorText(mine) + " code was fuzzed, but the project ships " + generatorText(theirs) + " code"
	}
	mine, theirs := o.EVMVersion(), release.EVMVersion()
	if theirs == "" && o.Settings.EVMVersion == "" {
		return "" // the default of the same compiler, which the project's build does not name
	}
	if mine != theirs {
		return "code for " + cmp.Or(mine, "an unknown EVM version") + " was fuzzed, but the project ships code for " + cmp.Or(theirs, "an unknown one")
	}
	return ""
}

// generatorText is a generator's name in sentences.
func generatorText(generator string) string {
	switch generator {
	case ViaIR:
		return "via-IR"
	case Legacy:
		return Legacy
	}
	return "unknown"
}
