package input

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// The text form of a sequence, for corpus files and reproducers. The first line
// names the version; then each call has a line:
//
//	sightline-sequence v1
//	user1 Vault.deposit(uint256) args (1000) value 5 time +3600 block +1
//	attacker Vault.set(bytes,address[]) args (0xabcd, [user1, 0x00000000000000000000000000000000000000ff])
//
// Behind that, a call has what an attacker's contract does when it is called meanwhile, if it is not
// what callers expect: for each answer the function it is to (any: all, payment: ether alone), how
// often it is given at most, after which other one of them, the calls that the contract makes, and what it ends with:
//
//	attackerContract Bank.withdraw(uint256) args (5) on payment times 1 calls {Bank.withdraw(uint256) args (5); Bank.close()} reverts
//	user1 Shop.buy() on price() times 1 returns (100) on price() returns (1)
//	user1 Game.play(address) args (attackerContract) on any burns
//
// A line is sender, instance and signature, then what is not zero or empty, in
// this order: arguments, wei, seconds and blocks that pass before the call.
// Numbers are decimal (hexadecimal is read too), fixed and dynamic bytes
// hexadecimal, strings quoted as in Go, arrays in brackets, tuples in
// parentheses, addresses of senders and instances are their names. A name that
// is not a plain word is quoted. Empty lines and lines that start with # are
// skipped.

// textVersion is the first line. Another version gets another number.
const (
	textMagic   = "sightline-sequence"
	textVersion = textMagic + " v1"
)

// Format writes a valid sequence in its text form, with a final newline.
func Format(s *Space, seq Sequence) string {
	var b strings.Builder
	b.WriteString(textVersion)
	b.WriteByte('\n')
	for i := range seq {
		s.formatCall(&b, &seq[i])
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *Space) formatCall(b *strings.Builder, c *Call) {
	b.WriteString(quoteName(s.Senders[c.Sender].Name))
	b.WriteByte(' ')
	s.formatMessage(b, c)
	if c.TimeAdvance > 0 {
		fmt.Fprintf(b, " time +%d", c.TimeAdvance)
	}
	if c.BlockAdvance > 0 {
		fmt.Fprintf(b, " block +%d", c.BlockAdvance)
	}
	s.formatScript(b, c.Script)
}

// formatMessage writes what is called, with arguments and wei.
func (s *Space) formatMessage(b *strings.Builder, c *Call) {
	b.WriteString(quoteName(s.Instances[c.Instance].Name))
	b.WriteByte('.')
	b.WriteString(quoteSignature(c.Function.Signature))
	if len(c.Args) > 0 {
		b.WriteString(" args ")
		arguments := Type{Kind: Tuple, Fields: c.Function.Inputs}
		s.formatValue(b, &Value{Elems: c.Args}, &arguments)
	}
	if !c.Value.IsZero() {
		b.WriteString(" value ")
		b.WriteString(c.Value.Dec())
	}
}

func (s *Space) formatValue(b *strings.Builder, v *Value, t *Type) {
	b.WriteString(s.style().Format(t, v))
}

// style writes values as the text form has them.
func (s *Space) style() *abi.Style {
	return &abi.Style{Address: s.formatAddress, String: strconv.QuoteToASCII}
}

// formatAddress is the name of an account of the Space, quoted if need be, else
// the address in lower-case hexadecimal.
func (s *Space) formatAddress(a common.Address) string {
	if name, ok := s.names.of[a]; ok {
		return quoteName(name)
	}
	return "0x" + hex.EncodeToString(a[:])
}

// quoteName leaves plain words as they are: letters, digits, _, $, # and -, not
// starting with a digit. Everything else is quoted, so that no name can be
// taken for something else or break the line.
func quoteName(name string) string {
	if isPlain(name, isNameByte) && (name[0] < '0' || name[0] > '9') && name[0] != '#' {
		return name
	}
	return strconv.QuoteToASCII(name)
}

func quoteSignature(signature string) string {
	if isPlain(signature, isSignatureByte) {
		return signature
	}
	return strconv.QuoteToASCII(signature)
}

func isPlain(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return s != ""
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c == '#' || c == '-'
}

func isSignatureByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' ||
		c == '(' || c == ')' || c == '[' || c == ']' || c == ','
}
