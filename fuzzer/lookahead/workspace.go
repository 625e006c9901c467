package lookahead

// Workspace is what the Analyzers of one goroutine share: the numbers of abstract
// words, the answers given so far, and buffers. A campaign has one Analyzer for
// each program and worker, of which only one works at a time.
type Workspace struct {
	v       *values
	engine  *engine
	prefix  *prefix
	answers answers

	analyzers uint32  // made so far
	states    []Value // see Analyzer.covers
	ahead     []ahead // see Analyzer.renew
	nearest   []int32 // see graph.distances

	open   doubt       // of the last question looked at
	doubts []openPoint // of the path under way
	kept   arena       // their states

	known int    // bytes that Analyzers keep of paths, see known
	epoch uint32 // rises when they are to forget them

	hashed []byte    // see Analyzer.identify
	points nodeTable // see distinct
}

// NewWorkspace is an empty Workspace.
func NewWorkspace() *Workspace {
	v := newValues()
	return &Workspace{v: v, engine: newEngine(v), prefix: newPrefix(v), answers: newAnswers()}
}

// Bounds of what a Workspace remembers: 4 MB of answers, and some ten of values.
// Campaigns on large contracts ask tens of thousands of questions.
const (
	maxAnswers = 1 << 16
	maxValues  = 1 << 16
)

// tidy keeps to the bounds. What is forgotten is asked again.
func (w *Workspace) tidy() {
	if len(w.v.own) > maxValues {
		w.v.reset() // digests of states are of Values
		w.answers.clear()
	}
}
