package layering

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/sightline-evm/sightline"

// everything stands for all packages of the module.
const everything = "*"

// allowances lists for each package, from the top down, which packages of the module
// it may import itself. What it gets through them is bounded by their own lines.
// docs/architecture.md has the picture.
//
// A new package gets a line here, under the lowest layer that its job allows.
var allowances = map[string][]string{
	// Flags to options, one call, an exit code.
	"cmd/sightline": {"diffmap", "diffmap/unified", "examples", "report", "internal/action", "internal/atomicfile", "internal/bytecode", "internal/config", "internal/exit", "internal/files",
		"internal/human", "internal/doctor", "internal/heap", "internal/pipeline", "internal/pipeline/change", "internal/progress", "internal/question", "internal/replay", "internal/secrets", "internal/setup", "internal/watch"},

	// The server of the live exchange, a program of its own: what the workers run does not have it.
	"cmd/sightline-hub": {"internal/exchange", "internal/exit", "internal/files", "internal/human", "internal/hub"},
	"internal/hub":      {"internal/exchange", "internal/exit"},

	// What a run would find: the machine, the history, compilers, rights.
	"internal/doctor": {"internal/setup", "internal/config", "internal/pipeline/change", "internal/workflowfile", "report/github", "diffmap/git", "diffmap/solidity",
		"diffmap/compile/child", "diffmap/compile/settings", "diffmap/compile/solc", "diffmap/compile/sources",
		"internal/atomicfile", "internal/exit", "internal/files", "internal/human", "internal/progress"},
	// The first minutes: a configuration and a workflow, written and checked.
	"internal/setup": {"internal/config", "internal/pipeline", "internal/pipeline/change", "internal/workflowfile", "docs/workflows", "report", "diffmap/git", "diffmap/solidity",
		"diffmap/compile/project", "diffmap/compile/settings", "diffmap/compile/solc",
		"internal/atomicfile", "internal/exit", "internal/files", "internal/human", "internal/progress"},

	// When sources are saved.
	"internal/watch": {},

	// The edge of the GitHub Action.
	"internal/action": {"internal/config", "internal/pipeline", "internal/pipeline/change", "internal/plan", "internal/seal", "internal/shard", "report", "report/github", "fuzzer", "internal/exit",
		"internal/files", "internal/human", "internal/progress", "diffmap/git", "diffmap/unified"},
	// A folder as one file that only who knows a secret can read.
	"internal/seal": {"internal/atomicfile", "internal/files"},
	// Settings of a run, as flags, files and inputs have them.
	"internal/config": {"internal/exchange", "internal/pipeline", "internal/pipeline/change", "internal/pipeline/deploy", "internal/plan", "internal/seeds", "internal/worldfile", "report",
		"fuzzer", "fuzzer/evm", "fuzzer/input", "fuzzer/oracle", "fuzzer/world", "fuzzer/world/chain", "internal/atomicfile", "internal/exit", "internal/files", "internal/human", "internal/progress"},

	// The job, on one page, and its parts.
	"internal/pipeline": {"internal/exchange", "internal/pipeline/change", "internal/pipeline/compare", "internal/pipeline/deploy", "internal/pipeline/upgrade",
		"internal/plan", "internal/seeds", "internal/shard", "internal/worldfile", "internal/replay", "report", "diffmap", "diffmap/compile", "fuzzer", "fuzzer/evm", "fuzzer/input", "fuzzer/mine", "fuzzer/oracle", "fuzzer/world",
		"internal/abi", "internal/bytecode", "internal/exit", "internal/human", "internal/progress"},
	"internal/pipeline/compare": {"internal/pipeline/change", "internal/pipeline/compare/laws", "internal/pipeline/deploy", "internal/replay", "report", "diffmap", "diffmap/compile", "diffmap/solidity", "fuzzer",
		"fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/input", "fuzzer/mine", "fuzzer/oracle", "fuzzer/world", "internal/abi", "internal/atomicfile", "internal/bytecode", "internal/files", "internal/human", "internal/progress"},
	// What standards of tokens say of a call.
	"internal/pipeline/compare/laws": {"fuzzer/evm", "fuzzer/world", "internal/bytecode"},
	"internal/pipeline/upgrade": {"internal/pipeline/change", "internal/pipeline/deploy", "internal/replay", "report", "diffmap", "diffmap/compile",
		"diffmap/layout", "diffmap/unified", "fuzzer/evm", "fuzzer/world", "internal/bytecode", "internal/human", "internal/progress"},
	"internal/worldfile": {"internal/pipeline/deploy", "fuzzer/evm", "fuzzer/world", "internal/human"},
	"internal/pipeline/deploy": {"internal/pipeline/change", "diffmap", "diffmap/compile", "diffmap/compile/project", "diffmap/compile/settings",
		"fuzzer/evm", "fuzzer/evm/gethvm", "fuzzer/evm/interp", "fuzzer/input", "fuzzer/world", "fuzzer/world/chain", "fuzzer/world/recorder",
		"internal/bytecode", "internal/exit",
		"internal/files", "internal/human", "internal/progress"},
	"internal/pipeline/change": {"report", "report/lcov", "diffmap", "diffmap/compile", "diffmap/compile/project", "diffmap/compile/reading",
		"diffmap/compile/settings", "diffmap/compile/solc", "diffmap/compile/sources", "diffmap/git", "diffmap/harness", "diffmap/mutant", "diffmap/solidity", "diffmap/unified", "fuzzer/world", "examples", "internal/bytecode",
		"internal/exit", "internal/files", "internal/human", "internal/progress"},

	// The measured comparisons: programs that take the product apart as they need.
	"bench/all":                   {"bench/internal/harness"},
	"bench/audit":                 {everything},
	"bench/differential":          {everything},
	"bench/forge":                 {everything},
	"bench/guards":                {everything},
	"bench/hour":                  {everything},
	"bench/exchange":              {everything},
	"bench/internal/fleet":        {"internal/config", "internal/pipeline", "internal/progress", "internal/shard", "report"},
	"bench/internal/timetotarget": {"diffmap", "diffmap/compile", "fuzzer", "fuzzer/evm", "fuzzer/lookahead", "internal/pipeline/deploy"},
	"bench/internal/corpus": {"bench/internal/harness", "examples", "diffmap/compile", "diffmap/compile/project", "diffmap/compile/reading",
		"diffmap/compile/solc"},
	"bench/internal/clones":    {"bench/internal/forge"},
	"bench/internal/forge":     {"bench/internal/harness", "internal/soljson", "report/lcov"},
	"bench/internal/harness":   {},
	"bench/internal/maze":      {},
	"bench/internal/published": {"bench/internal/harness"},
	"bench/internal/solgen":    {},
	"bench/history":            {everything},
	"bench/linemap":            {everything},
	"bench/lookahead":          {everything},
	"bench/machine":            {everything},
	"bench/mapping":            {everything},
	"bench/mazes":              {everything},
	"bench/packages":           {everything},
	"bench/selfcheck":          {everything},
	"bench/setups":             {everything},
	"bench/soundness":          {everything},
	"bench/papers":             {everything},
	"bench/pairs":              {everything},
	"bench/statetests":         {everything},
	"bench/scale":              {everything},
	"bench/targets":            {everything},
	"bench/techniques":         {everything},

	// The published workflows, carried out: a program of the repository's, not of the product.
	"hack/walk": {"internal/soljson", "internal/testing/fakegithub"},

	// What is run again, and shown: it knows no project.
	"internal/replay": {"report", "fuzzer", "fuzzer/attacker", "fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/evm/gethvm", "fuzzer/evm/interp", "fuzzer/input", "fuzzer/mine", "fuzzer/oracle", "fuzzer/world",
		"internal/atomicfile", "internal/bytecode", "internal/exit", "internal/files", "internal/human"},

	// Inputs to and from campaigns on other machines: the client of a hub.
	"internal/exchange": {"fuzzer", "fuzzer/input", "internal/bytecode", "internal/files"},
	// A campaign as one file, for machines without the project.
	// Several machines: what each leaves, and what all say together.
	"internal/shard": {"fuzzer", "fuzzer/evm", "fuzzer/input", "fuzzer/oracle", "internal/atomicfile", "internal/bytecode", "internal/exit", "internal/files", "internal/human"},
	"internal/plan":  {"internal/replay", "fuzzer", "fuzzer/evm", "fuzzer/input", "internal/atomicfile", "internal/bytecode", "internal/files", "internal/human"},

	// What other fuzzers saved, as sequences.
	"internal/seeds": {"fuzzer/input", "internal/abi", "internal/bytecode", "internal/files", "internal/human"},

	// Questions to the lookahead analysis, outside of a campaign.
	"internal/question": {"fuzzer/evm", "fuzzer/evm/gethvm", "fuzzer/lookahead", "fuzzer/world", "internal/bytecode", "internal/exit", "internal/files"},

	"report":        {"report/lcov", "report/page", "report/sarif", "internal/human", "internal/exit"},
	"report/github": {"internal/exit", "internal/gitrepo"},
	// The page in a browser: a frame, a script and a style, for whatever data.
	"report/page":  {},
	"report/sarif": {},
	// Which lines were executed, as the tools for coverage have it.
	"report/lcov": {"internal/human"},

	"fuzzer":       {"fuzzer/attacker", "internal/abi", "fuzzer/input", "fuzzer/oracle", "fuzzer/evm", "fuzzer/lookahead", "internal/bytecode", "internal/atomicfile", "internal/files"},
	"fuzzer/input": {"fuzzer/attacker", "fuzzer/evm", "internal/abi", "internal/bytecode", "internal/signature"},
	// What a World keeps in every call, found in executions alone.
	"fuzzer/mine":     {"fuzzer/evm", "fuzzer/input", "internal/bytecode"},
	"fuzzer/oracle":   {"fuzzer/attacker", "fuzzer/evm", "fuzzer/evm/cheatcode", "internal/bytecode", "internal/signature"},
	"fuzzer/attacker": {"fuzzer/evm", "internal/abi", "internal/bytecode"},
	"fuzzer/world":    {"fuzzer/attacker", "internal/abi", "fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/evm/gethvm", "internal/bytecode", "internal/jsontext"},
	// A live chain's state, through JSON-RPC.
	"fuzzer/world/chain": {"fuzzer/evm", "internal/atomicfile"},
	// A chain for deploy scripts.
	"fuzzer/world/recorder": {"fuzzer/evm", "fuzzer/evm/gethvm", "internal/bytecode"},
	// The two machines, which share no code for the state: see forbidden, too.
	"fuzzer/evm/gethvm": {"fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/evm/internal/cheats", "fuzzer/evm/internal/forks",
		"fuzzer/evm/internal/record", "fuzzer/evm/internal/source", "fuzzer/evm/internal/taint", "internal/bytecode"},
	"fuzzer/evm/interp": {"fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/evm/internal/cheats", "fuzzer/evm/internal/forks",
		"fuzzer/evm/internal/record", "fuzzer/evm/internal/source", "internal/bytecode", "internal/signature"},
	// What both need and is not state.
	"fuzzer/evm/internal/cheats": {"fuzzer/evm", "fuzzer/evm/cheatcode", "fuzzer/evm/internal/record"},
	"fuzzer/evm/internal/record": {"fuzzer/evm", "internal/bytecode"},
	"fuzzer/evm/internal/source": {"fuzzer/evm"},
	// Where values come from and go to: what the reference machine alone can tell.
	"fuzzer/evm/internal/taint": {"fuzzer/evm", "fuzzer/evm/internal/record"},
	// What a machine takes and yields.
	"fuzzer/evm":                {"fuzzer/evm/cheatcode", "fuzzer/evm/internal/forks", "internal/abi", "internal/bytecode"},
	"fuzzer/evm/internal/forks": {},
	// What cheatcodes do, for any machine.
	"fuzzer/evm/cheatcode": {"internal/abi"},
	"fuzzer/evm/evmtest":   {"fuzzer/evm"},
	"fuzzer/lookahead":     {"internal/bytecode"}, // code in, verdict out: no EVM state

	"diffmap":         {"diffmap/compile", "diffmap/compile/solc", "diffmap/solidity", "diffmap/unified", "internal/bytecode"},
	"diffmap/harness": {"diffmap/compile", "diffmap/compile/solc"},
	"diffmap/mutant":  {"diffmap/compile", "diffmap/compile/reading", "diffmap/compile/solc", "diffmap/solidity"},
	// Builds: a project's, made of the model of one, which compilers make of sources.
	"diffmap/compile/project": {"diffmap/compile", "diffmap/compile/child", "diffmap/compile/reading", "diffmap/compile/settings",
		"diffmap/compile/solc", "diffmap/compile/sources", "diffmap/solidity", "internal/exit"},
	"diffmap/compile": {"diffmap/compile/reading", "diffmap/compile/settings", "diffmap/compile/solc", "diffmap/compile/sources", "diffmap/solidity",
		"internal/atomicfile", "internal/bytecode", "internal/jsontext"},
	"diffmap/compile/sources": {"diffmap/compile/reading", "diffmap/compile/settings", "diffmap/compile/solc"},
	"diffmap/compile/solc":    {"diffmap/compile/child", "diffmap/compile/reading", "diffmap/compile/settings", "internal/atomicfile", "internal/programfile"},
	// What foundry.toml and the other tools' files say.
	"diffmap/compile/settings": {"diffmap/compile/reading"},
	"diffmap/compile/child":    {"diffmap/compile/reading"},
	"diffmap/compile/reading":  {"internal/exit"},
	"internal/jsontext":        {},
	// The text of diffs: neither git nor compilers.
	"diffmap/unified":  {"diffmap/solidity"},
	"diffmap/git":      {"diffmap/unified", "internal/gitrepo"},
	"diffmap/solidity": {},
	// Where contracts keep their state, and what an upgrade makes of it.
	"diffmap/layout": {"diffmap/compile"},

	"docs/workflows":        {},
	"internal/workflowfile": {"internal/human"},
	"examples":              {},
	"internal/abi":          {},
	"internal/exit":         {},
	"internal/secrets":      {},
	"internal/signature":    {},
	"internal/files":        {},
	"internal/gitrepo":      {"internal/files"},
	"internal/heap":         {},
	"internal/human":        {},
	"internal/progress":     {},
	"internal/bytecode":     {},
	// Diffs and folders for tests.
	"internal/testing/testdiff":  {"diffmap/unified"},
	"internal/testing/testfiles": {},
	"internal/testing/golden":    {},
	"internal/testing/long":      {},
	"internal/testing/testcache": {},
	// What GitHub asks of SARIF, for tests.
	"internal/testing/checksarif": {"report/sarif"},
	// A chain for tests.
	"internal/testing/fakechain": {"fuzzer/evm"},
	// A GitHub for tests: it knows the API's description and git, not who calls.
	"internal/testing/fakegithub": {},
	"internal/layering":           {},
	"internal/soljson":            {"internal/programfile"},
	"internal/soljson/standin":    {"internal/soljson"}, // in the place of node, for tests
	"internal/atomicfile":         {},
	"internal/programfile":        {},
	"internal/workflows":          {},
	"internal/testing/testsolc":   {"internal/bytecode", "internal/soljson", "internal/testing/testcache"},
	"internal/testing/testforge":  {"internal/soljson", "internal/testing/testsolc"},
	// Above all that is tested with it; only external test packages can use it.
	"internal/testing/testbuild": {"diffmap", "diffmap/compile", "diffmap/compile/reading", "diffmap/compile/solc", "internal/bytecode", "internal/soljson", "internal/testing/testcache"},
}

