package solgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// generator makes one program.
type generator struct {
	*rand.Rand
	marks  int
	names  int
	types  []intType // of this program: few, so that values meet
	consts []int64   // likewise
	// callable so far, by what contains them
	library, external, other, own []*function
	modifiers                     []*function
	bits                          map[intType]bool // types that have a witness function
	argument, fixed               intType          // of Other's constructor; of the immutable
	base                          scope            // what the base contract declares
	virtual                       *function
	virtualHead                   string // the line of its override
	entries                       int    // external functions of the main contract so far
}

// intType is an integer type.
type intType struct {
	signed bool
	bits   int
}

func (t intType) String() string {
	if t.signed {
		return fmt.Sprintf("int%d", t.bits)
	}
	return fmt.Sprintf("uint%d", t.bits)
}

var word = intType{bits: 256}

// function is something that can be called.
type function struct {
	name   string
	params []intType
	result intType
}

// New makes the program of a seed.
func New(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), bits: map[intType]bool{}}
	for range 2 + g.IntN(2) {
		g.types = append(g.types, intType{g.IntN(4) == 0, []int{8, 8, 16, 32, 64, 128, 160, 256}[g.IntN(8)]})
	}
	if g.IntN(2) == 0 {
		g.types = append(g.types, word)
	}
	pool := []int64{0, 1, 2, 3, 5, 7, 10, 34, 37, 64, 100, 127}
	g.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	g.consts = pool[:5]
	return g.program()
}

// one chance in n.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) typ() intType { return pick(g, g.types) }

// mark is a new mark.
func (g *generator) mark() int {
	g.marks++
	return g.marks
}

// name is a new name.
func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// scope is what statements of a function can refer to.
type scope struct {
	vars      []variable // locals, and state variables
	locals    int        // so many of them, which the stack holds
	calls     []*function
	unchecked bool
	loop      bool
	state     bool     // there are state variables
	result    *intType // of the function; nil: none
	pure      bool     // nothing may fail: in most constructors
	depth     int
}

// variable is an integer that can be read, and written unless it is constant.
type variable struct {
	name     string
	typ      intType
	constant bool
	local    bool
}

// maxLocals leaves room on the stack for what expressions need: 16 words can be reached.
const maxLocals = 6

// inner is a block's scope.
func (s *scope) inner() *scope {
	inner := *s
	inner.vars = slices.Clone(s.vars)
	inner.depth++
	return &inner
}

// declare adds a local.
func (s *scope) declare(name string, t intType, constant bool) {
	s.vars = append(s.vars, variable{name, t, constant, true})
	s.locals++
}

// of are the variables of a type.
func (s *scope) of(t intType, writable bool) []variable {
	var list []variable
	for _, v := range s.vars {
		if v.typ == t && (!writable || !v.constant) {
			list = append(list, v)
		}
	}
	return list
}

// statement is a leaf with a witness.
func (g *generator) statement(format string, arguments ...any) *Node {
	return &Node{Parts: []Part{{Head: fmt.Sprintf(format, arguments...), Mark: g.mark()}}}
}

// line is a leaf without one.
func line(text string) *Node { return &Node{Parts: []Part{{Head: text}}, Fixed: true} }
