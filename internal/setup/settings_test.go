package setup

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/report"
)

// commented is a line of settings that is switched off: a key, or what belongs to one.
var commented = regexp.MustCompile(`(?m)^# ((?:[a-z-]+:| {2}).*)$`)

// TestSettingsAreRead: a run takes the file that is written, and each setting in it that is switched off.
func TestSettingsAreRead(t *testing.T) {
	survey := &report.Report{World: report.World{Undeployed: []report.Undeployed{
		{Contract: "src/A.sol:A", Reason: "constructor: no\n- contract: Evil", Holds: []string{"1 changed line"}},
		{Contract: "src/B.sol:B", Reason: "it needs A", Holds: []string{"2 changed lines"}},
		{Contract: "src/C.sol:C", Reason: "nothing in it changed"},
	}}}
	r := find(t, ".", map[string]string{"foundry.toml": "[profile.default]\n", "src/A.sol": source, "flat/harnesses/H.sol": source, "flat/odd name/H.sol": source,
		"shared/S.sol": source, "src/B.sol": "import \"../shared/S.sol\";\n" + source, "test/T.t.sol": source, "odd name/O.sol": source})
	text := Settings(r, survey)
	for _, faults := range [][]any{places(config.Faults(r.Root, "sightline.yml", []byte(text))), places(config.Faults(r.Root, "sightline.yml", []byte(commented.ReplaceAllString(text, "$1"))))} {
		if len(faults) > 0 {
			t.Errorf("faults %v in\n%s", faults, text)
		}
	}
	on := commented.ReplaceAllString(text, "$1")
	for _, want := range []string{"\ntimeout: 120\n", "\nfail-on: high\n", "\nignore:\n  - /flat/\n\n", "\npanics: [", "\ndeploy:\n", "\n  - contract: A\n", "\n  - contract: B\n"} {
		if !strings.Contains(on, want) {
			t.Errorf("%q is not in\n%s", want, on)
		}
	}
	for _, unwanted := range []string{"contract: C", "\n- contract", "shared", "odd name"} {
		if strings.Contains(on, unwanted) {
			t.Errorf("%q is in\n%s", unwanted, on)
		}
	}
}

// TestTimeout: a change of many targets gets the time that a campaign needs, and others the usual one.
func TestTimeout(t *testing.T) {
	r := find(t, ".", map[string]string{"foundry.toml": "[profile.default]\n", "src/A.sol": source})
	for targets, want := range map[int]string{0: "timeout: 120", 15: "timeout: 120", 12_100: "timeout: 120", 12_200: "timeout: 180", 19_629: "timeout: 240", 10_000_000: "timeout: 600"} {
		text := Settings(r, &report.Report{Targets: make([]report.Target, targets)})
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%d targets: want %q in\n%s", targets, want, text)
		}
		if usual := strings.Contains(text, "Two minutes are as long"); usual != (want == "timeout: 120") {
			t.Errorf("%d targets: another reason is given in\n%s", targets, text)
		}
	}
}

func places[T any](list []T) []any {
	var all []any
	for _, p := range list {
		all = append(all, p)
	}
	return all
}

// TestUnbuilt: what a tool may build is not ignored, whatever names its folder.
func TestUnbuilt(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"foundry": {map[string]string{"foundry.toml": "[profile.default]\nsrc = \"core\"\n", "core/A.sol": source, "old/B.sol": source}, []string{"old"}},
		"hardhat": {map[string]string{"hardhat.config.js": "module.exports = {};", "contracts/A.sol": source, "flat/B.sol": source}, []string{"flat"}},
		"sources": {map[string]string{"hardhat.config.js": "module.exports = { paths: { sources: dir } };", "contracts/A.sol": source, "flat/B.sol": source}, nil},
		"plain":   {map[string]string{"src/A.sol": source, "old/B.sol": source}, nil},
		"nothing": {map[string]string{"foundry.toml": ""}, nil},
		"below":   {map[string]string{"a/foundry.toml": "", "a/src/A.sol": source, "a/spec/B.sol": source}, []string{"a/spec"}},
	} {
		if got := find(t, ".", test.files).unbuilt(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
