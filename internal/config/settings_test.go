package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/worldfile"
)

// registered are settings with all groups.
func registered() *Settings {
	s := New(pflag.NewFlagSet("", pflag.ContinueOnError))
	s.RegisterAll()
	return s
}

func TestApplyConfig(t *testing.T) {
	for name, test := range map[string]struct {
		config, args, want, err string
	}{
		"empty":            {"", "", "timeout=120 fail-on=high build=[]", ""},
		"comments only":    {"# nothing\n", "", "timeout=120 fail-on=high build=[]", ""},
		"file":             {"timeout: 300\nfail-on: medium\n", "", "timeout=300 fail-on=medium build=[]", ""},
		"with a unit":      {"timeout: 5m\n", "", "timeout=300 fail-on=high build=[]", ""},
		"flags over file":  {"timeout: 300\n", "--timeout=5", "timeout=5 fail-on=high build=[]", ""},
		"list":             {"build: [a.json, b.json]\n", "", "timeout=120 fail-on=high build=[a.json,b.json]", ""},
		"list of one":      {"build: a.json\n", "", "timeout=120 fail-on=high build=[a.json]", ""},
		"unknown":          {"\ntimout: 5\n", "", "", `line 2: unknown key "timout"; the nearest known key is "timeout"`},
		"not configurable": {"out: elsewhere\n", "", "", `line 1: "out" belongs on the command line, not in the configuration`},
		"twice":            {"seed: 1\nseed: 2\n", "", "", "twice"},
		"wrong type":       {"timeout: soon\n", "", "", `line 1: timeout "soon": want seconds (90) or a duration with its unit (90s, 5m)`},
		"null":             {"timeout:\n", "", "", "line 1: timeout: want seconds"},
		"nested":           {"timeout: {seconds: 5}\n", "", "", "line 1: timeout: want seconds"},
		"no mapping":       {"- timeout\n", "", "", "line 1: want settings as `key: value`"},
		"no YAML":          {"a: [\n", "", "", "not valid YAML"},
		"alias":            {"seed: &a 1\nworkers: *a\n", "", "", "line 2: workers: want an integer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := registered()
			if err := s.flags.Parse(strings.Fields(test.args)); err != nil {
				t.Fatal(err)
			}
			err := s.Apply("sightline.yml", []byte(test.config))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("timeout=%s fail-on=%s build=%s", s.Value("timeout"), s.Value("fail-on"), s.Value("build")); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A command without a flag accepts the key of another's.
func TestConfigOfOtherCommands(t *testing.T) {
	s := New(pflag.NewFlagSet("map", pflag.ContinueOnError))
	s.RegisterChange()
	if err := s.Apply("sightline.yml", []byte("timeout: 300\nbase: main\n")); err != nil {
		t.Fatal(err)
	}
	if got := s.Value("base"); got != "main" {
		t.Errorf("base is %q", got)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("timeout: 300\nbuild: [a, b]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if len(data) <= MaxFile {
			_ = registered().Apply("sightline.yml", data)
		}
	})
}

// docs/configuration.md lists the flags as the program has them.
func TestConfigurationDocument(t *testing.T) {
	const path = "../../docs/configuration.md"
	for name, register := range map[string]func(*Settings){
		"project": (*Settings).RegisterChange, "campaign": (*Settings).RegisterCampaign, "output": (*Settings).RegisterOutput, "exchange": (*Settings).RegisterExchange,
		"shard": (*Settings).RegisterShard, "merge": (*Settings).registerShards,
	} {
		s := New(pflag.NewFlagSet(name, pflag.ContinueOnError))
		s.flags.SortFlags = false
		register(s)
		golden.Section(t, path, "flags: "+name, flagTable(s.flags))
	}
	golden.Section(t, path, "plan", planTable())
}

// planTable lists what describes the World, with examples. Each example can be read.
func planTable() string {
	var b strings.Builder
	for _, s := range worldfile.Settings {
		fmt.Fprintf(&b, "`%s`: %s.\n\n```yaml\n%s```\n\n", s.Key, s.Help, s.Example)
	}
	return b.String()
}

// TestPlanExamples reads the examples of the documentation.
func TestPlanExamples(t *testing.T) {
	for _, s := range worldfile.Settings {
		if err := registered().Apply("sightline.yml", []byte(s.Example)); err != nil {
			t.Errorf("%s: %v", s.Key, err)
		}
	}
}

// flagTable writes flags as a Markdown table.
func flagTable(flags *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("| flag | key in sightline.yml | default | meaning |\n| --- | --- | --- | --- |\n")
	keys := Keys(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		argument, usage := pflag.UnquoteUsage(f)
		key := ""
		for _, k := range keys {
			if k == f.Name {
				key = "`" + k + "`"
			}
		}
		value := f.DefValue
		if f.Name == "workers" {
			value = "all cores" // the machine's, which the document must not depend on
		}
		if value == "[]" || value == "" {
			value = "none"
		}
		flag := strings.TrimSpace("--" + f.Name + " " + argument)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", flag, key, value, strings.ReplaceAll(usage, "|", `\|`))
	})
	return b.String()
}

// docs/configuration.md says for every technique what is disabled without it.
func TestTechniquesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "| technique |")
	var named []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(section, -1) {
		named = append(named, m[1])
	}
	if want := fuzzer.TechniqueNames(); !slices.Equal(named, want) {
		t.Errorf("docs/configuration.md names %q, want %q", named, want)
	}
}

// If no length is set, the campaign chooses it.
func TestSequenceLength(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{{nil, 0}, {[]string{"--seq-len", "8"}, 8}, {[]string{"--seq-len", "20"}, 20}} {
		s := New(pflag.NewFlagSet("run", pflag.ContinueOnError))
		s.RegisterCampaign()
		if err := s.flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		o, err := s.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Campaign.SeqLen; got != c.want {
			t.Errorf("%q: %d, want %d", c.args, got, c.want)
		}
	}
}
