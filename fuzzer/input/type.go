package input

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Kind is the shape of a Type.
type Kind uint8

// The kinds of ABI types. The first five are elementary: their value is one word.
const (
	Uint       Kind = iota // uint8 … uint256
	Int                    // int8 … int256
	Address                // also contracts and interfaces
	Bool                   //
	FixedBytes             // bytes1 … bytes32; function pointers are 24 of them
	Bytes                  // bytes
	String                 // string
	Slice                  // T[]
	Array                  // T[k]
	Tuple                  // structs
)

const (
	// MaxDepth bounds how deep arrays and tuples nest in one another. Solidity has no
	// bound; among the ABIs of the npm corpora none is deeper than 4.
	MaxDepth = 6
	// MaxTypeWords bounds the words of a type's zero value: uint256[1000] fits,
	// uint256[1000][1000] would be a megabyte-sized call. Arbitrary.
	MaxTypeWords = 1024
)

// Type is an ABI type, compiled for speed: what the hot loop needs is a field.
type Type struct {
	Kind    Kind
	Bits    int    // width of an elementary type: N for uintN and intN, 8·N for bytesN, 160, 1; else 0
	Length  int    // number of elements of an Array; else 0
	Elem    *Type  // of a Slice or Array
	Fields  []Type // of a Tuple
	Dynamic bool   // encoded in the tail (ABI specification, "Formal Specification of the Encoding")

	name  string
	head  int // bytes in the head of the enclosing tuple: 32 when dynamic, else its whole size
	words int // words of the zero value
}

// CompileType compiles a go-ethereum type. It fails for types that Solidity has
// no values of (fixed point, empty arrays and tuples) and for types beyond
// MaxDepth and MaxTypeWords.
func CompileType(t abi.Type) (Type, error) { return compileType(&t, 0) }

func compileType(t *abi.Type, depth int) (Type, error) {
	if depth > MaxDepth {
		return Type{}, fmt.Errorf("type nests deeper than %d", MaxDepth)
	}
	out := Type{head: 32, words: 1}
	switch t.T {
	case abi.UintTy:
		out.Kind, out.Bits = Uint, t.Size
	case abi.IntTy:
		out.Kind, out.Bits = Int, t.Size
	case abi.BoolTy:
		out.Kind, out.Bits = Bool, 1
	case abi.AddressTy:
		out.Kind, out.Bits = Address, 160
	case abi.FixedBytesTy:
		out.Kind, out.Bits = FixedBytes, 8*t.Size
	case abi.FunctionTy: // address and selector, left-aligned like bytes24
		out.Kind, out.Bits = FixedBytes, 8*24
	case abi.BytesTy:
		out.Kind, out.Dynamic = Bytes, true
	case abi.StringTy:
		out.Kind, out.Dynamic = String, true
	case abi.SliceTy, abi.ArrayTy:
		return compileArray(t, depth)
	case abi.TupleTy:
		return compileTuple(t, depth)
	default:
		return Type{}, fmt.Errorf("type %s has no values in Solidity", t.String())
	}
	if out.Bits > 256 || out.Bits < 0 || (!out.Dynamic && out.Bits == 0) || (out.Kind <= Int && out.Bits%8 != 0) {
		return Type{}, fmt.Errorf("type %s has an impossible width", t.String())
	}
	out.name = t.String()
	return out, nil
}

func compileArray(t *abi.Type, depth int) (Type, error) {
	elem, err := compileType(t.Elem, depth+1)
	if err != nil {
		return Type{}, err
	}
	if t.T == abi.SliceTy {
		return Type{Kind: Slice, Elem: &elem, Dynamic: true, name: elem.name + "[]", head: 32, words: 1}, nil
	}
	if t.Size < 1 || t.Size > MaxTypeWords || elem.words*t.Size > MaxTypeWords {
		return Type{}, fmt.Errorf("type %s[%d] has no elements or more than %d words", elem.name, t.Size, MaxTypeWords)
	}
	out := Type{Kind: Array, Elem: &elem, Length: t.Size, Dynamic: elem.Dynamic, head: 32, words: elem.words * t.Size,
		name: fmt.Sprintf("%s[%d]", elem.name, t.Size)}
	if !out.Dynamic {
		out.head = elem.head * t.Size
	}
	return out, nil
}

func compileTuple(t *abi.Type, depth int) (Type, error) {
	if len(t.TupleElems) == 0 {
		return Type{}, fmt.Errorf("type () has no values in Solidity")
	}
	out := Type{Kind: Tuple}
	for _, elem := range t.TupleElems {
		field, err := compileType(elem, depth+1)
		if err != nil {
			return Type{}, err
		}
		out.Fields = append(out.Fields, field)
		out.Dynamic = out.Dynamic || field.Dynamic
		out.head += field.head
		out.words += field.words
	}
	if out.words > MaxTypeWords {
		return Type{}, fmt.Errorf("a tuple has more than %d words", MaxTypeWords)
	}
	if out.Dynamic {
		out.head = 32
	}
	out.name = out.tupleName()
	return out, nil
}

// tupleName is a tuple's canonical name: its fields' names in parentheses.
func (t *Type) tupleName() string {
	names := make([]string, len(t.Fields))
	for i := range t.Fields {
		names[i] = t.Fields[i].name
	}
	return "(" + strings.Join(names, ",") + ")"
}

// compileTypes compiles a parameter list.
func compileTypes(arguments abi.Arguments) ([]Type, error) {
	var types []Type
	words := 0
	for i, a := range arguments {
		t, err := CompileType(a.Type)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if words += t.words; words > MaxTypeWords {
			return nil, fmt.Errorf("the parameters have more than %d words", MaxTypeWords)
		}
		types = append(types, t)
	}
	return types, nil
}

// String is the canonical name, as in signatures: "uint256", "(uint8,address)[]".
func (t *Type) String() string { return t.name }

// Elementary reports whether a value of the type is one word.
func (t *Type) Elementary() bool { return t.Kind <= FixedBytes }

// child is the type of the i-th part of an array's or tuple's value.
func (t *Type) child(i int) *Type {
	if t.Kind == Tuple {
		return &t.Fields[i]
	}
	return t.Elem
}

// Fits reports whether w is the ABI word of a value of an elementary type:
// integers and addresses in their width (negative ones sign-extended), bool 0 or
// 1, fixed bytes left-aligned with zeros behind.
func (t *Type) Fits(w *uint256.Int) bool {
	wrapped := t.Wrap(w)
	return wrapped.Eq(w)
}

// Wrap is the word that the type's low bits of w stand for; for fixed bytes the
// high bits. It is w itself exactly when w fits.
func (t *Type) Wrap(w *uint256.Int) uint256.Int {
	var out uint256.Int
	if t.Bits == 256 {
		return *w
	}
	gap := uint(256 - t.Bits)
	switch t.Kind {
	case Int:
		out.Lsh(w, gap)
		out.SRsh(&out, gap)
	case FixedBytes:
		out.Rsh(w, gap)
		out.Lsh(&out, gap)
	default:
		out.Lsh(w, gap)
		out.Rsh(&out, gap)
	}
	return out
}

// addressWord is the ABI word of an address.
func addressWord(a common.Address) uint256.Int {
	var w uint256.Int
	w.SetBytes20(a[:])
	return w
}
