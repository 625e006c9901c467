package lookahead

import "github.com/sightline-evm/sightline/internal/bytecode"

// recent is what the path that an Analyzer was asked about last has shown: as far as
// another path goes along with it, a target may be ahead there, too. It holds until
// goals change.
type recent struct {
	path   bytecode.Path // up to the last of points
	static bool
	points []recentPoint // from all of which a target may be ahead
}

// recentPoint is a split point of the path.
type recentPoint struct {
	index        int // in the path
	instructions int // on the path, with the block's own
	hasher       bytecode.PathHasher
}

// forget: goals have changed.
func (r *recent) forget() { r.path, r.points = r.path[:0], r.points[:0] }

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

// keep remembers the first points of a frame's path, which have been noted.
func (r *recent) keep(f *Frame, points int) {
	r.static, r.points, r.path = f.Static, r.points[:points], r.path[:0]
	if points > 0 {
		r.path = append(r.path, f.Path[:r.points[points-1].index+1]...)
	}
}