// testOnly are packages that nothing but tests imports, and each other.
var testOnly = []string{"internal/testing/golden", "internal/testing/long", "internal/testing/testcache", "internal/testing/testdiff", "internal/testing/testfiles", "internal/testing/testsolc", "internal/testing/testforge", "internal/testing/testbuild", "internal/testing/checksarif", "internal/testing/fakegithub", "internal/layering", "internal/workflows"}

// likeTests are programs that carry out what tests do, and take too long for ./test.
var likeTests = []string{"hack/walk", "bench/hour"}

// listed is what this test needs of go list's answer.
type listed struct {
	ImportPath string
	Imports    []string // of the package, tests apart
	Deps       []string // all of them, indirect ones too
}

// list asks the go command for every package of the module.
func list(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		if name, ours := within(p.ImportPath); ours {
			packages[name] = p
		}
	}
}

// within is an import path relative to the module; false for others' packages.
func within(path string) (string, bool) { return strings.CutPrefix(path, module+"/") }

// TestImportsGoDown holds the table: every package has its line, and imports
// nothing that the line does not allow.
func TestImportsGoDown(t *testing.T) {
	packages := list(t)
	if len(packages) == 0 {
		t.Fatal("go list names no package of the module")
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		allowed, known := allowances[name]
		if !known {
			t.Errorf("%s has no line: add it to the table of this test and to docs/architecture.md", name)
			continue
		}
		for _, path := range packages[name].Imports {
			imported, ours := within(path)
			if !ours {
				continue
			}
			switch {
			case slices.Contains(testOnly, imported) && !slices.Contains(testOnly, name) && !slices.Contains(likeTests, name):
				t.Errorf("%s imports %s, which is for tests", name, imported)
			case slices.Contains(allowed, everything) || slices.Contains(allowed, imported):
			default:
				t.Errorf("%s imports %s: imports go down only", name, imported)
			}
		}
	}
}

