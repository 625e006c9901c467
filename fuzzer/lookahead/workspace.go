package lookahead

import "github.com/sightline-evm/sightline/internal/bytecode"

// Workspace is what the Analyzers of one goroutine share: the numbers of abstract
// words, the answers given so far, and buffers. A campaign has one Analyzer for
// each program and worker, of which only one works at a time.
type Workspace struct {
	v       *values
	engine  *engine
	prefix  *prefix
	answers map[asked]Answer
	serial  uint32  // of the last Analyzer that began to ask anew
	states  []Value // see Analyzer.covers
}

// NewWorkspace is an empty Workspace.
func NewWorkspace() *Workspace {
	v := newValues()
	return &Workspace{v: v, engine: newEngine(v), prefix: newPrefix(v), answers: map[asked]Answer{}}
}

// asked is a question that has an answer: what it was asked about, and by whom.
type asked struct {
	id     bytecode.PathID // of a prefix, or digest of a state
	serial uint32          // of Analyzer, targets and call model
	state  bool
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
