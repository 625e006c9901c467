package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestAuto deploys each testdata/NAME.sol, and each example, and compares the
// report with a golden file.
func TestAuto(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/*.sol")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("fixtures: %v, %v", fixtures, err)
	}
	for _, path := range fixtures {
		name := strings.TrimSuffix(filepath.Base(path), ".sol")
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			checkAuto(t, name, testsolc.Compile(t, string(source), testsolc.Settings{}))
		})
	}
	for _, name := range []string{"crowdsale", "vault", "token"} {
		t.Run("example-"+name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("..", "..", "examples", name, "build", "head.output.json"))
			if err != nil {
				t.Fatal(err)
			}
			contracts, err := testsolc.Read(raw)
			if err != nil {
				t.Fatal(err)
			}
			checkAuto(t, "example-"+name, contracts)
		})
	}
}

func checkAuto(t *testing.T, name string, contracts []*bytecode.Contract) {
	t.Helper()
	options := world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}}
	w, report, err := world.Auto(context.Background(), bytecode.NewTable(contracts), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range w.Instances {
		if a := w.Accounts[i.Address]; a == nil || len(a.Code) == 0 {
			t.Errorf("%s has no code in the World", i.Name)
		}
	}
	for _, d := range report.Deployments {
		if len(d.Covered) == 0 {
			t.Errorf("%s: nothing covered", d.Name)
		}
	}
	golden.Check(t, "testdata/"+name+".golden", text(w, report))
}

func text(w *evm.World, r *world.Report) string {
	var b strings.Builder
	for _, d := range r.Deployments {
		kind := "contract"
		if d.Contract.Library {
			kind = "library"
		}
		fmt.Fprintf(&b, "%s %s(%s) tries %d\n", kind, d.Name, strings.Join(d.Arguments, ", "), d.Tries)
		if d.Initialization != "" {
			fmt.Fprintf(&b, "  then %s\n", d.Initialization)
		}
		for _, note := range d.Notes {
			fmt.Fprintf(&b, "  note: %s\n", note)
		}
	}
	for _, a := range r.Additions {
		fmt.Fprintf(&b, "addition %s is %s: %s\n", a.Name, a.Contract.Name, a.Origin)
		if a.Initialization != "" {
			fmt.Fprintf(&b, "  then %s\n", a.Initialization)
		}
	}
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "call %s\n", c)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "failed %s tries %d: %s\n", f.Contract.Name, f.Tries, f.Reason)
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(&b, "left out %s: %s\n", l.Contract.Name, l.Reason)
	}
	for _, i := range w.Instances {
		fmt.Fprintf(&b, "instance %s\n", i.Name)
	}
	return b.String()
}
