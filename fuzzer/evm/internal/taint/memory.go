package taint

import "github.com/holiman/uint256"

// data are the taints of bytes: memory, calldata, return data. Bytes behind the list
// have the taint of the rest.
type data struct {
	bytes []ID
	rest  ID
}

// at is the taint of one byte.
func (d *data) at(i int) ID {
	if i < len(d.bytes) {
		return d.bytes[i]
	}
	return d.rest
}

// reach is offset and size as numbers; false when they are beyond any memory, so that the
// instruction cannot have got there, or when there are no bytes.
func reach(offset, size *uint256.Int) (from, n int, ok bool) {
	if size.IsZero() || !size.IsUint64() || !offset.IsUint64() || size.Uint64() > maxReach || offset.Uint64() > maxReach {
		return 0, 0, false
	}
	return int(offset.Uint64()), int(size.Uint64()), true
}

// maxReach is more memory than the gas of any transaction pays for: its price grows with
// the square.
const maxReach = 1 << 30

// union is the taint of n bytes taken together.
func (d *data) union(s *Sets, from, n int) ID {
	all := ID(0)
	last := ID(0)
	for i := from; i < min(from+n, len(d.bytes)); i++ {
		if id := d.bytes[i]; id != last {
			all, last = s.union(all, id), id
		}
	}
	if from+n > len(d.bytes) {
		all = s.union(all, d.rest)
	}
	return all
}

// part are n bytes, as long as the data does not change.
func (d *data) part(from, n int) data {
	if from >= len(d.bytes) {
		return data{rest: d.rest}
	}
	end := min(from+n, len(d.bytes))
	return data{bytes: d.bytes[from:end:end], rest: d.rest}
}

// set gives n bytes of memory their taint, by their place among them. What is clean is
// kept only where something else was before.
func (d *data) set(at, n int, taint func(int) ID) {
	for i := range n {
		id := taint(i)
		if at+i >= len(d.bytes) {
			if id == 0 {
				continue
			}
			d.bytes = append(d.bytes, make([]ID, at+i+1-len(d.bytes))...)
		}
		d.bytes[at+i] = id
	}
}
