package cheatcode

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/holiman/uint256"
)

// assertTable: what a test claims. An assertion that does not hold reverts, with the text
// that forge prints.
var assertTable = assertions()

// assertions makes the table: most exist for several types, and all with and without
// a text of the test's own.
func assertions() []Function {
	var table []Function
	add := func(name, arguments string, run func(*context, []value) error) {
		for _, text := range []string{"", ",string"} {
			table = append(table, Function{Signature: name + "(" + arguments + text + ")", run: asserting(run, text != "")})
		}
	}
	add("assertTrue", "bool", holds(func(v *value) bool { return v.truth() }))
	add("assertFalse", "bool", holds(func(v *value) bool { return !v.truth() }))
	for _, t := range []string{"bool", "uint256", "int256", "address", "bytes32", "string", "bytes"} {
		for _, t := range []string{t, t + "[]"} {
			add("assertEq", t+","+t, compares("==", "!="))
			add("assertNotEq", t+","+t, compares("!=", "=="))
		}
	}
	for _, t := range []string{"uint256", "int256"} {
		two := t + "," + t
		add("assertEqDecimal", two+",uint256", compares("==", "!="))
		add("assertNotEqDecimal", two+",uint256", compares("!=", "=="))
		for _, order := range [][3]string{{"Gt", ">", "<="}, {"Ge", ">=", "<"}, {"Lt", "<", ">="}, {"Le", "<=", ">"}} {
			add("assert"+order[0], two, compares(order[1], order[2]))
			add("assert"+order[0]+"Decimal", two+",uint256", compares(order[1], order[2]))
		}
		add("assertApproxEqAbs", two+",uint256", nearAbsolutely)
		add("assertApproxEqAbsDecimal", two+",uint256,uint256", nearAbsolutely)
		add("assertApproxEqRel", two+",uint256", nearRelatively)
		add("assertApproxEqRelDecimal", two+",uint256,uint256", nearRelatively)
	}
	return table
}

// asserting makes a cheatcode of what has to hold. What does not has "assertion failed"
// before it, or the test's own text where it is the last argument.
func asserting(run func(*context, []value) error, own bool) func(*context, []value) ([]value, error) {
	return func(c *context, a []value) ([]value, error) {
		err := run(c, a)
		if err == nil {
			return nil, nil
		}
		text := "assertion failed"
		if own {
			text = a[len(a)-1].text()
		}
		if err.Error() != "" {
			text += ": " + err.Error()
		}
		return nil, bareText(text)
	}
}

// bareText is a failure whose text does not begin with the cheatcode's name.
type bareText string

func (t bareText) Error() string { return string(t) }

func holds(what func(*value) bool) func(*context, []value) error {
	return func(_ *context, a []value) error {
		if what(&a[0]) {
			return nil
		}
		return errors.New("")
	}
}

// compares claims a relation of the first two arguments; otherwise is the contrary.
func compares(relation, otherwise string) func(*context, []value) error {
	return func(c *context, a []value) error {
		t := &c.fn.arguments[0]
		if related(relation, t, &a[0], &a[1]) {
			return nil
		}
		if strings.HasSuffix(c.fn.name, "Decimal") {
			return fmt.Errorf("%s %s %s", decimal(t, &a[0].word, &a[2].word), otherwise, decimal(t, &a[1].word, &a[2].word))
		}
		return fmt.Errorf("%s %s %s", format(t, &a[0]), otherwise, format(t, &a[1]))
	}
}

func related(relation string, t *typ, a, b *value) bool {
	switch relation {
	case "==":
		return equal(t, a, b)
	case "!=":
		return !equal(t, a, b)
	}
	order := a.word.Cmp(&b.word)
	if t.kind == kindInt {
		order = signedBig(&a.word).Cmp(signedBig(&b.word))
	}
	switch relation {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	}
	return order <= 0
}

func equal(t *typ, a, b *value) bool {
	switch t.kind {
	case kindBytes, kindString:
		return string(a.bytes) == string(b.bytes)
	case kindSlice:
		return slices.EqualFunc(a.list, b.list, func(x, y value) bool { return equal(t.elem, &x, &y) })
	}
	return a.word == b.word
}

// maxDecimals is the number of decimals up to which a number is written with a point;
// more than a number has digits.
const maxDecimals = 77

// decimal writes a number of units with that many decimals.
func decimal(t *typ, n, decimals *uint256.Int) string {
	text, sign := format(t, &value{word: *n}), ""
	if !decimals.IsUint64() || decimals.Uint64() > maxDecimals {
		return text
	}
	text, negative := strings.CutPrefix(text, "-")
	if negative {
		sign = "-"
	}
	places := int(decimals.Uint64())
	if len(text) <= places {
		text = strings.Repeat("0", places+1-len(text)) + text
	}
	if places == 0 {
		return sign + text + ".0"
	}
	return sign + text[:len(text)-places] + "." + text[len(text)-places:]
}

// distance is how far two numbers are from each other.
func distance(t *typ, a, b *value) *big.Int {
	if t.kind == kindInt {
		d := new(big.Int).Sub(signedBig(&a.word), signedBig(&b.word))
		return d.Abs(d)
	}
	d := new(big.Int).Sub(a.word.ToBig(), b.word.ToBig())
	return d.Abs(d)
}

func nearAbsolutely(c *context, a []value) error {
	t := &c.fn.arguments[0]
	delta := distance(t, &a[0], &a[1])
	if delta.Cmp(a[2].word.ToBig()) <= 0 {
		return nil
	}
	write := func(n *big.Int) string { return n.String() }
	left, right := format(t, &a[0]), format(t, &a[1])
	if strings.HasSuffix(c.fn.name, "Decimal") {
		u := &typ{kind: kindUint, size: 256, words: 1}
		write = func(n *big.Int) string { return decimal(u, uint256.MustFromBig(n), &a[3].word) }
		left, right = decimal(t, &a[0].word, &a[3].word), decimal(t, &a[1].word, &a[3].word)
	}
	return fmt.Errorf("%s !~= %s (max delta: %s, real delta: %s)", left, right, write(a[2].word.ToBig()), write(delta))
}

// percent is 1e18: what 100 % is in the argument of assertApproxEqRel.
var percent = big.NewInt(1e18)

func nearRelatively(c *context, a []value) error {
	t := &c.fn.arguments[0]
	delta := distance(t, &a[0], &a[1])
	left, right := format(t, &a[0]), format(t, &a[1])
	if strings.HasSuffix(c.fn.name, "Decimal") {
		left, right = decimal(t, &a[0].word, &a[3].word), decimal(t, &a[1].word, &a[3].word)
	}
	most := a[2].word.ToBig()
	if a[1].word.IsZero() {
		if a[0].word.IsZero() {
			return nil
		}
		return fmt.Errorf("%s !~= %s (max delta: %s%%, real delta: undefined)", left, right, share(most))
	}
	base := new(big.Int).Abs(a[1].word.ToBig())
	if t.kind == kindInt {
		base.Abs(signedBig(&a[1].word))
	}
	// A relative error is a share of the right side, rounded down.
	found := delta.Div(delta.Mul(delta, percent), base)
	if found.BitLen() > 256 {
		return errors.New("overflow in delta calculation")
	}
	if found.Cmp(most) <= 0 {
		return nil
	}
	return fmt.Errorf("%s !~= %s (max delta: %s%%, real delta: %s%%)", left, right, share(most), share(found))
}

// share writes a share of 1e18 in percent.
func share(n *big.Int) string {
	text := fmt.Sprintf("%017d", n)
	return text[:len(text)-16] + "." + text[len(text)-16:]
}
