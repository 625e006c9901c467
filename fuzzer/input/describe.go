package input

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Lengths beyond which a description leaves things out. Arbitrary: an address, a
// word and a short array are shown in full, and a call mostly fits a line.
const (
	describedBytes = 32
	describedText  = 40
	describedElems = 6
)

// Describe is a call for people, on one line: sender, then Expression. The exact
// text form is Format's.
func (s *Space) Describe(c *Call) string { return s.Senders[c.Sender].Name + " " + s.Expression(c) }

// DescribeCall is Describe without the call's script, see [Space.DescribeScript].
func (s *Space) DescribeCall(c *Call) string {
	return s.Senders[c.Sender].Name + " " + s.ExpressionAlone(c)
}

// ExpressionAlone is Expression without the call's script, see [Space.DescribeScript].
func (s *Space) ExpressionAlone(c *Call) string {
	alone := *c
	alone.Script = nil
	return s.Expression(&alone)
}

// Expression is a call as Solidity would write it, for people:
//
//	vault.deposit{value: 1 ether}(1000) [+1 day]
//
// Instances begin with a small letter, as variables do; of long bytes, what they hold
// is shown where it is known; other bytes, long strings and arrays are abbreviated; time and blocks that pass before the call stand
// behind, and what an attacker's contract does meanwhile. What comes from the code is quoted or of plain characters; escaping
// for a page is the caller's.
func (s *Space) Expression(c *Call) string {
	var b strings.Builder
	f := c.Function
	switch f.Kind {
	case Constructor:
		b.WriteString("new " + quoteName(f.Contract.Name))
	case Method:
		b.WriteString(s.Receiver(c) + "." + quoteName(f.Name))
	default: // Solidity's way to enter fallback or receive
		b.WriteString(s.Receiver(c) + ".call")
	}
	if !c.Value.IsZero() {
		b.WriteString("{value: " + Ether(&c.Value) + "}")
	}
	b.WriteByte('(')
	b.WriteString(describer{s, s.Instances[c.Instance].Contract, 0}.list(f.Inputs, c.Args))
	b.WriteByte(')')
	if c.TimeAdvance > 0 || c.BlockAdvance > 0 {
		b.WriteString(" " + describeAdvance(c.TimeAdvance, c.BlockAdvance))
	}
	for _, answer := range s.DescribeScript(c.Script) {
		b.WriteString("; " + answer)
	}
	return b.String()
}

// Receiver is the instance that is called, or made by a constructor's call, as
// Expression writes it.
func (s *Space) Receiver(c *Call) string {
	return quoteName(variableName(s.Instances[c.Instance].Name))
}

// NameOf is the name of a sender or instance at an address, as Expression writes
// it.
func (s *Space) NameOf(a common.Address) (string, bool) {
	name, ok := s.names.of[a]
	return quoteName(variableName(name)), ok
}

var addressText = regexp.MustCompile(`\b0x[0-9a-fA-F]{40}\b`)

// NameAddresses puts names in place of the addresses of senders and instances in a text, such as
// the arguments of a custom error.
func (s *Space) NameAddresses(text string) string {
	return addressText.ReplaceAllStringFunc(text, func(address string) string {
		if strings.Trim(address[2:], "0") == "" {
			return "address(0)"
		}
		if name, ok := s.NameOf(common.HexToAddress(address)); ok {
			return name
		}
		return address
	})
}

func (d describer) value(b *strings.Builder, v *Value, t *Type) {
	switch t.Kind {
	case Uint:
		b.WriteString(describeNumber(&v.Word, t))
	case Address:
		b.WriteString(d.describeAddress(&v.Word))
	case FixedBytes:
		if t.Bits >= 64 && v.Word.IsZero() {
			b.WriteString(t.String() + "(0)")
			return
		}
		d.formatValue(b, v, t)
	case Bytes:
		b.WriteString(d.describe(v.Bytes))
	case String:
		b.WriteString(describeText(v.Bytes))
	case Slice, Array, Tuple:
		d.elems(b, v, t)
	default:
		d.formatValue(b, v, t)
	}
}

func (d describer) elems(b *strings.Builder, v *Value, t *Type) {
	brackets := "[]"
	if t.Kind == Tuple {
		brackets = "()"
	}
	b.WriteByte(brackets[0])
	for i := range v.Elems {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == describedElems && t.Kind != Tuple {
			fmt.Fprintf(b, "… %d in all", len(v.Elems))
			break
		}
		d.value(b, &v.Elems[i], t.Child(i))
	}
	b.WriteByte(brackets[1])
}

func (s *Space) describeAddress(w *uint256.Int) string {
	a := common.Address(w.Bytes20())
	if name, ok := s.names.of[a]; ok {
		return quoteName(variableName(name))
	}
	if w.IsZero() {
		return "address(0)"
	}
	return a.Hex() // with the checksum of EIP-55, as Solidity wants literals
}

