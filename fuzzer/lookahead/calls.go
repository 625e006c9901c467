package lookahead

import "github.com/sightline-evm/sightline/internal/bytecode"

// CallModel reports whether a call instruction (CALL, CALLCODE, DELEGATECALL,
// STATICCALL, CREATE, CREATE2) may lead to the execution of a target before it returns.
// It may return false only when that is certain.
type CallModel func(site bytecode.Location) bool

// Conservative is the papers' model: any call may lead to any target
// (lookahead §4.3, "Calls").
func Conservative(bytecode.Location) bool { return true }

// Observed is the call model that learns: a call leads where executions have
// shown it to lead. A call site that was never seen may lead anywhere, and so
// may one that reached code that can call back (an attacker), which re-enters
// the project's contracts as it likes.
//
// It is a bet, not a proof: a call site that has led to one contract so far may
// lead to another in the next execution. Then See returns true, the models of all
// programs change, and what was concluded from the old ones must be analyzed again.
type Observed struct {
	// SeenOnly makes the bet bolder: a call leads to the programs that it was seen to
	// lead to, and nowhere else. For users that handle the other calls in another way.
	SeenOnly bool

	// reaches reports whether a frame that runs a program from its start may
	// execute a target of that program, and sites lists its call instructions.
	reaches func(bytecode.CodeID) bool
	sites   func(bytecode.CodeID) []bytecode.Location

	edges map[bytecode.Location]*callees
	// leads reports for each program whether it may lead to a target, itself or through
	// its calls. Nil when it must be computed again.
	leads map[bytecode.CodeID]bool
}

// callees is what a call site has led to.
type callees struct {
	anything bool
	programs map[bytecode.CodeID]bool // NoCode not among them
}

// NewObserved is a model that has seen nothing. reaches reports whether a frame
// that runs the program from its start may execute one of its targets, sites
// lists the program's call instructions; see [Analyzer.ReachesTarget] and
// [Analyzer.CallSites].
func NewObserved(reaches func(bytecode.CodeID) bool, sites func(bytecode.CodeID) []bytecode.Location) *Observed {
	return &Observed{reaches: reaches, sites: sites, edges: map[bytecode.Location]*callees{}}
}

// Callee is what a call instruction started.
type Callee struct {
	// Program is the code that ran; NoCode when none did (a plain account, a
	// precompile).
	Program bytecode.CodeID
	// Anything marks code that may do anything: an attacker, or code without an artifact,
	// which no Analyzer analyzes.
	Anything bool
}

// See records that a call site led to a callee, and reports whether that is new.
func (o *Observed) See(site bytecode.Location, callee Callee) bool {
	c := o.edges[site]
	news := c == nil
	if news {
		c = &callees{programs: map[bytecode.CodeID]bool{}}
		o.edges[site] = c
	}
	if callee.Anything && !c.anything {
		c.anything, news = true, true
	}
	if callee.Program != bytecode.NoCode && !callee.Anything && !c.programs[callee.Program] {
		c.programs[callee.Program], news = true, true
	}
	if news {
		o.leads = nil
	}
	return news
}

// Retarget must be called when the targets have changed.
func (o *Observed) Retarget() { o.leads = nil }

// MayLead is the CallModel.
func (o *Observed) MayLead(site bytecode.Location) bool {
	c := o.edges[site]
	if o.opaque(c) {
		return true
	}
	if c == nil {
		return false
	}
	if o.leads == nil {
		o.leads = map[bytecode.CodeID]bool{}
	}
	for program := range c.programs { // any order: the answer is a disjunction
		if o.leadsToTarget(program) {
			return true
		}
	}
	return false
}

// opaque reports whether a call may lead anywhere.
func (o *Observed) opaque(c *callees) bool { return !o.SeenOnly && (c == nil || c.anything) }

// leadsToTarget reports whether a frame that runs the program may execute a target,
// itself or through the calls it makes: a search of the programs that may run.
func (o *Observed) leadsToTarget(program bytecode.CodeID) bool {
	if answer, known := o.leads[program]; known {
		return answer
	}
	seen := map[bytecode.CodeID]bool{program: true}
	answer := false
	for next := []bytecode.CodeID{program}; len(next) > 0 && !answer; {
		p := next[0]
		next = next[1:]
		answer = o.reaches(p)
		for _, site := range o.sites(p) {
			c := o.edges[site]
			if o.opaque(c) {
				answer = true
				break
			}
			if c == nil {
				continue
			}
			for callee := range c.programs {
				if !seen[callee] {
					seen[callee] = true
					next = append(next, callee)
				}
			}
		}
	}
	o.leads[program] = answer
	return answer
}
