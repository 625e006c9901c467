package fuzzer

import (
	"encoding/binary"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// pathNumber makes a path's identifier of a number.
func pathNumber(n uint64) bytecode.PathID {
	var pid bytecode.PathID
	binary.BigEndian.PutUint64(pid[:], n)
	return pid
}

// TestPathSet: what was added among the last size is known, and there are never
// more than two times size.
func TestPathSet(t *testing.T) {
	const size = 10
	s := newPathSet(size)
	for n := range uint64(1000) {
		if !s.add(pathNumber(n)) {
			t.Fatalf("path %d is known before it was added", n)
		}
		for back := range min(n+1, size) {
			if s.add(pathNumber(n - back)) {
				t.Fatalf("path %d was forgotten after %d more", n-back, back)
			}
		}
		if got := len(s.young) + len(s.old); got > 2*size {
			t.Fatalf("%d paths are kept", got)
		}
	}
	if !s.add(pathNumber(0)) {
		t.Error("the first path is still known")
	}
}

// TestPathCountsAreBounded: paths beyond the bound are not counted, known ones
// still are.
func TestPathCountsAreBounded(t *testing.T) {
	s := newSuite()
	for n := range uint64(maxPaths) + 10 {
		s.count(pathNumber(n))
	}
	s.count(pathNumber(3))
	s.count(pathNumber(maxPaths + 3))
	if s.paths() != maxPaths || s.total != maxPaths+1 || s.fuzz(pathNumber(3)) != 2 || s.fuzz(pathNumber(maxPaths+3)) != 0 {
		t.Errorf("%d paths, %d executions, %d of path 3", s.paths(), s.total, s.fuzz(pathNumber(3)))
	}
}
