package cheatcode

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// assertTable: claims of a test. An assertion that does not hold reverts, with the text
// that forge prints.
var assertTable = assertions()

// assertions makes the table: most exist for several types, and all with and without
// a text of the test's own.
func assertions() []function {
	var table []function
	add := func(name, arguments string, run func(*context, []abi.Value) error) {
		for _, text := range []string{"", ",string"} {
			table = append(table, function{Signature: name + "(" + arguments + text + ")", run: asserting(run, text != "")})
		}
	}
	add("assertTrue", "bool", holds(func(v *abi.Value) bool { return v.Bool() }))
	add("assertFalse", "bool", holds(func(v *abi.Value) bool { return !v.Bool() }))
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

// asserting makes a cheatcode of a claim. The message of one that does not hold begins with
// "assertion failed", or the test's own text if that is the last argument.
func asserting(run func(*context, []abi.Value) error, own bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		err := run(c, a)
		if err == nil {
			return nil, nil
		}
		text := "assertion failed"
		if own {
			text = a[len(a)-1].Text()
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

func holds(what func(*abi.Value) bool) func(*context, []abi.Value) error {
	return func(_ *context, a []abi.Value) error {
		if what(&a[0]) {
			return nil
		}
		return errors.New("")
	}
}

// compares claims a relation of the first two arguments; otherwise is the contrary.
func compares(relation, otherwise string) func(*context, []abi.Value) error {
	return func(c *context, a []abi.Value) error {
		t := &c.fn.arguments[0]
		if related(relation, t, &a[0], &a[1]) {
			return nil
		}
		if strings.HasSuffix(c.fn.name, "Decimal") {
			return fmt.Errorf("%s %s %s", decimal(t, &a[0].Word, &a[2].Word), otherwise, decimal(t, &a[1].Word, &a[2].Word))
		}
		return fmt.Errorf("%s %s %s", format(t, &a[0]), otherwise, format(t, &a[1]))
	}
}

func related(relation string, t *abi.Type, a, b *abi.Value) bool {
	switch relation {
	case "==":
		return abi.Equal(a, b)
	case "!=":
		return !abi.Equal(a, b)
	}
	order := a.Word.Cmp(&b.Word)
	if t.Kind == abi.Int {
		order = signedBig(&a.Word).Cmp(signedBig(&b.Word))
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

// maxDecimals is the number of decimals up to which a number is written with a point;
// more than a number has digits.
const maxDecimals = 77

// decimal writes a number of units with that many decimals.
func decimal(t *abi.Type, n, decimals *uint256.Int) string {
	text, sign := format(t, &abi.Value{Word: *n}), ""
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
func distance(t *abi.Type, a, b *abi.Value) *big.Int {
	if t.Kind == abi.Int {
		d := new(big.Int).Sub(signedBig(&a.Word), signedBig(&b.Word))
		return d.Abs(d)
	}
	d := new(big.Int).Sub(a.Word.ToBig(), b.Word.ToBig())
	return d.Abs(d)
}

func nearAbsolutely(c *context, a []abi.Value) error {
	t := &c.fn.arguments[0]
	delta := distance(t, &a[0], &a[1])
	if delta.Cmp(a[2].Word.ToBig()) <= 0 {
		return nil
	}
	write := func(n *big.Int) string { return n.String() }
	left, right := format(t, &a[0]), format(t, &a[1])
	if strings.HasSuffix(c.fn.name, "Decimal") {
		write = func(n *big.Int) string { return decimal(&wordType, uint256.MustFromBig(n), &a[3].Word) }
		left, right = decimal(t, &a[0].Word, &a[3].Word), decimal(t, &a[1].Word, &a[3].Word)
	}
	return fmt.Errorf("%s !~= %s (max delta: %s, real delta: %s)", left, right, write(a[2].Word.ToBig()), write(delta))
}

// percent is 1e18: what 100 % is in the argument of assertApproxEqRel.
var percent = big.NewInt(1e18)

func nearRelatively(c *context, a []abi.Value) error {
	t := &c.fn.arguments[0]
	delta := distance(t, &a[0], &a[1])
	left, right := format(t, &a[0]), format(t, &a[1])
	if strings.HasSuffix(c.fn.name, "Decimal") {
		left, right = decimal(t, &a[0].Word, &a[3].Word), decimal(t, &a[1].Word, &a[3].Word)
	}
	most := a[2].Word.ToBig()
	if a[1].Word.IsZero() {
		if a[0].Word.IsZero() {
			return nil
		}
		return fmt.Errorf("%s !~= %s (max delta: %s%%, real delta: undefined)", left, right, share(most))
	}
	base := new(big.Int).Abs(a[1].Word.ToBig())
	if t.Kind == abi.Int {
		base.Abs(signedBig(&a[1].Word))
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
