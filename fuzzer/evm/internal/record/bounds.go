package record

// Bounds on what one Execution records. A call's gas already bounds its time;
// these bound memory against contracts that do nothing but call, log or store.
// Real contracts stay far below them. What is beyond is counted in the path
// identifier and in Covered all the same, and sets Execution.Truncated.
const (
	// maxSteps is the number of a frame's instructions whose blocks and
	// comparisons are kept: lookahead considers no split point after 8,192
	// locations (lookahead paper §5).
	maxSteps = 8192
	// tailBlocks is the number of a frame's last blocks that are kept where its Path ends
	// before: those of helpers that the compiler wrote, on the way from a statement to its
	// failure. Checked arithmetic takes up to nine without an optimizer.
	tailBlocks = 16
	// MaxFrames bounds the frames besides the calls' outermost ones, which are
	// always there. A frame is about 400 bytes.
	MaxFrames = 4096
	// MaxPathBlocks bounds the kept blocks of all frames (4 bytes each).
	MaxPathBlocks = 1 << 20
	// MaxComparisons bounds the kept comparisons of all frames (88 bytes each).
	MaxComparisons = 1 << 16
	// MaxAccesses bounds the kept storage accesses of all frames (132 bytes each).
	MaxAccesses = 1 << 15
	// MaxLogs bounds the kept events of all frames.
	MaxLogs = 1 << 14
	// MaxBytes bounds the kept inputs, outputs and event data: frames may pass
	// the same megabytes on at no cost.
	MaxBytes = 1 << 24
	// MaxIdleRecorded bounds the frames that a machine keeps memory for between runs:
	// about 400 KB. Arbitrary: few runs have as many.
	MaxIdleRecorded = 1 << 10
	// MaxIdleFrames is the number of frames (5 kB each, and memory) that are kept
	// from one run to the next: few contracts call each other more deeply.
	MaxIdleFrames = 1 << 5
	// maxHashes bounds the hashes remembered within a call to find the mapping
	// behind a slot (60 bytes each).
	maxHashes = 1 << 14
	// maxPrograms bounds the code hashes whose program a machine remembers.
	maxPrograms = 1 << 10
)

// spent counts what an execution has used of the bounds.
type spent struct {
	frames, blocks, comparisons, accesses, logs, bytes int
}

// take uses n of a bound unless that would exceed it.
func take(used *int, n, limit int) bool {
	if *used+n > limit {
		return false
	}
	*used += n
	return true
}
