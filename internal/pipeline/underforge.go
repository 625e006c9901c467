package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// underForge is what forge says of a fuzz test that fails here.
type underForge struct {
	passes bool // a fault of ours
	fails  bool
	why    string // it was not run
}

// runUnderForge runs the project's fuzz tests that fail under forge, where it is at hand, with
// the arguments of the findings. Those that say nothing are left out.
func (r *run) runUnderForge(ctx context.Context, findings []*fuzzer.Finding, base map[*fuzzer.Finding]compare.Result) map[*fuzzer.Finding]underForge {
	said := map[*fuzzer.Finding]underForge{}
	tests := map[string]*forgeTests{} // by the folder of the project
	var folders []string
	for _, f := range findings {
		if f.Oracle != oracle.FailingTest || f.NeverPassed && base[f].Is != report.Introduced {
			continue
		}
		test, err := replay.NewFuzzTestRun(r.head.Deployment.Space, f.Sequence)
		if err == nil && test.Folder() == "." {
			err = errors.New("the test is in the project's root folder, which no remapping can name")
		}
		if err != nil {
			said[f] = underForge{why: err.Error()}
			continue
		}
		folder := test.Contract.Folder
		if tests[folder] == nil {
			tests[folder] = &forgeTests{}
			folders = append(folders, folder)
		}
		tests[folder].add(f, test)
	}
	for _, folder := range folders {
		t := tests[folder]
		t.run(ctx, r, folder, said)
	}
	return said
}

// forgeTests are the tests of one project.
type forgeTests struct {
	findings []*fuzzer.Finding
	runs     []*replay.FuzzTestRun
}

func (t *forgeTests) add(f *fuzzer.Finding, test *replay.FuzzTestRun) {
	t.findings, t.runs = append(t.findings, f), append(t.runs, test)
}

// testID names the test of a finding.
func testID(i int) string { return fmt.Sprintf("SL_%d", i+1) }

func (t *forgeTests) run(ctx context.Context, r *run, folder string, said map[*fuzzer.Finding]underForge) {
	sources := map[string]string{}
	var imports []string
	for i, test := range t.runs {
		from := test.Folder()
		if !slices.Contains(imports, from) {
			imports = append(imports, from)
		}
		sources[testID(i)+".t.sol"] = test.Source(testID(i), path.Join(change.ForgeImports, from), "A finding.")
	}
	results, err := r.change.RunForgeTests(ctx, folder, sources, imports, func(command string) {
		r.o.Log.Line("forge   running %s for what fails here: %s", human.Plural(len(t.runs), "fuzz test"), command)
	})
	for i, f := range t.findings {
		contract, function := t.runs[i].Names(testID(i))
		result, ran := results[contract][function+"()"]
		setUp, failed := results[contract]["setUp()"]
		switch {
		case err != nil:
			said[f] = underForge{why: human.OneLine(err)}
		case ran && result.Status == "Success":
			said[f] = underForge{passes: true}
		case ran && result.Status == "Failure":
			said[f] = underForge{fails: true}
		case failed:
			said[f] = underForge{why: "setUp() fails there: " + setUp.Reason}
		default:
			said[f] = underForge{why: "forge does not run it"}
		}
	}
}

// passesUnderForge adds a fault if a fuzz test that fails here passes under forge, and reports
// whether it did.
func (d *describer) passesUnderForge(f *fuzzer.Finding) bool {
	if !d.with.forge[f].passes {
		return false
	}
	test := f.Sequence[len(f.Sequence)-1].Function
	d.report.Faults = append(d.report.Faults, report.Fault{
		Message: fmt.Sprintf("the fuzz test %s of %s fails here, but passes under forge with the same arguments: not reported", test.Signature, f.Contract),
		Input:   input.Format(d.head.Space, f.Sequence),
	})
	return true
}
