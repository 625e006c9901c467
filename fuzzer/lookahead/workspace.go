package lookahead

// Workspace is what the Analyzers of one goroutine share: the numbers of abstract
// words, the answers given so far, and buffers. A campaign has one Analyzer for
// each program and worker, of which only one works at a time.
type Workspace struct {
	v       *values
	engine  *engine
	prefix  *prefixInference
	answers answers

	analyzers  uint32  // made so far
	states     []Value // see Analyzer.covers
	blockGoals []goal  // see Analyzer.update
	nearest    []int32 // see graph.distances

	open       openQuestion     // left open by Analyzer.answerByGraph
	openPoints []openSplitPoint // of the current path
	kept       arena            // their states

	treeBytes int    // of the Analyzers' prefix trees
	epoch     uint32 // rises when the trees are to be emptied

	hashed []byte    // see Analyzer.identify
	points nodeTable // see distinct
}

// NewWorkspace is an empty Workspace.
func NewWorkspace() *Workspace {
	v := newIntervals()
	return &Workspace{v: v, engine: newEngine(v), prefix: newPrefix(v), answers: newAnswers()}
}

// Bounds of a Workspace's memory: 4 MB of answers, and about ten of values.
// Campaigns on large contracts ask tens of thousands of questions.
const (
	maxAnswers = 1 << 16
	maxValues  = 1 << 16
)

// enforceBounds drops values and answers when there are too many. Dropped questions are
// asked again.
func (w *Workspace) enforceBounds() {
	if len(w.v.own) > maxValues {
		w.v.reset() // digests of states are of Values
		w.answers.clear()
	}
}
