package maze

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
)

// Type is that of an integer: intN or uintN.
type Type struct {
	Bits   int
	Signed bool
}

func (t Type) String() string {
	if t.Signed {
		return fmt.Sprintf("int%d", t.Bits)
	}
	return fmt.Sprintf("uint%d", t.Bits)
}

// least and most are the ends of the type's range.
func (t Type) least() *big.Int {
	if !t.Signed {
		return new(big.Int)
	}
	return new(big.Int).Neg(power(t.Bits - 1))
}

func (t Type) most() *big.Int {
	bits := t.Bits
	if t.Signed {
		bits--
	}
	return new(big.Int).Sub(power(bits), big.NewInt(1))
}

func power(bits int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }

func (t Type) fits(x *big.Int) bool { return x.Cmp(t.least()) >= 0 && x.Cmp(t.most()) <= 0 }

// wrap is the number of the type that x is modulo 2^bits.
func (t Type) wrap(x *big.Int) *big.Int {
	w := new(big.Int).Mod(x, power(t.Bits))
	if w.Cmp(t.most()) > 0 {
		w.Sub(w, power(t.Bits))
	}
	return w
}

// drawTypes draws the parameters' types: at least two widths of either kind.
func drawTypes(r *rand.Rand) (types [Parameters]Type) {
	always := []Type{{64, false}, {64, true}, {256, false}, {256, true}}
	n := copy(types[:], always)
	others := append(slices.Clone(always), Type{32, false}, Type{32, true}, Type{128, false}, Type{128, true})
	for i := n; i < Parameters; i++ {
		types[i] = others[r.IntN(len(others))]
	}
	r.Shuffle(Parameters, func(i, j int) { types[i], types[j] = types[j], types[i] })
	return types
}

// expression is what a comparison compares: a parameter, a constant, or a sum, a
// difference or a product of two expressions. Its type is the wider one of its
// operands', as Solidity converts them.
type expression struct {
	operator    byte // '+', '-', '*'; 0: no operation
	left, right *expression
	parameter   int      // where constant is nil
	constant    *big.Int // nil: a parameter
	typ         Type
}

func parameter(i int, types *[Parameters]Type) *expression {
	return &expression{parameter: i, typ: types[i]}
}

func constant(x *big.Int, t Type) *expression { return &expression{constant: x, typ: t} }

// operation is left operator right, both of one signedness.
func operation(left *expression, operator byte, right *expression) *expression {
	t := left.typ
	if right.typ.Bits > t.Bits {
		t = right.typ
	}
	return &expression{operator: operator, left: left, right: right, typ: t}
}

func (e *expression) String() string {
	switch {
	case e.operator != 0:
		return fmt.Sprintf("%s %c %s", e.left, e.operator, e.right)
	case e.constant != nil:
		return fmt.Sprintf("%s(%s)", e.typ, e.constant)
	}
	return fmt.Sprintf("p%d", e.parameter)
}

// value is what the expression evaluates to; nil when checked arithmetic reverts.
// Unchecked arithmetic wraps, each operation in its own type.
func (e *expression) value(arguments *[Parameters]*big.Int, checked bool) *big.Int {
	switch {
	case e.constant != nil:
		return e.constant
	case e.operator == 0:
		return arguments[e.parameter]
	}
	left, right := e.left.value(arguments, checked), e.right.value(arguments, checked)
	if left == nil || right == nil {
		return nil
	}
	x := new(big.Int)
	switch e.operator {
	case '+':
		x.Add(left, right)
	case '-':
		x.Sub(left, right)
	case '*':
		x.Mul(left, right)
	}
	if checked && !e.typ.fits(x) {
		return nil
	}
	return e.typ.wrap(x)
}

// Comparison is one condition.
type Comparison struct {
	left, right *expression
	operator    string
}

func (c *Comparison) String() string { return fmt.Sprintf("%s %s %s", c.left, c.operator, c.right) }

// operators are Solidity's comparisons, with what they say of left compared with right.
var operators = map[string]func(order int) bool{
	"==": func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// holds reports whether the comparison is true of the arguments; false as well where its
// arithmetic reverts.
func (c *Comparison) holds(arguments *[Parameters]*big.Int, checked bool) bool {
	left, right := c.left.value(arguments, checked), c.right.value(arguments, checked)
	return left != nil && right != nil && operators[c.operator](left.Cmp(right))
}