// TestNoAllowanceIsUnused: what no import needs any more is not allowed any more.
func TestNoAllowanceIsUnused(t *testing.T) {
	packages := list(t)
	for _, name := range slices.Sorted(maps.Keys(allowances)) {
		p, there := packages[name]
		if !there {
			t.Errorf("%s has a line, and is not a package", name)
			continue
		}
		for _, allowed := range allowances[name] {
			if allowed != everything && !slices.Contains(p.Imports, module+"/"+allowed) {
				t.Errorf("%s may import %s, and does not: remove the allowance", name, allowed)
			}
		}
	}
}

// forbidden are pairs that must not meet by any way, however the table changes.
var forbidden = map[string][]string{
	"fuzzer":           {"diffmap", "report", "internal/replay", "cmd"},
	"report":           {"diffmap", "fuzzer", "internal/bytecode", "internal/replay", "cmd"},
	"internal/replay":  {"diffmap", "cmd"},
	"diffmap":          {"fuzzer", "report", "internal/replay", "cmd"},
	"fuzzer/lookahead": {"fuzzer/evm"},
	// A fault in state code that both machines used would never show as a difference.
	"fuzzer/evm/interp":   {"fuzzer/evm/gethvm"},
	"fuzzer/evm/gethvm":   {"fuzzer/evm/interp"},
	"fuzzer/evm/internal": {"fuzzer/evm/gethvm", "fuzzer/evm/interp"},
	"internal/bytecode":   {"fuzzer", "diffmap", "report", "cmd"},
}

