package compile

import (
	"strings"
	"testing"
)

// TestEVMVersion: a build is for the EVM of its settings, else for its compiler's default.
func TestEVMVersion(t *testing.T) {
	for _, test := range []struct{ compiler, setting, want string }{
		{"0.8.30+commit.73712a01", "", "prague"},
		{"0.8.30", "paris", "paris"},
		{"0.8.24", "", "shanghai"},
		{"0.8.17", "", "london"},
		{"0.7.6", "", "istanbul"},
		{"0.5.4", "", "byzantium"},
		{"0.4.26", "", "byzantium"},
		{"", "cancun", "cancun"},
		{"", "", ""},
	} {
		o := &Output{Compiler: test.compiler, Settings: Settings{EVMVersion: test.setting}}
		if got := o.EVMVersion(); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.compiler, test.setting, got, test.want)
		}
	}
}

// TestDefaultEVMVersions: what the table says is what the installed compilers do.
func TestDefaultEVMVersions(t *testing.T) {
	for _, version := range installed {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			input := standardJSON(t, map[string]string{"a.sol": "contract A {}"}, map[string]any{
				"outputSelection": map[string]any{"*": map[string]any{"*": []string{"metadata"}}},
			})
			output, err := compiler(t, version).Compile(t.Context(), input)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, found := strings.Cut(string(output), `\"evmVersion\":\"`)
			got, _, _ := strings.Cut(rest, `\"`)
			if want := (&Output{Compiler: version}).EVMVersion(); found && got != want {
				t.Errorf("solc %s compiles for %s, want %s", version, got, want)
			}
		})
	}
}

// TestDifferentCode: which differences between builds are said.
func TestDifferentCode(t *testing.T) {
	build := func(ir bool, evm string) *Output {
		return &Output{Compiler: "0.8.30", Settings: Settings{Known: true, ViaIR: ir, EVMVersion: evm}}
	}
	for _, test := range []struct {
		fuzzed, release *Output
		want            string
	}{
		{build(false, ""), build(false, "prague"), ""},
		{build(false, ""), build(true, ""), "legacy code was fuzzed, but the project ships via-IR code"},
		{build(true, "paris"), build(true, "cancun"), "code for paris was fuzzed, but the project ships code for cancun"},
		{build(true, ""), &Output{Compiler: "0.8.30"}, "via-IR code was fuzzed, but the project ships unknown code"},
		{build(true, ""), &Output{Debug: true}, ""},
		{&Output{Debug: true, askedViaIR: true, Settings: Settings{Known: true}}, &Output{Debug: true}, "legacy code was fuzzed, but the project ships via-IR code"},
	} {
		if got := test.fuzzed.DifferentCode(test.release); got != test.want {
			t.Errorf("%+v, %+v: %q, want %q", test.fuzzed.Settings, test.release.Settings, got, test.want)
		}
	}
}
