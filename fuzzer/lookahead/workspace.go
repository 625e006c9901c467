package lookahead

import "github.com/sightline-evm/sightline/internal/bytecode"

// Workspace is what the Analyzers of one goroutine share: the numbers of abstract
// words, the answers given so far, and buffers. A campaign has one Analyzer for
// each program and worker, of which only one works at a time.
type Workspace struct {
	v       *values
	engine  *engine
	prefix  *prefix
	answers map[asked]given

	analyzers uint32  // made so far
	states    []Value // see Analyzer.covers
	ahead     []ahead // see Analyzer.renew

	open   doubt       // of the last question looked at
	doubts []openPoint // of the path under way
	kept   arena       // their states
}

// NewWorkspace is an empty Workspace.
func NewWorkspace() *Workspace {
	v := newValues()
	return &Workspace{v: v, engine: newEngine(v), prefix: newPrefix(v), answers: map[asked]given{}}
}

// asked is a question that has an answer: what it was asked about, and by whom.
type asked struct {
	id     bytecode.PathID // of a prefix, or digest of a state
	serial uint32          // of the Analyzer
	state  bool
}

// given is an answer, and how often the goals had grown when it was given.
type given struct {
	Answer
	grown uint32
}

// Bounds of what a Workspace remembers: some ten megabytes. Campaigns on large
// contracts ask tens of thousands of questions.
const (
	maxAnswers = 1 << 16
	maxValues  = 1 << 16
)

// tidy keeps to the bounds. What is forgotten is asked again.
func (w *Workspace) tidy() {
	if len(w.v.own) > maxValues {
		w.v.reset() // digests of states are of Values
		clear(w.answers)
	}
	if len(w.answers) > maxAnswers {
		clear(w.answers)
	}
}
