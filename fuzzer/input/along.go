package input

// Along calls back with the numbers of the branches of a way and of those that a run
// came to as well, until it returns false. A run may lack some: two comparisons of equal
// operands are taken for one (see [Echoes]).
func Along(way, run []Branch, visit func(i, j int) bool) {
	c := cursor{branches: run, call: -1}
	for i := range way {
		if j := c.find(&way[i]); j >= 0 && !visit(i, j) {
			return
		}
	}
}

// cursor finds branches of one execution in another's list. Both follow the same execution for most of the way, and have
// the branches of a frame together.
type cursor struct {
	branches    []Branch
	call, frame int // the frame that was looked for last; −1 at first
	from, to    int // where it is; equal: nowhere
	next        int // behind the branch that was found last in it
}

// find is where the same jump is in the list, the next one after what was found before, or else the first one; −1: nowhere.
func (c *cursor) find(b *Branch) int {
	if b.Call != c.call || b.Frame != c.frame {
		c.enter(b)
	}
	for n := c.from; n < c.to; n++ {
		i := n - c.from + c.next
		if i >= c.to {
			i -= c.to - c.from
		}
		if c.branches[i].sameJump(b) {
			if c.next = i + 1; c.next == c.to {
				c.next = c.from
			}
			return i
		}
	}
	return -1
}

// enter finds the frame of a branch, which is mostly behind the one before.
func (c *cursor) enter(b *Branch) {
	c.call, c.frame = b.Call, b.Frame
	for n := range c.branches {
		if at := (c.to + n) % len(c.branches); c.isIn(at) {
			for c.from = at; c.from > 0 && c.isIn(c.from-1); {
				c.from--
			}
			for c.to = at; c.to < len(c.branches) && c.isIn(c.to); {
				c.to++
			}
			c.next = c.from
			return
		}
	}
	c.from = c.to
}

func (c *cursor) isIn(at int) bool {
	return c.branches[at].Call == c.call && c.branches[at].Frame == c.frame
}
