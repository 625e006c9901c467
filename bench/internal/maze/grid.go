package maze

import (
	"math/rand/v2"
	"slices"
)

// Far is how many moves a cell is away that counts as far, and farShare: one cell in so
// many is farther in a maze of 7 × 7 or larger.
const (
	Far      = 9
	farShare = 4
)

// extraDoors: one wall in so many that a perfect maze would have is left out, so that
// there is more than one way. Arbitrary.
const extraDoors = 10

// dig draws mazes until enough cells are far, where the size allows it.
func (m *Maze) dig(r *rand.Rand) {
	for {
		m.digOnce(r)
		distant := 0
		for i := range m.Cells {
			if m.Cells[i].Distance > Far {
				distant++
			}
		}
		if m.Size < 7 || distant*farShare >= len(m.Cells) {
			return
		}
	}
}

// digOnce grows a tree of cells from the start ("growing tree"): the newest cell or any
// goes on, which makes both long ways and short dead ends. Then some more walls fall.
func (m *Maze) digOnce(r *rand.Rand) {
	n := m.Size * m.Size
	m.Cells = make([]Cell, n)
	for i := range m.Cells {
		m.Cells[i] = Cell{X: i % m.Size, Y: i / m.Size}
	}
	m.open = make([][directions]bool, n)
	reached := make([]bool, n)
	reached[0] = true
	for growing := []int{0}; len(growing) > 0; {
		at := len(growing) - 1
		if r.IntN(2) == 0 {
			at = r.IntN(len(growing))
		}
		from := growing[at]
		var ways []Direction
		for d := range directions {
			if to, ok := m.neighbor(from, d); ok && !reached[to] {
				ways = append(ways, d)
			}
		}
		if len(ways) == 0 {
			growing = slices.Delete(growing, at, at+1)
			continue
		}
		d := ways[r.IntN(len(ways))]
		to, _ := m.neighbor(from, d)
		m.door(from, d)
		reached[to] = true
		growing = append(growing, to)
	}
	for from := range n {
		for _, d := range []Direction{South, East} { // each wall once
			if _, ok := m.neighbor(from, d); ok && r.IntN(extraDoors) == 0 {
				m.door(from, d)
			}
		}
	}
	m.measure()
}

// neighbor is the cell next to another; false at the edge.
func (m *Maze) neighbor(from int, d Direction) (int, bool) {
	x, y := from%m.Size, from/m.Size
	switch d {
	case North:
		y--
	case South:
		y++
	case East:
		x++
	case West:
		x--
	}
	return y*m.Size + x, x >= 0 && y >= 0 && x < m.Size && y < m.Size
}

// door opens the wall between two cells, both ways.
func (m *Maze) door(from int, d Direction) {
	back := [directions]Direction{North: South, South: North, East: West, West: East}
	to, _ := m.neighbor(from, d)
	m.open[from][d], m.open[to][back[d]] = true, true
}

// measure fills in the distances, breadth first.
func (m *Maze) measure() {
	for i, way := range m.search() {
		m.Cells[i].Distance = len(way)
	}
}

// way is a shortest way from the start to a cell.
func (m *Maze) way(to int) []Direction { return m.search()[to] }

// search finds a shortest way from the start to each cell.
func (m *Maze) search() [][]Direction {
	ways := make([][]Direction, len(m.open))
	seen := make([]bool, len(m.open))
	seen[0] = true
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for d := range directions {
			to, ok := m.neighbor(from, d)
			if !ok || !m.open[from][d] || seen[to] {
				continue
			}
			seen[to] = true
			ways[to] = append(slices.Clone(ways[from]), d)
			queue = append(queue, to)
		}
	}
	return ways
}
