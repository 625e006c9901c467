package replay

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// naming says in terms of the source what words of storage are.
type naming struct {
	space     *input.Space
	variables map[string][]Variable // by qualified name
}

func (l *loaded) naming() *naming { return &naming{l.space, l.snapshot.Variables} }

// changedVariable is a variable whose value changes: a Variable with all of its name, "users[alice].paid".
type changedVariable struct {
	Variable
	before, after uint256.Int
}

// changed are the variables of a word that change with it; where none does that is known, the word as a whole.
// The word is accessed by a frame.
func (n *naming) changed(s *evm.StorageAccess, f *evm.Frame, before, after *uint256.Int) []changedVariable {
	var all []changedVariable
	parts := n.parts(s, f)
	for _, v := range parts {
		if v.Bytes == 0 || v.Bytes == wordBytes {
			continue
		}
		if old, now := v.in(before), v.in(after); !old.Eq(&now) {
			all = append(all, changedVariable{v, old, now})
		}
	}
	if len(all) == 0 {
		name, kind := n.word(s, parts)
		all = append(all, changedVariable{Variable{Name: name, Slot: s.Slot, Type: kind}, *before, *after})
	}
	return all
}

// word names a word, and its type if it is a plain value.
func (n *naming) word(s *evm.StorageAccess, parts []Variable) (name, kind string) {
	var names []string
	for _, v := range parts {
		names = append(names, v.Name)
	}
	switch {
	case s.Slot == attacker.Mark:
		return "a slot that the attacker chose", ""
	case len(names) == 0 && !s.Base.Eq(&s.Slot):
		name, _, _ = n.element(s, "slot "+s.Base.Hex(), "")
		return name, ""
	case len(names) == 0:
		return "slot " + shortWord(s.Slot.Hex()), ""
	case len(names) > 1:
		return strings.Join(names, ", ") + " (one slot)", "packed"
	}
	return names[0], parts[0].Type
}

// parts are the variables in a word, with all of their names: of the contract whose storage it is, since
// other code may run on that; else, as for a proxy, of the code that runs.
func (n *naming) parts(s *evm.StorageAccess, f *evm.Frame) []Variable {
	for i := range n.space.Instances {
		in := &n.space.Instances[i]
		if in.Address != s.Address || in.Contract == nil {
			continue
		}
		if own := n.among(n.variables[in.Contract.QualifiedName()], s); len(own) > 0 {
			return own
		}
	}
	if c := contractOf(f); c != nil {
		return n.among(n.variables[c.QualifiedName()], s)
	}
	return nil
}

// among are those of a contract's variables that are in a word.
func (n *naming) among(variables []Variable, s *evm.StorageAccess) []Variable {
	var all []Variable
	for _, v := range variables {
		derived := !s.Base.Eq(&s.Slot)
		var within uint256.Int // the slot, counted from where the value begins
		within.Sub(&s.Slot, &v.Slot)
		if derived {
			if !v.Slot.Eq(&s.Base) {
				continue
			}
			name, kind, known := n.element(s, v.Name, v.Type)
			v.Name, v.Type, v.Offset, v.Bytes = name, kind, 0, 0
			if !known {
				v.Members = nil
			}
			begin := s.Keys.Elements(&s.Base)
			within.Sub(&s.Slot, &begin)
		}
		found := false
		for _, m := range v.Members {
			if m.Slot.Eq(&within) && !isMapping(v.Type) {
				found = true
				m.Name = v.Name + m.Name
				all = append(all, m)
			}
		}
		switch {
		case found || !derived && !within.IsZero():
			continue
		case derived && s.Keys.Count > 0 && v.Type != "" && !within.IsZero():
			v.Name, v.Type = v.Name+" + "+within.Dec(), ""
		case strings.HasSuffix(v.Type, "[]"):
			v.Name, v.Type = v.Name+".length", "uint256"
		}
		all = append(all, v)
	}
	return all
}

