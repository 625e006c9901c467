package input

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// maxNameLength bounds names, so that messages stay readable.
const maxNameLength = 1 << 12

// name reads a plain or quoted name.
func (p *parser) name(what string) (string, error) { return p.token(what, isNameByte) }

// token reads a word of the given bytes, or any text in quotes.
func (p *parser) token(what string, ok func(byte) bool) (string, error) {
	at := p.at
	var word string
	if p.at < len(p.line) && p.line[p.at] == '"' {
		var err error
		if word, err = p.quoted(); err != nil {
			return "", err
		}
	} else {
		word = p.span(ok)
	}
	if word == "" || len(word) > maxNameLength {
		return "", p.errorf(at, "expected %s, found %s", what, found(p.line[at:]))
	}
	return word, nil
}

// quoted reads a string in double quotes with Go's escapes.
func (p *parser) quoted() (string, error) {
	at := p.at
	prefix, err := strconv.QuotedPrefix(p.line[at:])
	if err != nil || prefix[0] != '"' {
		return "", p.errorf(at, "expected a string in double quotes, found %s", found(p.line[at:]))
	}
	p.at += len(prefix)
	word, err := strconv.Unquote(prefix)
	if err != nil {
		return "", p.errorf(at, "the string's escapes are malformed")
	}
	return word, nil
}

func (p *parser) spend(at, n int) error {
	if p.words -= n; p.words < 0 {
		return p.errorf(at, "the arguments have more than %d words", MaxCallWords)
	}
	return nil
}

// values reads a list in left and right; want is its length, −1 for any.
func (p *parser) values(left, right byte, want int, typ func(int) *Type) ([]Value, error) {
	if err := p.expect(string(left)); err != nil {
		return nil, err
	}
	var values []Value
	for !p.accept(string(right)) {
		n := len(values)
		switch {
		case n > 0 && !p.accept(","):
			return nil, p.errorf(p.at, "expected \",\" or %q, found %s", string(right), found(p.line[p.at:]))
		case n == want:
			return nil, p.errorf(p.at, "expected %q after %d values", string(right), want)
		case n == MaxElements && want < 0:
			return nil, p.errorf(p.at, "more than %d elements", MaxElements)
		}
		p.span(func(c byte) bool { return c == ' ' })
		v, err := p.value(typ(n))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	if want >= 0 && len(values) != want {
		return nil, p.errorf(p.at-1, "expected %d values, found %d", want, len(values))
	}
	return values, nil
}

func (p *parser) value(t *Type) (v Value, err error) {
	at := p.at
	switch t.Kind {
	case Slice:
		if err = p.spend(at, 1); err == nil {
			v.Elems, err = p.values('[', ']', -1, t.Child)
		}
		return v, err
	case Array:
		v.Elems, err = p.values('[', ']', t.Length, t.Child)
		return v, err
	case Tuple:
		v.Elems, err = p.values('(', ')', len(t.Fields), t.Child)
		return v, err
	case Bytes:
		v.Bytes, err = p.hexBytes(t)
	case String:
		var text string
		text, err = p.quoted()
		v.Bytes = []byte(text)
	default:
		v.Word, err = p.word(t)
	}
	if err != nil {
		return v, err
	}
	if len(v.Bytes) > MaxBytes {
		return v, p.errorf(at, "%d bytes, at most %d are allowed", len(v.Bytes), MaxBytes)
	}
	return v, p.spend(at, abi.Words(&v, t))
}

// word reads an elementary value.
func (p *parser) word(t *Type) (x uint256.Int, err error) {
	at := p.at
	switch t.Kind {
	case Address:
		return p.address()
	case Bool:
		if p.accept("true") {
			x.SetOne()
			return x, nil
		}
		if p.accept("false") {
			return x, nil
		}
		return x, p.errorf(at, "expected true or false, found %s", found(p.line[at:]))
	case FixedBytes:
		data, err := p.hexBytes(t)
		if err != nil {
			return x, err
		}
		if len(data) != t.Bits/8 {
			return x, p.errorf(at, "expected %d bytes for %s, found %d", t.Bits/8, t, len(data))
		}
		var word [32]byte
		copy(word[:], data)
		x.SetBytes32(word[:])
		return x, nil
	}
	negative := t.Kind == Int && p.accept("-")
	if x, err = p.number256(); err != nil {
		return x, err
	}
	return x, p.fitNumber(at, t, &x, negative)
}

// fitNumber gives a number its sign and checks that it is one of the type.
func (p *parser) fitNumber(at int, t *Type, x *uint256.Int, negative bool) error {
	fits := t.Fits(x)
	if t.Kind == Int {
		inRange := x.Lt(minInt256) || negative && x.Eq(minInt256)
		if negative {
			x.Neg(x)
		}
		fits = inRange && t.Fits(x)
	}
	if !fits {
		return p.errorf(at, "the number does not fit %s", t)
	}
	return nil
}

// minInt256 is −2^255.
var minInt256 = new(uint256.Int).Lsh(uint256.NewInt(1), 255)

// address reads a name or 0x and 40 digits.
func (p *parser) address() (x uint256.Int, err error) {
	at := p.at
	if digits := p.line[p.at:]; len(digits) >= 2 && digits[:2] == "0x" {
		data, err := p.hexBytes(&addressType)
		if err != nil {
			return x, err
		}
		if len(data) != common.AddressLength {
			return x, p.errorf(at, "expected %d bytes for an address, found %d", common.AddressLength, len(data))
		}
		x.SetBytes20(data)
		return x, nil
	}
	name, err := p.name("an account's name or 0x and 40 digits")
	if err != nil {
		return x, err
	}
	a, known := p.space.names.addresses[name]
	if !known {
		p.missing(at, "account", name)
	}
	return addressWord(a), nil
}

// hexBytes reads 0x and an even number of digits.
func (p *parser) hexBytes(t *Type) ([]byte, error) {
	at := p.at
	if !p.accept("0x") {
		return nil, p.errorf(at, "expected 0x and hexadecimal digits for %s, found %s", t, found(p.line[at:]))
	}
	data, err := hex.DecodeString(p.span(isNameByte))
	if err != nil {
		return nil, p.errorf(at, "%s: %v", t, describeHexError(err))
	}
	if len(data) == 0 {
		return nil, nil
	}
	return data, nil
}

func describeHexError(err error) string {
	if errors.Is(err, hex.ErrLength) {
		return "an odd number of hexadecimal digits"
	}
	return fmt.Sprintf("malformed bytes (%v)", err)
}
