package settings

import (
	"bytes"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Difference is how the base's version of a configuration file builds something else than
// the head's.
type Difference struct {
	// Unknown is set where something differs that is not in the other fields.
	Unknown bool
	// Names are the settings that differ, as the file calls them, sorted.
	Names []string
	// Solc is the compiler that the base's version names; empty where it names none, or the
	// same as the head's.
	Solc string
	// Standard holds the base's values of what differs among the settings of standard JSON, by
	// keys with dots ("optimizer.runs"); nil where the base's version does not set it.
	Standard map[string]any
	// Removed and Added are remappings that the base's version has not, and has.
	Removed, Added []string
	// Packages are the installed packages of which the base has, or may have, other contents,
	// sorted. That matters where sources import them.
	Packages []string
}

// Any reports whether there is any.
func (d *Difference) Any() bool { return d.Unknown || len(d.Names)+len(d.Packages) > 0 }

// Compare compares two versions of a configuration or lock file, given by its name. What it
// does not understand is Unknown: of JavaScript, all but comments, the keys of [apart] and
// the literals of [scripted].
func Compare(file string, base, head []byte, getenv func(string) string) Difference {
	switch name := path.Base(file); {
	case bytes.Equal(base, head):
		return Difference{}
	case name == FoundryFile:
		return compareFoundry(base, head, getenv)
	case name == "remappings.txt":
		d := Difference{}
		d.remap(strings.Fields(string(base)), strings.Fields(string(head)))
		return d
	case lockFiles[name] != nil:
		changed, ok := comparePackages(name, base, head)
		return Difference{Unknown: !ok, Packages: changed}
	case strings.HasPrefix(name, "hardhat.config.") || name == "truffle-config.js" || name == "truffle.js":
		return compareScripts(script(base), script(head))
	}
	return Difference{Unknown: true}
}

// foundryApart are the tables and keys of foundry.toml that decide nothing about how contracts
// are compiled: those of tests, scripts, chains, of where output goes and of what is printed
// (Foundry's configuration reference). What is not listed counts.
var foundryApart = []string{
	"fuzz", "invariant", "fmt", "lint", "doc", "rpc_endpoints", "etherscan", "bind_json", "coverage", "labels",
	"verbosity", "gas_reports", "gas_reports_ignore", "gas_reports_include_tests", "gas_limit", "gas_price",
	"block_base_fee_per_gas", "block_coinbase", "block_difficulty", "block_gas_limit", "block_number", "block_prevrandao",
	"block_timestamp", "chain_id", "sender", "tx_origin", "initial_balance", "memory_limit", "disable_block_gas_limit",
	"fs_permissions", "ffi", "allow_internal_expect_revert", "always_use_create_2_factory", "prompt_timeout",
	"eth_rpc_url", "eth_rpc_jwt", "eth_rpc_timeout", "eth_rpc_headers", "etherscan_api_key", "no_storage_caching",
	"no_rpc_rate_limit", "rpc_storage_caching", "fork_block_number", "isolate", "show_progress", "threads",
	"ignored_error_codes", "ignored_warnings_from", "deny_warnings", "deny", "names", "sizes", "ast", "extra_output",
	"extra_output_files", "build_info", "cache", "cache_path", "force", "offline",
	"match_test", "no_match_test", "match_contract", "no_match_contract", "match_path", "no_match_path",
	"no_match_coverage", "test_failures_file", "unchecked_cheatcode_artifacts", "assertions_revert", "legacy_assertions",
	"out", "test", "script", "build_info_path", "dynamic_test_linking", "soldeer",
	"broadcast", "script_execution_protection", "mutation_dir", "snapshots", "gas_snapshot_check", "gas_snapshot_emit",
}

// foundryStandard are the keys of standard JSON's settings that profiles set.
var foundryStandard = map[string]string{
	"optimizer": "optimizer.enabled", "optimizer_runs": "optimizer.runs", "via_ir": "viaIR", "evm_version": "evmVersion",
	"bytecode_hash": "metadata.bytecodeHash", "cbor_metadata": "metadata.appendCBOR",
	"use_literal_content": "metadata.useLiteralContent",
}

func compareFoundry(base, head []byte, getenv func(string) string) Difference {
	old, err := parseTOML(base)
	if err != nil {
		return Difference{Unknown: true}
	}
	now, err := parseTOML(head)
	if err != nil {
		return Difference{Unknown: true}
	}
	d := Difference{}
	for key := range differing(old, now) {
		switch {
		case key == "dependencies": // soldeer's
			d.Packages = slices.Sorted(maps.Keys(differing(old.sub(key), now.sub(key))))
		case key != "profile" && !slices.Contains(foundryApart, key):
			d.Unknown = true
		}
	}
	before, after := profileOf(old, getenv), profileOf(now, getenv)
	for key := range differing(before, after) {
		standard := foundryStandard[key]
		switch {
		case slices.Contains(foundryApart, key):
			continue
		case key == "remappings":
			d.remap(before.texts(key), after.texts(key))
			continue
		case standard != "":
			if d.Standard == nil {
				d.Standard = map[string]any{}
			}
			d.Standard[standard] = before[key]
		case (key == "solc" || key == "solc_version") && version.MatchString(text(before[key])):
			d.Solc = text(before[key])
		default:
			d.Unknown = true
		}
		d.Names = append(d.Names, key)
	}
	slices.Sort(d.Names)
	return d
}

// version matches a compiler that is named by its version alone.
var version = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

func text(value any) string {
	s, _ := value.(string)
	return s
}

// profileOf are the settings of the profiles that apply.
func profileOf(file table, getenv func(string) string) table {
	profile := table{}
	for _, name := range profileNames(getenv) {
		maps.Copy(profile, file.sub("profile", name))
	}
	return profile
}

// differing holds the keys whose values differ.
func differing(a, b table) map[string]bool {
	keys := map[string]bool{}
	for key, value := range a {
		if other, ok := b[key]; !ok || !reflect.DeepEqual(value, other) {
			keys[key] = true
		}
	}
	for key := range b {
		if _, ok := a[key]; !ok {
			keys[key] = true
		}
	}
	return keys
}

// remap notes remappings that differ, in whatever order.
func (d *Difference) remap(base, head []string) {
	for _, r := range head {
		if !slices.Contains(base, r) {
			d.Removed = append(d.Removed, r)
		}
	}
	for _, r := range base {
		if !slices.Contains(head, r) {
			d.Added = append(d.Added, r)
		}
	}
	if len(d.Removed)+len(d.Added) > 0 {
		d.Names = append(d.Names, "remappings")
	}
}

// apart finds where the keys start of a tool's JavaScript configuration that decide nothing about
// how contracts are compiled.
var apart = regexp.MustCompile(`(?:^|[\s{,])(?:networks|etherscan|gasReporter|mocha|sourcify|namedAccounts|contractSizer|typechain|abiExporter)\s*:\s*\{`)

// quotedOrComment matches strings and comments of JavaScript.
var quotedOrComment = regexp.MustCompile("(?s)\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`|//[^\n]*|/\\*.*?\\*/")

// script is what of a JavaScript configuration may decide about the build: without comments,
// space and the tables that [apart] names.
func script(source []byte) string {
	rest := quotedOrComment.ReplaceAllStringFunc(string(source), func(s string) string {
		if s[0] == '/' {
			return " "
		}
		return s
	})
	for range maxApart {
		at := apart.FindStringIndex(rest)
		if at == nil {
			return strings.Join(strings.Fields(rest), " ")
		}
		end := closing(rest, at[1])
		if end < 0 {
			return rest // not understood: as it is
		}
		rest = rest[:at[0]+1] + strings.TrimLeft(rest[end:], " \t\r\n,")
	}
	return rest
}

// maxApart bounds the tables that are taken out, each of which is looked for from the start.
// Arbitrary: configurations have one of a kind.
const maxApart = 64

// scripted are the settings that a JavaScript configuration mostly writes as literals: by their
// names, with the key of standard JSON ("": the compiler's version).
var scripted = []struct {
	name, standard string
	literal        *regexp.Regexp // the value is its group
}{
	{"optimizer", "optimizer.enabled", regexp.MustCompile(`\benabled\s*:\s*(true|false)\s*,?`)},
	{"runs", "optimizer.runs", regexp.MustCompile(`\bruns\s*:\s*(\d+)\s*,?`)},
	{"viaIR", "viaIR", regexp.MustCompile(`\bviaIR\s*:\s*(true|false)\s*,?`)},
	{"evmVersion", "evmVersion", regexp.MustCompile(`\bevmVersion\s*:\s*["'](\w+)["']\s*,?`)},
	{"solidity", "", regexp.MustCompile(`\b(?:solidity|version)\s*:\s*["'](\d+\.\d+\.\d+)["']\s*,?`)},
}

// compareScripts compares what of two JavaScript configurations may decide about the build.
// Literals of [scripted] are understood where there is at most one of a kind.
func compareScripts(base, head string) Difference {
	d := Difference{}
	for _, s := range scripted {
		before, after := s.literal.FindAllStringSubmatch(base, 2), s.literal.FindAllStringSubmatch(head, 2)
		if len(before) > 1 || len(after) > 1 {
			continue
		}
		base, head = s.literal.ReplaceAllString(base, ""), s.literal.ReplaceAllString(head, "")
		var was, is any
		if len(before) == 1 {
			was = before[0][1]
		}
		if len(after) == 1 {
			is = after[0][1]
		}
		if was == is {
			continue
		}
		d.Names = append(d.Names, s.name)
		if s.standard == "" {
			d.Solc, d.Unknown = text(was), was == nil
			continue
		}
		if d.Standard == nil {
			d.Standard = map[string]any{}
		}
		if number, err := strconv.ParseInt(text(was), 10, 64); err == nil {
			was = number
		} else if was == "true" || was == "false" {
			was = was == "true"
		}
		d.Standard[s.standard] = was
	}
	slices.Sort(d.Names)
	squeeze := func(s string) string { // without commas at the end, which come and go with what precedes them
		return strings.NewReplacer(",}", "}", ",]", "]").Replace(strings.Join(strings.Fields(s), ""))
	}
	if squeeze(base) != squeeze(head) {
		return Difference{Unknown: true}
	}
	return d
}

// closing is the place after the brace that closes the one before start; −1 where there is
// none.
func closing(s string, start int) int {
	quoted := quotedOrComment.FindAllStringIndex(s, -1)
	depth := 1
	for i := start; i < len(s); i++ {
		for len(quoted) > 0 && quoted[0][1] <= i {
			quoted = quoted[1:]
		}
		if len(quoted) > 0 && quoted[0][0] <= i {
			i = quoted[0][1] - 1
			continue
		}
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
