package bytecode

import (
	"bytes"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"
)

// CodeID names a compiled artifact: one compilation unit's creation or runtime
// code of one contract. It is not a code hash, since immutables, library
// addresses and constructor arguments change hashes. NoCode is never given to
// an artifact. Code that no artifact explains gets an id of its own when it is
// first met, see [Table.Unknown].
type CodeID uint32

// NoCode is the zero CodeID.
const NoCode CodeID = 0

// Kind tells the two artifacts of a contract apart.
type Kind uint8

// The kinds of code.
const (
	Runtime  Kind = iota // the code that a deployed instance runs
	Creation             // the code that runs once and returns the runtime code
)

func (k Kind) String() string {
	if k == Creation {
		return "creation"
	}
	return "runtime"
}

// Range is a half-open range of byte offsets in code.
type Range struct{ Start, End uint32 }

// Link is a place in code where the 20-byte address of a library belongs.
type Link struct {
	Library string // its qualified name, "src/Math.sol:Math"
	Offset  uint32 // of the first of 20 bytes
}

// Code is one compiled artifact, as the compiler wrote it: link placeholders
// and immutables are zero bytes. It is immutable once its Table is built.
type Code struct {
	ID         CodeID
	Kind       Kind
	Bytes      []byte
	Links      []Link
	Immutables []Range // bytes that differ between instances

	// Checks lists, in order, the INVALID instructions that the compiler put for
	// something other than an assert: array bounds, division by zero, enum
	// conversion … before Solidity 0.8. It is complete when ChecksKnown is set,
	// which takes sources and a source map.
	Checks      []uint32
	ChecksKnown bool
	// Traps lists, in order, the INVALID instructions that an author wrote in assembly, and those with which SafeMath refuses
	// what overflows, as far as sources and a source map tell: they take all gas, and assert nothing.
	Traps []uint32
	// Shared are the parts, sorted, that the compiler wrote by itself, as far as the source
	// map tells: dispatchers, and helpers such as checked arithmetic that many statements
	// jump to. What fails or writes there is told by the statement that led there.
	Shared []Range

	// Released is the size of the same code in the release build, bytes, where another
	// was made to be mapped: chains bound that one. 0: this is the release build.
	Released int
}

// SizeUnknown stands for the size of code that has another one in the release build,
// which is not known.
const SizeUnknown = -1

// The longest code that a chain accepts, bytes.
const (
	MaxRuntime  = 24_576 // EIP-170
	MaxCreation = 49_152 // EIP-3860, with the constructor's arguments
)

// ReleaseSize is the number of bytes that the artifact has on a chain; false when that is
// not known.
func (c *Code) ReleaseSize() (bytes int, known bool) {
	if c.Released == 0 {
		return len(c.Bytes), true
	}
	return c.Released, c.Released != SizeUnknown
}

// IsShared reports whether the instruction at pc is in a shared part.
func (c *Code) IsShared(pc uint32) bool {
	i := sort.Search(len(c.Shared), func(i int) bool { return c.Shared[i].End > pc })
	return i < len(c.Shared) && c.Shared[i].Start <= pc
}

// Variable is a state variable.
type Variable struct {
	Name  string
	Slot  uint256.Int // the first
	Slots uint256.Int // that it takes, 1 for a mapping or an array whose length is not fixed
	// Offset is its first byte in the slot, from the low end, and Bytes its length; 0 where it is
	// longer than a slot. Several variables may share a slot.
	Offset, Bytes uint
}

