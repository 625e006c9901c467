package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
	htmlpage "github.com/sightline-evm/sightline/report/page"
)

// browserPage is what report/page/src/model.ts describes: a report as the page in a browser shows it. It is
// of the report alone, so that what a report does not say any more is not in the page either.
type browserPage struct {
	Tool     Tool            `json:"tool"`
	Verdict  string          `json:"verdict"`
	Tone     string          `json:"tone"` // "pass", "doubt", "fail", "error", "skip"
	Heading  string          `json:"heading"`
	Remark   string          `json:"remark"` // what else the verdict rests on, in sentences
	Noun     string          `json:"noun"`   // "changed line", "target", "line"
	Counts   []browserCount  `json:"counts"`
	Apart    string          `json:"apart,omitempty"`
	Facts    []browserFact   `json:"facts"`
	Warnings []string        `json:"warnings"`
	Faults   []Fault         `json:"faults"`
	Unread   []browserUnread `json:"unread"`
	Trouble  *Trouble        `json:"trouble,omitempty"`
	Findings []browserBug    `json:"findings"`
	Fixed    []string        `json:"fixed"`
	Clashes  []browserClash  `json:"clashes"`
	Upgrades []Upgrade       `json:"upgrades"`
	Rules    []Oracle        `json:"rules"` // of the findings
	Watched  []browserOracle `json:"watched"`
	Files    []browserFile   `json:"files"`
	Effect   *Effect         `json:"effect,omitempty"`
	World    World           `json:"world"`
	Chain    string          `json:"chain,omitempty"`
	Builds   []browserBuild  `json:"builds"`
	Stats    Stats           `json:"stats"`
}

// browserCount is a number of rows of one status.
type browserCount struct {
	Status string `json:"status"`
	Word   string `json:"word"`
	Rows   int    `json:"rows"`
}

// browserFact is something that the verdict rests on.
type browserFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type browserBug struct {
	Finding
	Where      string `json:"where"`
	Said       string `json:"said"`
	Assessment string `json:"assessment"`
	Gates      bool   `json:"gates"`
	Replay     string `json:"replay,omitempty"`
}

type browserClash struct {
	Clash
	Basis  string `json:"basis"`
	Gates  bool   `json:"gates"`
	Replay string `json:"replay,omitempty"`
}

type browserOracle struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// browserFile is a changed file.
type browserFile struct {
	Name  string       `json:"name"` // empty: of code without source
	Link  string       `json:"link,omitempty"`
	Rows  []browserRow `json:"rows"`
	Lines []sourceLine `json:"lines"` // around the rows
}

// browserRow is a row of the tables, with what is known of each contract.
type browserRow struct {
	Line    int             `json:"line"` // 0: a place without a line
	Place   string          `json:"place"`
	Kind    string          `json:"kind"`
	Text    string          `json:"text"`
	Status  string          `json:"status"`
	Reason  string          `json:"reason,omitempty"`
	Tests   string          `json:"tests,omitempty"`
	Aside   string          `json:"aside,omitempty"`
	Harness bool            `json:"harness,omitempty"`
	Partly  []string        `json:"partly,omitempty"`
	Barrier *Barrier        `json:"barrier,omitempty"`
	Targets []browserTarget `json:"targets"`
}

// browserTarget is a row in one contract. What is as in the row is left out.
type browserTarget struct {
	Contract   string   `json:"contract"`
	Status     string   `json:"status"`
	Reason     string   `json:"reason,omitempty"`
	Barrier    *Barrier `json:"barrier,omitempty"`
	Executions uint64   `json:"executions,omitempty"`
	Calls      uint64   `json:"calls,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	Sequence   []Step   `json:"sequence"`
	Replay     string   `json:"replay,omitempty"`
	Release    string   `json:"release,omitempty"` // why that is not known of the release build
	Setup      string   `json:"setup,omitempty"`
}

// sourceLine is a line of the head version that did not change.
type sourceLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

type browserBuild struct {
	Build
	Made string `json:"made"`
}

// HTML renders the report as one page for a browser, which needs no network. All strings of the report
// are text in it.
func HTML(r *Report, o Options) ([]byte, error) {
	p := newPage(normalize(r), o)
	heading := strings.SplitN(p.heading(human.Clean, human.Clean), " ", 2)
	text := heading[len(heading)-1]
	remark := p.remark(human.Clean)
	data := browserPage{
		Tool: r.Tool, Verdict: r.Verdict, Tone: tones[heading[0]], Heading: text, Remark: remark,
		Noun:   strings.TrimPrefix(p.tally.what(1), "1 "),
		Counts: p.browserCounts(), Apart: upper(describeApart(r, p.apart)), Facts: p.browserFacts(),
		Warnings: p.r.Warnings, Faults: p.r.Faults, Unread: p.browserUnread(), Trouble: r.Trouble,
		Findings: p.browserBugs(), Fixed: []string{}, Clashes: p.browserClashes(), Upgrades: list(r.Upgrades),
		Rules: []Oracle{}, Watched: []browserOracle{}, Files: p.browserFiles(), Effect: p.r.Effect, World: p.r.World, Builds: []browserBuild{}, Stats: p.r.Stats,
	}
	for i := range r.Fixed {
		data.Fixed = append(data.Fixed, r.Fixed[i].ID+": "+r.Fixed[i].describe(human.Clean))
	}
	for _, oracle := range r.Oracles {
		data.Watched = append(data.Watched, browserOracle{oracle.ID, oracle.Title})
		for i := range r.Findings {
			if r.Findings[i].Oracle == oracle.ID {
				data.Rules = append(data.Rules, oracle)
				break
			}
		}
	}
	if c := r.World.Chain; c != nil {
		data.Chain = fmt.Sprintf("chain %d at block %d (%s)", c.ID, c.Block, c.Hash)
		data.World.Chain = nil // its id may be more than numbers hold there
	}
	for i := range r.Builds {
		data.Builds = append(data.Builds, browserBuild{r.Builds[i], r.Builds[i].describeKind()})
	}
	cleanStrings(&data)
	return htmlpage.Render(htmlpage.Text{Title: text, Details: []string{remark}}, data)
}

// tones are the page's colors by the sign of a heading.
var tones = map[string]string{"✅": "pass", "⚠️": "doubt", "❌": "fail", "🛑": "error", "⏭️": "skip"}
