package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

var groups = map[string][]scenario{
	"calls": calls, "creations": creations, "storage": storage, "opcodes": opcodes,
	"transactions": transactions, "authorizations": authorizations, "empties": empties,
}

func TestFixtures(t *testing.T) {
	if *golden.Update {
		for name, group := range groups {
			write(t, name, group)
		}
		writeOlder(t)
	}
	list, err := files([]string{"testdata"})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(groups)+1 {
		t.Fatalf("%d files of tests, want %d", len(list), len(groups)+1)
	}
	for _, path := range list {
		got, err := runFile(path)
		if err != nil {
			t.Error(err)
		}
		for _, f := range got.failures {
			t.Errorf("%s, %s %d, %s: %s", f.test, f.fork, f.index, f.executor, f.what)
		}
		skipped := 0
		if filepath.Base(path) == "older.json" {
			skipped = 16 // the eight combinations, on London and on Frontier
		}
		if got.passed[0] == 0 || got.skipped[skipOlder] != skipped || len(got.skipped) > 1 {
			t.Errorf("%s: %d passed, %v skipped", path, got.passed[0], got.skipped)
		}
	}
}

// spoil copies a file of tests to a folder of its own with one text replaced.
func spoil(t *testing.T, file, old, replacement string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %s", file, old)
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, replacement, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFailures: what a test says is compared, all of it.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ name, file, old, replacement, want string }{
		{"balance before", "calls.json", `"balance": "0xf4240"`, `"balance": "0xf4241"`, "balance"},
		{"a root that is too long", "storage.json", `"hash": "0x`, `"hash": "0xff`, "want 64"},
		{"events", "calls.json", `"logs": "0x1d`, `"logs": "0x1e`, "hash of 0 events"},
		{"an exception that does not come", "calls.json", `"hash": "0x`, `"expectException": "any", "hash": "0x`, "accepted, which was to be refused"},
		{"an exception that nobody expects", "transactions.json", `"expectException": "`, `"other": "`, "refused: "},
		{"indexes", "calls.json", `"data": 0`, `"data": 1`, "name no data"},
		{"no JSON", "calls.json", `{`, `{{`, "not the JSON of tests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := measure(context.Background(), &harness.Run{Log: io.Discard}, []string{spoil(t, c.file, c.old, c.replacement)})
			if err == nil {
				t.Fatal("no error")
			}
			text, _ := json.Marshal(result)
			if all := err.Error() + string(text); !strings.Contains(all, c.want) {
				t.Errorf("want %q in %s", c.want, all)
			}
		})
	}
}

func TestForks(t *testing.T) {
	for _, c := range []struct {
		name     string
		time     uint64
		resolved string
		skip     string
	}{
		{"Paris", 0, "Paris", ""}, {"Merge", 0, "Merge", ""}, {"BPO2", 0, "BPO2", ""},
		{"CancunToPragueAtTime15k", 14_999, "Cancun", ""}, {"CancunToPragueAtTime15k", 15_000, "Prague", ""},
		{"BPO2ToAmsterdamAtTime15k", 15_000, "", skipNewer}, {"Berlin", 0, "", skipOlder}, {"BerlinToLondonAt5", 0, "", skipOlder},
		{"ArrowGlacierToParisAtDiffC0000", 0, "", skipOlder}, {"Amsterdam", 0, "", skipNewer}, {"Cancun+1153", 0, "", skipDraft},
	} {
		if _, resolved, skip := findFork(c.name, c.time); resolved != c.resolved || skip != c.skip {
			t.Errorf("%s at %d is %q, %q; want %q, %q", c.name, c.time, resolved, skip, c.resolved, c.skip)
		}
	}
}

// FuzzParse: others' files are read or refused, and run without a panic of ours.
func FuzzParse(f *testing.F) {
	// Small ones: the files of testdata would spend the time on being made smaller.
	f.Add([]byte(`{"a": {"env": {"currentGasLimit": "0xffffff", "currentNumber": "1"}, "pre": {"0x` + strings.Repeat("aa", 20) + `": {"balance": "0xffffffff", "code": "0x600160005500"}},
"transaction": {"sender": "0x` + strings.Repeat("bb", 20) + `", "to": "0x` + strings.Repeat("aa", 20) + `", "data": ["0x01"], "gasLimit": ["50000"], "value": ["0x00"], "gasPrice": "0", "nonce": "0"},
"post": {"Osaka": [{"hash": "0x` + strings.Repeat("00", 32) + `", "expectException": "x"}], "London": [{}]}}}`))
	f.Add([]byte(`{"a": {"env": {}, "pre": {}, "transaction": {}, "post": {"Osaka": [{}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tests, _, err := parse(data)
		if err != nil {
			return
		}
		for _, test := range tests {
			for i := range test.Transaction.GasLimit {
				test.Transaction.GasLimit[i] %= 1 << 24 // what takes long is another matter
			}
			newTally().run("fuzz", test)
		}
	})
}
