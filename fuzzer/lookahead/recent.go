package lookahead

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// recent is what the path that an Analyzer was asked about last has shown: as far as
// another path goes along with it, a target may be ahead there, too. It holds until
// goals change.
type recent struct {
	path   bytecode.Path // up to the last of points, and up to the end of the result's prefix
	static bool
	points []recentPoint // from all of which a target may be ahead
	// result is that of all paths which begin with its prefix, unless they make calls
	// along it; only if it was proved, and the path made none.
	result Result
}

// recentPoint is a split point of the path.
type recentPoint struct {
	index        int // in the path
	instructions int // on the path, with the block's own
	hasher       bytecode.PathHasher
}

// forget: goals have changed.
func (r *recent) forget() { r.path, r.points, r.result = r.path[:0], r.points[:0], Result{} }

// answers tells whether the result is the frame's as well.
func (r *recent) answers(f *Frame) bool {
	n := r.result.Prefix
	if !r.result.Proved || f.Static != r.static || len(f.Path) < n || !slices.Equal(f.Path[:n], r.path[:n]) {
		return false
	}
	return !slices.ContainsFunc(f.Calls, func(c Call) bool { return along(c, n, true) })
}

// shared is the number of points that a frame's path has in common with the last.
func (r *recent) shared(f *Frame) int {
	if f.Static != r.static {
		return 0
	}
	same := 0
	for same < len(r.path) && same < len(f.Path) && r.path[same] == f.Path[same] {
		same++
	}
	n := len(r.points)
	for n > 0 && r.points[n-1].index >= same {
		n--
	}
	return n
}

// keep remembers the first points of a frame's path, which have been noted, and what
// was found of it.
func (r *recent) keep(f *Frame, points int, result *Result) {
	r.static, r.points, r.result = f.Static, r.points[:points], Result{}
	length := 0
	if points > 0 {
		length = r.points[points-1].index + 1
	}
	if result.Proved && !slices.ContainsFunc(f.Calls, func(c Call) bool { return along(c, result.Prefix, true) }) {
		r.result, length = *result, max(length, result.Prefix)
	}
	r.path = append(r.path[:0], f.Path[:length]...)
}
