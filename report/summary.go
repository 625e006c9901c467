package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// MaxSummary bounds the size of the summary, in bytes. GitHub refuses the whole summary of a
// step above 1,024 KiB; other parts of the step may write to it, too.
const MaxSummary = 900 << 10

// Summary renders the job's summary: the comment with the code of the lines, how each was
// reached, the lines without bytecode, the World and the builds. If that is more than
// MaxSummary, parts are left out as in the comment.
func Summary(r *Report, o Options) []byte {
	// 1,000 rows of usual length (200 bytes) in each of three tables leave a third
	// of the size for the findings.
	return renderWithin(r, o, bounds{bytes: MaxSummary, rows: 1_000, findings: 200, tests: MaxSummary / 4, summary: true}, func(p *page) {
		p.verdict()
		p.basis()
		p.audit()
		p.shards()
		p.trouble()
		p.allFindings()
		p.allClashes()
		p.effect()
		p.selfCheck()
		p.fixed()
		p.faults()
		p.warnings()
		p.tests()
		p.notReached()
		p.countedApart()
		p.reachedTable()
		p.withoutBytecode()
		p.upgrades()
		p.ground()
		p.footer()
	})
}

// reachedTable writes how each line was first reached.
func (p *page) reachedTable() {
	reached := with(p.locations, Reached)
	if len(reached) == 0 {
		return
	}
	title := p.tally.what(len(reached)) + " reached"
	if p.detail >= noReached {
		p.line("%s: %s.\n", title, p.elsewhere())
		return
	}
	p.folded(title, func() {
		head, rule, traced := "| Reached | Code | First after | By | In `reproducers/` |", "|---|---|---|---|---|", len(p.r.Tracefiles) > 0
		if traced {
			head, rule = head+" Your tests |", rule+"---|"
		}
		p.line("%s\n%s", head, rule)
		shown := reached[:min(len(reached), p.rows)]
		for _, s := range shown {
			row := fmt.Sprintf("| %s | %s | %s |", p.linkRow(s), code(s.Text, maxCall), p.howReached(s.target))
			if traced {
				row += " " + testsCell(s) + " |"
			}
			p.line("%s", row)
		}
		p.more(len(reached)-len(shown), "line")
	})
}

// howReached is the cells after the code of a reached target.
func (p *page) howReached(t *Target) string {
	if t == nil {
		return "| | "
	}
	if t.Setup != "" {
		return "the set-up | " + code(t.Setup, maxCall) + " | "
	}
	after := human.Count(t.Calls) + " calls"
	if t.Seconds > 0 {
		after += ", " + humanSeconds(t.Seconds)
	}
	by, reproducer := "", ""
	if n := len(t.Sequence); n > 0 {
		by = code(t.Sequence[n-1].whole(), maxCall)
		if t.Sequence[n-1].Test {
			by = "the test " + by
		}
		if n > 1 {
			by += fmt.Sprintf(" as call %d", n)
		}
	}
	if t.Reproducer != "" && p.detail < noReproducers {
		reproducer = code(strings.TrimPrefix(t.Reproducer, "reproducers/"), maxPath)
	}
	return fmt.Sprintf("%s | %s | %s", after, by, reproducer)
}

// withoutBytecode lists the changed lines without bytecode.
func (p *page) withoutBytecode() {
	lines := slices.Concat(with(p.locations, NoBytecode), with(p.apart, NoBytecode))
	if len(lines) == 0 || p.detail >= noUnreached {
		return
	}
	p.folded(p.tally.what(len(lines))+" without bytecode", func() {
		p.line("| Line | Code | Why |\n|---|---|---|")
		shown := lines[:min(len(lines), p.rows)]
		for _, s := range shown {
			p.line("| %s | %s | %s |", p.linkRow(s), code(s.Text, maxCall), prose(s.Reason, maxReason))
		}
		p.more(len(lines)-len(shown), "line")
	})
}

// ground writes the World and the builds on which the campaign ran.
func (p *page) ground() {
	w := p.r.World
	if len(w.Instances)+len(w.Undeployed)+len(p.r.Builds) == 0 || p.detail >= noReached {
		return
	}
	p.folded(fmt.Sprintf("World: %s, %d not deployed", human.Plural(len(w.Instances), "contract"), len(w.Undeployed)), func() {
		p.line("| Contract | Name | Address | Arguments |\n|---|---|---|---|")
		for _, in := range w.Instances[:min(len(w.Instances), p.rows)] {
			p.line("| %s | %s | %s | %s |", code(in.Contract, maxPath), code(in.Name, maxName), code(in.Address, maxName), code(in.Arguments, maxCall))
		}
		for _, s := range w.Setups[:min(len(w.Setups), p.rows)] {
			if s.Failure != "" {
				p.line("| %s | set-up not used | | %s |", code(s.Contract, maxPath), prose(s.Failure, maxReason))
				continue
			}
			p.line("| %s | set up the World | %s | %s |", code(s.Contract, maxPath), code(s.Address, maxName), code(s.Function, maxCall))
		}
		for _, u := range w.Undeployed[:min(len(w.Undeployed), p.rows)] {
			p.line("| %s | not deployed | | %s |", code(u.Contract, maxPath), prose(u.Reason, maxReason))
		}
		p.line("\n| Build | Compiler | Contracts | |\n|---|---|---|---|")
		for _, b := range p.r.Builds[:min(len(p.r.Builds), p.rows)] {
			kind := b.describeKind()
			p.line("| %s | %s | %d | %s |", code(b.Origin, maxPath), code(b.Compiler, maxName), b.Contracts, kind)
		}
		if w.Fork != "" {
			why := ""
			if w.ForkReason != "" {
				why = " (" + prose(w.ForkReason, maxReason) + ")"
			}
			p.line("\nFork: %s%s", code(w.Fork, maxName), why)
		}
	})
}

// describeKind says how a build was made, and what else ships.
func (b *Build) describeKind() string {
	kind := "release build"
	if b.Debug {
		kind = "debug build, not the release build"
	}
	if b.Generator == "ir" {
		kind += ", via IR"
	}
	if b.Bytecode == BytecodeTrusted {
		kind += ", bytecode taken on trust"
	}
	if b.ReleaseGenerator != "" && b.ReleaseGenerator != b.Generator {
		kind += "; the release build is " + map[string]string{"ir": "via-IR", "legacy": "legacy"}[b.ReleaseGenerator] + " code"
	}
	return kind
}