// window bounds how far an element is behind the hash that it belongs to, as the recorder has it.
const window = 1 << 32

// element is the name and the type of the element of a mapping or an array that is accessed: "shares[alice]". Where its
// keys are not known, it is "shares[…]".
func (n *naming) element(s *evm.StorageAccess, of, kind string) (name, its string, known bool) {
	begin := s.Keys.Elements(&s.Base)
	var within uint256.Int
	within.Sub(&s.Slot, &begin)
	if !within.LtUint64(window) {
		return of + "[…]", "", false
	}
	if s.Keys.Count == 0 {
		element, isArray := strings.CutSuffix(kind, "[]")
		if !isArray || !isWhole(element) {
			return of + "[…]", "", false
		}
		return of + "[" + within.Dec() + "]", element, true
	}
	name = of
	for i := s.Keys.Count - 1; i >= 0; i-- { // the outermost is the last
		key, value, _ := strings.Cut(strings.TrimPrefix(kind, "mapping("), " => ")
		if !isMapping(kind) {
			key, value = "", ""
		}
		text, number := n.value(&s.Keys.Words[i], key)
		if number {
			text = input.Round(text)
		}
		name, kind = name+"["+text+"]", strings.TrimSuffix(value, ")")
	}
	return name, kind, true
}

func isMapping(kind string) bool { return strings.HasPrefix(kind, "mapping(") }

// isWhole reports whether each element of an array of a type has a slot of its own.
func isWhole(kind string) bool {
	switch kind {
	case "uint256", "int256", "bytes32":
		return true
	}
	return isAccount(kind)
}

func isAccount(kind string) bool {
	return kind == "address" || kind == "address payable" || strings.HasPrefix(kind, "contract ")
}

// value shows a value of a type, as the source would have it: an account by its name, numbers in decimal. kind is
// empty where the type is not known, and "packed" where several variables share the word.
func (n *naming) value(v *uint256.Int, kind string) (text string, number bool) {
	address := common.Address(v.Bytes20())
	if name, known := n.space.NameOf(address); known && v.BitLen() > 64 && v.BitLen() <= 160 {
		return name, false
	}
	bits, signed := 0, false
	if size, ok := strings.CutPrefix(kind, "int"); ok {
		bits, _ = strconv.Atoi(size)
		signed = bits > 0 && bits <= 8*wordBytes
	}
	bytes := 0
	if size, ok := strings.CutPrefix(kind, "bytes"); ok {
		bytes, _ = strconv.Atoi(size)
	}
	switch {
	case kind == "bool" && v.LtUint64(2):
		return fmt.Sprint(!v.IsZero()), false
	case kind == "string" || kind == "bytes":
		return byteString(v, kind), false
	case isAccount(kind) && v.IsZero():
		return "address(0)", false
	case isAccount(kind) && v.BitLen() <= 8*common.AddressLength:
		return address.Hex(), false
	case bytes > 0 && bytes <= wordBytes && !v.IsZero():
		return fmt.Sprintf("0x%0*s", 2*bytes, v.Hex()[2:]), false
	case signed:
		var x uint256.Int
		if x.ExtendSign(v, uint256.NewInt(uint64(bits/8-1))); x.Sign() < 0 {
			return "-" + x.Neg(&x).Dec(), true
		}
		return x.Dec(), true
	case kind == "packed", v.BitLen() > 128 && !strings.HasPrefix(kind, "uint"):
		return v.Hex(), false
	}
	return v.Dec(), true
}

// byteString shows what the slot of a string or of bytes says of it: all of it where it is short, else its length
// (Solidity documentation, "Layout of State Variables in Storage", "bytes and string").
func byteString(v *uint256.Int, kind string) string {
	word := v.Bytes32()
	const last = wordBytes - 1
	if word[last]%2 == 1 {
		var length uint256.Int
		length.Rsh(v, 1)
		return length.Dec() + " bytes"
	}
	text := string(word[:min(word[last]/2, last)])
	if kind == "string" && utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("0x%x", text)
}