// Contract is a compiled contract or library: what the campaign needs to deploy
// it, call it and recognize its code.
type Contract struct {
	Name   string // "Vault"
	Source string // the source unit's path, "src/Vault.sol"
	// Folder and Variant tell contracts of equal source and name apart: the
	// project's folder, where a repository has several, and the compiler, where
	// several made a contract of one source. Empty where neither is so.
	Folder  string // "packages/core"
	Variant string // "0.6.12"

	ABI      abi.ABI
	RawABI   []byte // the JSON that ABI was read from; nil when there is none
	Creation *Code  // nil when the contract has no code (interface, abstract)
	Runtime  *Code  // nil likewise
	Library  bool
	// Generated is set for a contract that Sightline wrote, so that code can be called that no
	// other contract calls: nothing of it ships.
	Generated bool

	// ConstructorPayable etc. are in the ABI. ArgumentTypes holds, for each
	// constructor parameter, the contract or interface type it is declared with
	// ("IERC20", "" for others): the ABI alone says only "address".
	ArgumentTypes []string

	// Implements lists the names of all contracts and interfaces in the
	// linearized base list, the contract's own name first. Empty when unknown.
	Implements []string

	// Variables are the state variables in the order of their slots, as the compiler lays them
	// out. Empty when unknown.
	Variables []Variable

	// Texts are the string and byte literals that its source and those of its bases
	// hold, each once, as bytes: what code hashes is not in the bytecode. Empty when
	// unknown.
	Texts []string

	// Encodings are what its source, and those that this imports, decode byte strings to, as types of parameters,
	// "(uint256,(address,bytes)[])", the nearest first: an ABI says only "bytes". Empty when unknown.
	Encodings []string
}

// QualifiedName is "source:name", with the project's folder in front and the
// compiler behind where that is needed: "packages/core/src/Math.sol:Math@0.6.12".
// It is unique among the contracts of a campaign.
func (c *Contract) QualifiedName() string {
	name := c.UnitName()
	if c.Folder != "" {
		name = c.Folder + "/" + name
	}
	if c.Variant != "" {
		name += "@" + c.Variant
	}
	return name
}

// AssertsAsHarness reports whether a contract inherits the assertions of a library for fuzzers, crytic/properties or Chimera, with which
// harnesses check what they call.
func (c *Contract) AssertsAsHarness() bool {
	return len(c.Implements) > 0 && slices.ContainsFunc(c.Implements[1:], func(base string) bool { return base == "PropertiesAsserts" || base == "CryticAsserts" })
}

// UnitName is "source:name" as the compiler has it, unique within one
// compilation unit.
func (c *Contract) UnitName() string { return c.Source + ":" + c.Name }

// Deployable reports whether the contract has creation code.
func (c *Contract) Deployable() bool { return c.Creation != nil && len(c.Creation.Bytes) > 0 }

// leadingAddress is the length of what solc puts before a library's runtime
// code when it has external functions: PUSH20 and the library's own address,
// zero in the artifact (call protection, solc documentation "Libraries").
const leadingAddress = 21

// opPush20 is the opcode of that push.
const opPush20 = 0x73

// masks lists the bytes of the artifact that an instance may fill differently,
// metadata not among them.
func (c *Code) masks() []Range {
	masks := make([]Range, 0, len(c.Immutables)+len(c.Links)+1)
	masks = append(masks, c.Immutables...)
	for _, l := range c.Links {
		masks = append(masks, Range{l.Offset, l.Offset + 20})
	}
	if c.Kind == Runtime && len(c.Bytes) >= leadingAddress && c.Bytes[0] == opPush20 &&
		bytes.Equal(c.Bytes[1:leadingAddress], make([]byte, 20)) {
		masks = append(masks, Range{1, leadingAddress})
	}
	return masks
}

// metadata is the range of the CBOR metadata at the end of solc's runtime code:
// its length is in the last two bytes. An empty range when there is none.
func metadata(code []byte) Range {
	n := uint32(len(code))
	if n < 4 {
		return Range{n, n}
	}
	size := uint32(code[n-2])<<8 | uint32(code[n-1])
	// A CBOR map of 1 to 4 entries: solc writes ipfs or bzzr, solc, experimental.
	if size+2 > n || size < 3 || code[n-2-size]&0xf0 != 0xa0 {
		return Range{n, n}
	}
	return Range{n - 2 - size, n}
}
