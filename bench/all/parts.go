package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// part is one run of a comparison, with what docs/benchmarks.md shows of it.
type part struct {
	name    string // of its place in the page
	command string // below bench
	args    []string
	takes   time.Duration // on two cores, installation apart
	shows   shows
	clones  []string // repositories of -clones that it runs on; nil: none
	more    bool     // it is told the folder of clones as well: submodules are there
}

// shows is what the page has of a part's result.
type shows int

const (
	tables  shows = iota // all of them
	figures              // the summary alone: the tables are long, and say the same for each run
)

// resumable stands in arguments for a file of the state, in which a comparison keeps what it has so far.
const resumable = "{file}"

// parts in the order of the page.
var parts = []part{
	{name: "packages", command: "packages", args: []string{"-seconds", "480"}, takes: 15 * time.Minute},
	{name: "setups", command: "setups", args: []string{"-seconds", "60"}, takes: 25 * time.Minute},
	{name: "history", command: "history", args: []string{"-seconds", "60", "-last", "10", "-resume", resumable}, takes: 8 * time.Hour,
		clones: []string{"solmate", "ethereum-vault-connector", "openzeppelin-contracts", "euler-vault-kit", "v4-periphery", "forge-std", "weird-erc20"}, more: true},
	{name: "targets", command: "targets", args: []string{"-schedules", "lookahead,cutoff", "-runs", "8", "-seconds", "10800", "-samples", resumable}, takes: 3 * time.Hour},
	{name: "targets-example", command: "targets", args: []string{"-example", "-runs", "24"}, takes: 5 * time.Minute},
	{name: "targets-coverage", command: "targets", args: []string{"-coverage", "16000", "-runs", "5"}, takes: 15 * time.Minute},
	{name: "scale", command: "scale", args: []string{"-seconds", "3600"}, takes: 80 * time.Minute},
	{name: "exchange-kills", command: "exchange", args: []string{"-kills", "50"}, takes: 8 * time.Minute, shows: figures},
	{name: "exchange-soak", command: "exchange", args: []string{"-soak", "30m", "-every", "5m"}, takes: 31 * time.Minute},
	{name: "guards", command: "guards", args: []string{"-runs", "10"}, takes: 10 * time.Minute},
	{name: "guards-callbacks", command: "guards", args: []string{"-only", "Callback", "-limit", "600000", "-runs", "10", "-seconds", "1800"}, takes: 20 * time.Minute},
	{name: "techniques", command: "techniques", args: []string{"-runs", "10"}, takes: time.Hour},
	{name: "mazes", command: "mazes", args: []string{"-seconds", "60", "-runs", "5", "-seed", "1001"}, takes: 26 * time.Minute},
	{name: "papers", command: "papers", args: []string{"-runs", "10"}, takes: 5 * time.Minute},
	{name: "audit-registry", command: "audit", args: []string{"-seconds", "10"}, takes: 25 * time.Minute, clones: []string{"SWC-registry"}},
	{name: "audit-not-so-smart", command: "audit", args: []string{"-seconds", "10"}, takes: 5 * time.Minute, clones: []string{"not-so-smart-contracts"}},
	{name: "selfcheck", command: "selfcheck", args: []string{"-seconds", "60", "-forge", "3"}, takes: 90 * time.Minute},
	{name: "linemap", command: "linemap", takes: 3 * time.Minute},
	{name: "machine", command: "machine", args: []string{"-seconds", "90"}, takes: 4 * time.Minute},
	{name: "differential", command: "differential", args: []string{"-programs", "200000", "-calls", "200000"}, takes: 10 * time.Minute},
	{name: "soundness", command: "soundness", args: []string{"-programs", "40", "-calls", "1500", "-seed", "2000"}, takes: 15 * time.Minute},
	{name: "forge", command: "forge", args: []string{"-seconds", "900", "-runs", "5"}, takes: 17 * time.Minute},
	{name: "pairs", command: "pairs", takes: 3 * time.Minute},
	{name: "pairs-cost", command: "pairs", args: []string{"-cost", "-seconds", "5", "-runs", "3"}, takes: 6 * time.Minute, shows: figures},
	{name: "pairs-bugs", command: "pairs", args: []string{"-bugs", "-seconds", "10", "-runs", "5"}, takes: 25 * time.Minute},
	{name: "pairs-history", command: "pairs", args: []string{"-history"}, takes: 3 * time.Minute},
	{name: "hour", command: "hour", takes: 20 * time.Minute},
	{name: "mapping", command: "mapping", takes: 2 * time.Minute},
	{name: "lookahead", command: "lookahead", args: []string{"-seconds", "60"}, takes: 2 * time.Minute},
}

// arguments are those of the part's command line, and what is missing for it.
func (p part) arguments(clones, dir string) (args []string, needs string) {
	for _, arg := range p.args {
		args = append(args, strings.ReplaceAll(arg, resumable, filepath.Join(dir, p.name+".samples")))
	}
	if p.clones == nil {
		return args, ""
	}
	if clones == "" {
		return args, "-clones"
	}
	if p.more {
		args = append(args, "-clones", clones)
	}
	var missing []string
	for _, name := range p.clones {
		folder := filepath.Join(clones, name)
		if _, err := os.Stat(folder); err != nil {
			missing = append(missing, name)
		}
		args = append(args, folder)
	}
	if len(missing) > 0 {
		return args, strings.Join(missing, ", ") + " in " + clones
	}
	return slices.Clip(args), ""
}
