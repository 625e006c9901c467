package pipeline

import (
	"bytes"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// noTime is a clock that stands still, so that no result holds a time.
func noTime() time.Time { return time.Unix(1_750_000_000, 0) }

// configured is a run up to its campaign.
func configured(t *testing.T, o *Options) *run {
	t.Helper()
	o.Campaign.Workers, o.Campaign.Schedule = 1, fuzzer.Lookahead.Name
	o.Now, o.Log = noTime, progress.NewLog(io.Discard, noTime)
	c, err := change.Read(t.Context(), o.Reading(), o.Log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.StopCompiling)
	r := begin(o, c)
	head, recipe, err := deploy.Head(t.Context(), c, &o.World, o.Log)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.deployed(head, recipe); err != nil {
		t.Fatal(err)
	}
	if err := r.configure(); err != nil {
		t.Fatal(err)
	}
	return r
}

func packedPlan(t *testing.T, r *run) *plan.Packed {
	t.Helper()
	p, err := r.plan()
	if err != nil {
		t.Fatal(err)
	}
	packed, err := p.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// sameCampaign checks that a plan which was written and read gives the campaign that the run itself makes.
func sameCampaign(t *testing.T, r *run) *plan.Packed {
	t.Helper()
	packed := packedPlan(t, r)
	p, _, err := plan.Read(packed.Data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Pack()
	if err != nil || !bytes.Equal(again.Data, packed.Data) {
		t.Errorf("the plan that was read is another one (%v)", err)
	}
	c, err := campaignOf(p)
	if err != nil {
		t.Fatal(err)
	}
	c.Now = noTime
	got, err := (&fuzzer.Campaign{Config: *c}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got.Notes = slices.Concat(p.Notes, got.Notes)
	want, err := (&fuzzer.Campaign{Config: r.config}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want.Stats.Executions == 0 {
		t.Error("the campaign ran nothing")
	}
	for _, result := range []*fuzzer.Result{got, want} { // an oracle has functions, which cannot be compared
		for _, f := range result.Findings {
			f.Oracle = &oracle.Oracle{ID: f.Oracle.ID, Title: f.Oracle.Title, Severity: f.Oracle.Severity}
		}
	}
	for i := range c.World.Instances { // the spaces in an ABI are not kept
		if contract := c.World.Instances[i].Contract; contract != nil {
			contract.RawABI = r.config.World.Instances[i].Contract.RawABI
		}
	}
	v, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range v.NumField() {
		if a, b := v.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs from that of the campaign without a plan:\n%+v\nwant\n%+v", v.Type().Field(i).Name, a, b)
		}
	}
	return packed
}

// TestPlanOfExamples: each example's campaign is the same from a plan, and the plan has the same bytes when it is made again.
func TestPlanOfExamples(t *testing.T) {
	for _, name := range examples.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := func() *Options {
				return &Options{Change: change.Options{Example: name}, Campaign: Campaign{Calls: 20_000, Seed: 3}}
			}
			packed := sameCampaign(t, configured(t, options()))
			if again := packedPlan(t, configured(t, options())); !bytes.Equal(again.Data, packed.Data) {
				t.Error("the plan that was made again is another one")
			}
		})
	}
}

// TestPlanOfSeeds: saved inputs and those of others are in the plan, with what was said of those that do not fit.
func TestPlanOfSeeds(t *testing.T) {
	dir := t.TempDir()
	options := func() *Options {
		return &Options{Change: change.Options{Example: "vault"}, Campaign: Campaign{Calls: 20_000, CorpusDir: dir}}
	}
	first := configured(t, options())
	result, err := (&fuzzer.Campaign{Config: first.config}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(dir, "0000.seq"), "sightline-sequence v1\nuser1 Gone.f()\n")
	r := configured(t, options())
	r.config.Given = fitting(r.config.Space, textsOf(first.config.Space, result.Suite[:20]))
	p, err := r.plan()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Config.Saved) < 9 || len(p.Config.Given) < 9 || len(p.Notes) == 0 {
		t.Errorf("%d saved inputs, %d given, notes %q", len(p.Config.Saved), len(p.Config.Given), p.Notes)
	}
	sameCampaign(t, r)
}

// TestPlanWithholds: what an earlier run found is among the seeds, but not where others may read the plan and it may not be said.
func TestPlanWithholds(t *testing.T) {
	history := filepath.Join(t.TempDir(), "findings.json")
	testfiles.Write(t, history, `{"version":1,"findings":[{"id":"SL-ab12","oracle":"assertion","contract":"src/Vault.sol:Vault","function":"deposit","title":"x","since":"sources",
		"sequence":["sightline-sequence v1","user1 Vault.deposit() value 7"]}]}`)
	for only, want := range map[bool]int{false: 1, true: 0} {
		r := configured(t, &Options{Change: change.Options{Example: "vault"}, Campaign: Campaign{Calls: 100}, Output: Output{History: history, OnlyIntroduced: only}})
		p, err := r.plan()
		if err != nil {
			t.Fatal(err)
		}
		if len(r.config.Seeds) != 1 || len(p.Config.Seeds) != want {
			t.Errorf("only what was introduced %v: %d seeds of %d, want %d", only, len(p.Config.Seeds), len(r.config.Seeds), want)
		}
	}
}

// TestPlanOfProjects: so it is with everything that a plan has to hold: tests that make the World, fuzz tests with Worlds of their own,
// properties, constructors, harnesses, mocks, private keys, audits.
func TestPlanOfProjects(t *testing.T) {
	useCompilers(t)
	names := []string{
		"liveness-constructor", "intent-fuzz-test", "intent-keeper-test", "intent-harvest", "intent-factory", "honest-property", "compare-constructor-parameter", "harness-library", "harness-test-exposes",
		"guard-lost-signature", "loss-audit", "oracle-panics", "conservation-4626-deposit", "oracle-slot-stepped", "readonly-hook",
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "verdicts", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			v, dir := readVerdict(t, archive), t.TempDir()
			o := &Options{Campaign: Campaign{Calls: 2_000, Seed: v.seed, Panics: v.panics, Oracles: v.oracles, Without: v.without}, Change: v.builds(t, dir)}
			sameCampaign(t, configured(t, o))
		})
	}
}