func describeText(data []byte) string {
	if len(data) <= describedText {
		return strconv.QuoteToASCII(string(data))
	}
	return fmt.Sprintf("%s… %d bytes", strconv.QuoteToASCII(string(data[:describedText/2])), len(data))
}

// milliether is 10^15 wei, the least that is shown in ether.
const milliether = 1e15

// describeNumber shows the maximum of a wide type by its Solidity name, powers of two as such, and round numbers as
// Solidity's "5e18". It says nothing of units: what is a number of tokens, a price or an id is not known.
func describeNumber(w *uint256.Int, t *Type) string {
	most := power(uint(t.Bits))
	most.SubUint64(&most, 1)
	if t.Bits >= 64 && w.Eq(&most) {
		return "type(" + t.String() + ").max"
	}
	var next uint256.Int
	next.AddUint64(w, 1)
	switch {
	case isPower(w):
		return fmt.Sprintf("2**%d", w.BitLen()-1)
	case isPower(&next):
		return fmt.Sprintf("2**%d - 1", w.BitLen())
	}
	return describeRound(w)
}

// leastPower: smaller powers of two, in bits, are read as they are. Arbitrary.
const leastPower = 32

func isPower(w *uint256.Int) bool {
	var below uint256.Int
	below.SubUint64(w, 1)
	return w.BitLen() > leastPower && below.And(&below, w).IsZero()
}

// Digits of round numbers: those of up to plainDigits are read as they are, and those that begin with more than roundDigits are not round.
// Arbitrary.
const (
	plainDigits = 6
	roundDigits = 4
)

// describeRound shows a round number as "5e18", "0.5" of that as "5e17" and 1,500 of it as "1500e18": the usual 18 decimals of tokens
// and ether stay together.
func describeRound(w *uint256.Int) string {
	const decimals = 18
	text := w.Dec()
	digits := strings.TrimRight(text, "0")
	zeros := len(text) - len(digits)
	if len(text) <= plainDigits || len(digits) > roundDigits {
		return text
	}
	exponent := len(text) - 1 // of the first digit
	if whole := len(text) - decimals; whole > 0 && whole <= roundDigits {
		exponent = decimals
		digits += strings.Repeat("0", max(0, zeros-decimals))
	}
	whole := len(text) - exponent
	if rest := strings.TrimRight(digits[whole:], "0"); rest != "" {
		return fmt.Sprintf("%s.%se%d", digits[:whole], rest, exponent)
	}
	return fmt.Sprintf("%se%d", digits[:whole], exponent)
}

var longNumber = regexp.MustCompile(`\b[0-9]{7,78}\b`)

// Round shows the round numbers in a text as [Space.Expression] does.
func Round(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(digits string) string {
		w, err := uint256.FromDecimal(digits)
		if err != nil { // more than a word
			return digits
		}
		return describeNumber(w, &wordType)
	})
}

// Wei is an amount for people, with its unit.
func Wei(w *uint256.Int) string {
	if text := Ether(w); strings.HasSuffix(text, " ether") {
		return text
	}
	return w.Dec() + " wei"
}

// Ether is an amount of wei for people: 0.001 ether and more exactly, in ether, as
// Solidity reads it; a lesser one in wei.
func Ether(w *uint256.Int) string {
	if w.LtUint64(milliether) {
		return w.Dec()
	}
	var whole, rest uint256.Int
	whole.DivMod(w, uint256.NewInt(1000*milliether), &rest)
	text := whole.Dec()
	if !rest.IsZero() {
		text += "." + strings.TrimRight(fmt.Sprintf("%018d", rest.Uint64()), "0")
	}
	return text + " ether"
}

// describeAdvance shows what passes before a call: "[+1 day, +7200 blocks]".
func describeAdvance(seconds, blocks uint64) string {
	var parts []string
	if seconds > 0 {
		parts = append(parts, "+"+describeSeconds(seconds))
	}
	if blocks > 0 {
		parts = append(parts, "+"+count(blocks, "block"))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// describeSeconds uses the largest unit that divides.
func describeSeconds(n uint64) string {
	for _, u := range []struct {
		seconds uint64
		name    string
	}{{day, "day"}, {hour, "hour"}, {60, "minute"}} {
		if n%u.seconds == 0 {
			return count(n/u.seconds, u.name)
		}
	}
	return count(n, "second")
}

func count(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}

// variableName turns a contract's name into a variable's: "Vault" to "vault",
// "MockToken" to "mockToken", "ERC20Token" to "erc20Token".
func variableName(name string) string {
	letters := []rune(name)
	for i, c := range letters {
		if !unicode.IsUpper(c) && !unicode.IsDigit(c) {
			break
		}
		startsWord := i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if startsWord {
			break
		}
		letters[i] = unicode.ToLower(c)
	}
	return string(letters)
}