func TestNothingForbiddenIsImportedIndirectly(t *testing.T) {
	packages := list(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		for lower, uppers := range forbidden {
			if !isBelow(name, lower) {
				continue
			}
			for _, path := range packages[name].Deps {
				dependency, ours := within(path)
				if ours && slices.ContainsFunc(uppers, func(upper string) bool { return isBelow(dependency, upper) }) {
					t.Errorf("%s depends on %s", name, dependency)
				}
			}
		}
	}
}

// TestNoServerInTheProgram: the server of the live exchange is a program of its own, so that the one that everyone runs, and its image, do not
// have it.
func TestNoServerInTheProgram(t *testing.T) {
	const server = "github.com/nats-io/nats-server"
	packages := list(t)
	has := func(name string) bool {
		return slices.ContainsFunc(packages[name].Deps, func(path string) bool { return isBelow(path, server) })
	}
	if len(packages["cmd/sightline"].Deps) == 0 || has("cmd/sightline") {
		t.Errorf("cmd/sightline has %d dependencies, and %s is among them: %v", len(packages["cmd/sightline"].Deps), server, has("cmd/sightline"))
	}
	if !has("cmd/sightline-hub") {
		t.Errorf("cmd/sightline-hub does not depend on %s: this test looks for something else", server)
	}
}

// isBelow reports whether a package is the folder or lies in it.
func isBelow(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// TestTableHasNoCircle: a table that allowed a package and its importer to import
// each other would have no layers.
func TestTableHasNoCircle(t *testing.T) {
	state := map[string]int{} // 1: being visited, 2: done
	var visit func(name string, way []string)
	visit = func(name string, way []string) {
		way = append(way, name)
		switch state[name] {
		case 1:
			t.Fatalf("circle in the table: %s", strings.Join(way, " → "))
		case 2:
			return
		}
		state[name] = 1
		for _, lower := range allowances[name] {
			if lower == everything {
				continue
			}
			if _, known := allowances[lower]; !known {
				t.Errorf("%s may import %s, which has no line", name, lower)
			}
			visit(lower, way)
		}
		state[name] = 2
	}
	for _, name := range slices.Sorted(maps.Keys(allowances)) {
		visit(name, nil)
	}
}
