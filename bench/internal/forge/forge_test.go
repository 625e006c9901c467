package forge

import (
	"strings"
	"testing"
)

// TestReadTests reads what forge 1.7.1 writes, shortened.
func TestReadTests(t *testing.T) {
	const event = `{"timestamp":1795251538,"event":"failure","invariant":"invariant_t","target":"test/T.t.sol:C","reason":"panic: assertion failed (0x01)"}` + "\n"
	result := func(status, reason, kind string) string {
		return `{"test/T.t.sol:C":{"duration":"2s","test_results":{"f()":{"status":"` + status + `","reason":` + reason + `,"counterexample":null,"kind":` + kind +
			`,"duration":"1s 500ms 86µs 279ns"}},"warnings":[]}}` + "\n"
	}
	const invariant = `{"Invariant":{"runs":2,"calls":1000,"reverts":3,"metrics":{}}}`
	tests := []struct {
		name, text string
		want       TestRun
		err        string
	}{
		{"invariant holds", result("Success", "null", invariant), TestRun{Calls: 1000, Seconds: 1.500086279}, ""},
		{"compiled first", "Compiling 8 files\n" + result("Success", "null", invariant), TestRun{Calls: 1000, Seconds: 1.500086279}, ""},
		{"an assert fails", event + result("Failure", `"panic: assertion failed (0x01)"`, invariant), TestRun{Calls: 1000, Seconds: 1.500086279, Broken: true}, ""},
		{"stateless", result("Success", "null", `{"Fuzz":{"runs":77,"mean_gas":1}}`), TestRun{Calls: 77, Seconds: 1.500086279}, ""},
		{"another failure", result("Failure", `"setUp failed"`, invariant), TestRun{}, "setUp failed"},
		{"no tests", event, TestRun{}, "ran no test"},
		{"nothing", "Error: Compilation failed", TestRun{}, "no JSON"},
		{"cut off", result("Success", "null", invariant)[:90], TestRun{}, "forge's JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readTests([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || *got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}
