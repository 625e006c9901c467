package evm

import (
	"errors"
	"fmt"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reasons renders what failed calls return, for people. It is immutable. It is exported
// for the packages of the machines, which make results by it.
type Reasons struct {
	errors map[[4]byte]gethabi.Error // of all contracts; the first in table order wins
}

const (
	// maxReasonData bounds what is decoded: hostile reasons may be long. Arbitrary.
	maxReasonData = 1 << 11
	// maxReasonText bounds a reason's text, in bytes; arbitrary.
	maxReasonText = 512
)

// panics names the codes of Solidity's Panic(uint256) (Solidity documentation,
// "Panic via assert and Error via require").
var panics = map[uint64]string{
	0x00: "generic panic",
	0x01: "assertion failed",
	0x11: "arithmetic overflow or underflow",
	0x12: "division or modulo by zero",
	0x21: "invalid enum value",
	0x22: "invalid storage byte array",
	0x31: "pop on an empty array",
	0x32: "array index out of bounds",
	0x41: "out of memory",
	0x51: "call to an uninitialized function",
}

// The selectors of what the language reverts with (Solidity documentation, "Error handling").
var (
	ErrorSelector = [4]byte{0x08, 0xc3, 0x79, 0xa0} // Error(string)
	PanicSelector = [4]byte{0x4e, 0x48, 0x7b, 0x71} // Panic(uint256)
	cheatSelector = [4]byte{0xee, 0xaa, 0x9e, 0x6f} // CheatcodeError(string): Foundry's
)

// oneString are the arguments of Error(string).
var oneString = abi.MustParse("(string)")

// NewReasons knows the errors of the contracts in the table.
func NewReasons(table *bytecode.Table) *Reasons {
	r := &Reasons{errors: map[[4]byte]gethabi.Error{}}
	for _, c := range table.Contracts() {
		for _, e := range sortedErrors(c) {
			selector := [4]byte(e.ID[:4])
			if _, ok := r.errors[selector]; !ok {
				r.errors[selector] = e
			}
		}
	}
	return r
}

// Result is what came of a call: frames are those of the Execution so far, of which
// its own begin at the first one given, id identifies what it did, and work is what it took.
func (r *Reasons) Result(frames []Frame, first int, id bytecode.PathID, work uint64) CallResult {
	own := frames[first:]
	outer := &own[0]
	return CallResult{
		Frames:  [2]int{first, len(frames)},
		Outcome: outer.Outcome,
		Output:  outer.Output,
		GasUsed: outer.GasUsed,
		ID:      id,
		work:    work,
		reasons: r,
		blamed:  origin(own),
	}
}

// origin is the contract of the frame that first returned what the outermost
// reverted with: callers hand errors of their callees on. The frames are a call's,
// the outermost first.
func origin(frames []Frame) *bytecode.Contract {
	at := &frames[0]
	if at.Outcome != Reverted {
		return nil
	}
	for i := range frames {
		f := &frames[i]
		if f.Outcome == Reverted && f.Depth >= at.Depth && f.Program != nil && string(f.Output) == string(frames[0].Output) {
			at = f
		}
	}
	if at.Program == nil {
		return nil
	}
	return at.Program.Contract
}

// decode renders revert data.
func (r *Reasons) decode(contract *bytecode.Contract, data []byte) string {
	if len(data) == 0 {
		return "reverted without a reason"
	}
	if len(data) > maxReasonData {
		return fmt.Sprintf("reverted with %d bytes of data", len(data))
	}
	if len(data) >= 4 {
		if text, ok := r.decodeError(contract, data); ok {
			return shorten(text)
		}
	}
	return shorten(fmt.Sprintf("reverted with 0x%x", data))
}

func (r *Reasons) decodeError(contract *bytecode.Contract, data []byte) (string, bool) {
	selector := [4]byte(data[:4])
	switch selector {
	case ErrorSelector:
		values, err := abi.Decode(oneString, data[4:], abi.Honest(data[4:]))
		if err != nil {
			return "", false
		}
		return values[0].Text(), true
	case cheatSelector:
		return cheatcode.Reason(data)
	case PanicSelector:
		if len(data) != 36 {
			return "", false
		}
		code := new(uint256.Int).SetBytes(data[4:])
		if name, ok := panics[code.Uint64()]; ok && code.IsUint64() {
			return fmt.Sprintf("panic 0x%02x: %s", code.Uint64(), name), true
		}
		return "panic " + code.Hex(), true
	}
	if contract != nil {
		if e, err := contract.ABI.ErrorByID(selector); err == nil {
			return render(e, data[4:])
		}
	}
	if r == nil { // of a result that no machine made
		return "", false
	}
	if e, ok := r.errors[selector]; ok {
		return render(&e, data[4:])
	}
	return "", false
}

// render writes a custom error as in the source.
func render(e *gethabi.Error, data []byte) (string, bool) {
	texts, err := format(e.Inputs, data)
	if errors.Is(err, abi.ErrLimit) {
		return fmt.Sprintf("%s(0x%x)", e.Name, data), true
	}
	if err != nil {
		return "", false
	}
	return e.Name + "(" + strings.Join(texts, ", ") + ")", true
}

func shorten(text string) string {
	if len(text) <= maxReasonText {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.ToValidUTF8(text[:maxReasonText], "\ufffd") + "…"
}
