// Package maze makes contracts that are mazes, from a seed, with what is known of
// them: a position on a grid is the state, calls move it by one step, and behind the
// conditions on their arguments are assertions, each with a number of its own.
//
//	maze.go       a maze and what it is made of
//	grid.go       walls and ways
//	expression.go what conditions compare, and its value in the EVM's arithmetic
//	guard.go      conjunctions around a witness
//	infeasible.go contradictions
//	solidity.go   the contract's text
//
// The shape (a grid, four moves, eight integers, nested conditions) is that of
// Daedaluzz, Consensys Diligence's generator of mazes to compare fuzzers on; no code is.
package maze

import (
	"fmt"
	"math/big"
	"math/rand/v2"
)

// Parameters is the number of arguments of each move.
const Parameters = 8

// Sizes of a maze's side, in cells. The least makes a maze for a quick test; walls of
// the largest fill the bits of one word.
const (
	MinSize = 3
	MaxSize = 16
)

// Direction is one of the four moves.
type Direction int

// The directions, in the order of [Names].
const (
	North Direction = iota
	South
	East
	West
	directions
)

// Names are the moves' functions, by direction.
var Names = [directions]string{"moveNorth", "moveSouth", "moveEast", "moveWest"}

// Call is a move with its arguments.
type Call struct {
	Direction Direction
	Arguments [Parameters]*big.Int
}

// Cell is a place of the grid.
type Cell struct {
	X, Y     int
	Distance int // moves from the start
	// ID is the assertion that entering the cell with the right arguments raises; 0:
	// none.
	ID    int
	Guard *Guard // of the assertion; nil where there is none
}

// Maze is a generated contract and what is known of it.
type Maze struct {
	Seed  uint64
	Size  int // of a side, in cells
	Types [Parameters]Type
	Cells []Cell // row by row, from the north-west; the first is the start

	open [][directions]bool // by cell: where no wall is
}

// guardedShare: so many of twelve cells have an assertion. Of the 48 cells of 7 × 7
// that leaves 44 on average; the generator sees to at least [MinIDs].
const guardedShare = 11

// infeasibleShare: one assertion in so many cannot be raised. Arbitrary.
const infeasibleShare = 7

// MinIDs is the least number of assertions in a maze of 7 × 7 or larger.
const MinIDs = 40

// New makes the maze of a seed: the same one for the same arguments.
func New(seed uint64, size int) (*Maze, error) {
	if size < MinSize || size > MaxSize {
		return nil, fmt.Errorf("a maze of %d × %d: want %d to %d", size, size, MinSize, MaxSize)
	}
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	m := &Maze{Seed: seed, Size: size, Types: drawTypes(r)}
	m.dig(r)
	cells := len(m.Cells) - 1 // no call enters the start at first
	least := min(MinIDs, cells)
	for i, left := range shuffled(r, cells) {
		if i < least || r.IntN(12) < guardedShare {
			m.Cells[left+1].Guard = newGuard(r, &m.Types)
		}
	}
	id := 0
	for i := range m.Cells {
		if m.Cells[i].Guard != nil {
			id++
			m.Cells[i].ID = id
		}
	}
	return m, nil
}

func shuffled(r *rand.Rand, n int) []int { return r.Perm(n) }

// Guarded lists the cells with assertions, in the order of their numbers.
func (m *Maze) Guarded() []*Cell {
	var cells []*Cell
	for i := range m.Cells {
		if m.Cells[i].Guard != nil {
			cells = append(cells, &m.Cells[i])
		}
	}
	return cells
}

// Walk is the shortest way to raise a cell's assertion: moves with zeros, and at last
// the witness. Nil where that is not known to be possible.
func (m *Maze) Walk(c *Cell) []Call {
	if c.Guard == nil || c.Guard.Contradiction != "" {
		return nil
	}
	var calls []Call
	for _, d := range m.way(m.index(c)) {
		call := Call{Direction: d}
		for i := range call.Arguments {
			call.Arguments[i] = new(big.Int)
		}
		calls = append(calls, call)
	}
	calls[len(calls)-1].Arguments = c.Guard.Witness
	return calls
}

func (m *Maze) index(c *Cell) int { return c.Y*m.Size + c.X }
