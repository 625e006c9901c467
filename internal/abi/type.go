package abi

import (
	"errors"
	"fmt"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
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

// WordSize is the number of bytes of a word, of which every encoding is made.
const WordSize = 32

// Type is an ABI type, compiled for speed: what encoding needs is a field. It is immutable.
// [Of], [Parse] and [List] make types that values can be encoded by; literals of
// elementary types serve Fits and Wrap alone.
type Type struct {
	Kind    Kind
	Bits    int      // width of an elementary type: N for uintN and intN, 8·N for bytesN, 160, 1; else 0
	Length  int      // number of elements of an Array; else 0
	Elem    *Type    // of a Slice or Array; nil for a List
	Fields  []Type   // of a Tuple or List
	Names   []string // of a Tuple's fields, "" where there is none
	Dynamic bool     // encoded in the tail (ABI specification, "Formal Specification of the Encoding")

	name  string
	head  int // bytes in the head of the enclosing tuple: 32 when dynamic, else its whole size
	words int // words of the zero value
}

const (
	// maxDepth bounds how deep arrays and tuples nest in one another; arbitrary.
	// Signatures and ABIs from outside could overflow the stack otherwise.
	maxDepth = 64
	// maxWords bounds the words of a type's zero value, and with them what Zero makes.
	// It is what package bytecode lets an ABI's arrays have.
	maxWords = 1 << 20
)

var errDeep = fmt.Errorf("a type nests deeper than %d", maxDepth)

// Of compiles a go-ethereum type. It fails for types that Solidity has no values of (fixed
// point, empty arrays and tuples), that nest more than 64 deep, or whose zero value has
// more than 2^20 words.
func Of(t gethabi.Type) (Type, error) { return compile(&t, 0) }

// OfArguments compiles the types of a parameter list, as Of does.
func OfArguments(arguments gethabi.Arguments) ([]Type, error) {
	var types []Type
	for i := range arguments {
		t, err := Of(arguments[i].Type)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		types = append(types, t)
	}
	return types, nil
}

// List is a slice whose elements have types of their own, as those of JSON arrays do. It
// is encoded as a T[] is. No signature has one, and Decode refuses it: the encoding does
// not say what its elements are.
func List(elements []Type) Type {
	return Type{Kind: Slice, Fields: elements, Dynamic: true, name: TupleName(elements) + "[]", head: WordSize, words: 1}
}

// TupleOf is the tuple of the types. Unlike those that Of makes it may be empty, so that
// an argument list is one value.
func TupleOf(fields []Type) Type {
	out := Type{Kind: Tuple, Fields: fields, name: TupleName(fields)}
	for i := range fields {
		out.Dynamic = out.Dynamic || fields[i].Dynamic
		out.head += fields[i].head
		out.words += fields[i].words
	}
	if out.Dynamic {
		out.head = WordSize
	}
	return out
}

// TupleName is the canonical name of the types' tuple: their names in parentheses, as a
// signature ends.
func TupleName(fields []Type) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return "(" + strings.Join(names, ",") + ")"
}

func compile(t *gethabi.Type, depth int) (Type, error) {
	if depth > maxDepth {
		return Type{}, errDeep
	}
	out := Type{head: WordSize, words: 1}
	switch t.T {
	case gethabi.UintTy:
		out.Kind, out.Bits = Uint, t.Size
	case gethabi.IntTy:
		out.Kind, out.Bits = Int, t.Size
	case gethabi.BoolTy:
		out.Kind, out.Bits = Bool, 1
	case gethabi.AddressTy:
		out.Kind, out.Bits = Address, 160
	case gethabi.FixedBytesTy:
		out.Kind, out.Bits = FixedBytes, 8*t.Size
	case gethabi.FunctionTy: // address and selector, left-aligned like bytes24
		out.Kind, out.Bits = FixedBytes, 8*24
	case gethabi.BytesTy:
		out.Kind, out.Dynamic = Bytes, true
	case gethabi.StringTy:
		out.Kind, out.Dynamic = String, true
	case gethabi.SliceTy, gethabi.ArrayTy:
		return compileArray(t, depth)
	case gethabi.TupleTy:
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

func compileArray(t *gethabi.Type, depth int) (Type, error) {
	elem, err := compile(t.Elem, depth+1)
	if err != nil {
		return Type{}, err
	}
	if t.T == gethabi.SliceTy {
		return sliceOf(&elem), nil
	}
	return arrayOf(&elem, t.Size)
}

func compileTuple(t *gethabi.Type, depth int) (Type, error) {
	fields := make([]Type, len(t.TupleElems))
	for i, elem := range t.TupleElems {
		var err error
		if fields[i], err = compile(elem, depth+1); err != nil {
			return Type{}, err
		}
	}
	out, err := tupleOf(fields)
	out.Names = t.TupleRawNames
	return out, err
}

// sliceOf is T[]. It keeps a copy of the element's type, as arrayOf does.
func sliceOf(elem *Type) Type {
	t := *elem
	return Type{Kind: Slice, Elem: &t, Dynamic: true, name: t.name + "[]", head: WordSize, words: 1}
}

// arrayOf is T[n].
func arrayOf(elem *Type, n int) (Type, error) {
	t := *elem
	if n < 1 || n > maxWords || t.words*n > maxWords {
		return Type{}, fmt.Errorf("type %s[%d] has no elements or more than %d words", t.name, n, maxWords)
	}
	out := Type{Kind: Array, Elem: &t, Length: n, Dynamic: t.Dynamic, head: WordSize, words: t.words * n, name: fmt.Sprintf("%s[%d]", t.name, n)}
	if !out.Dynamic {
		out.head = t.head * n
	}
	return out, nil
}

// tupleOf is a struct, which has members in Solidity.
func tupleOf(fields []Type) (Type, error) {
	if len(fields) == 0 {
		return Type{}, errors.New("type () has no values in Solidity")
	}
	out := TupleOf(fields)
	if out.words > maxWords { // each field has at most as many: no sum overflows
		return Type{}, fmt.Errorf("a tuple has more than %d words", maxWords)
	}
	return out, nil
}

// String is the canonical name, as in signatures: "uint256", "(uint8,address)[]".
func (t *Type) String() string { return t.name }

// Elementary reports whether a value of the type is one word.
func (t *Type) Elementary() bool { return t.Kind <= FixedBytes }

// Words is the number of words of the type's zero value, as [Words] counts them.
func (t *Type) Words() int { return t.words }

// Child is the type of the i-th part of an array's or tuple's value.
func (t *Type) Child(i int) *Type {
	if t.Elem == nil {
		return &t.Fields[i]
	}
	return t.Elem
}

// Fits reports whether w is the ABI word of a value of an elementary type: integers and
// addresses in their width (negative ones sign-extended), bool 0 or 1, fixed bytes
// left-aligned with zeros after them.
func (t *Type) Fits(w *uint256.Int) bool {
	wrapped := t.Wrap(w)
	return wrapped.Eq(w)
}

// Wrap is the word that the type's low bits of w stand for; for fixed bytes the high bits.
// It is w itself exactly when w fits.
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
