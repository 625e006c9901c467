package world

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// explain says why no choice of arguments deployed a contract.
func explain(found *outcome, code []byte) string {
	reason := "constructor: " + found.reason
	if found.tries > 1 {
		reason += fmt.Sprintf(", the best of %d tries", found.tries)
	}
	for _, name := range absent(code) {
		reason += fmt.Sprintf("; its code names %s, which is not on this chain", name)
	}
	return reason
}

// Stop is where a call failed: in the innermost frame of known code whose revert its callers
// passed on.
type Stop struct {
	At bytecode.Location // the last instruction
	// Decision is the last conditional jump before, and Compared what it depends on; only if Decided,
	// and nil where it is unknown.
	Decided  bool
	Decision bytecode.Location
	Compared *evm.Comparison
	Silent   bool // it reverted without a reason
}

// stopOf is where a call of an execution failed; nil where no known code ran.
func stopOf(exec *evm.Execution, call int) *Stop {
	var stop *Stop
	frames := exec.Calls[call].Frames
	for i := frames[0]; i >= 0; i = passedOn(exec, i, frames[1]) {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		stop = &Stop{Silent: f.Outcome == evm.Reverted && len(f.Output) == 0, At: bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, Decided: f.Decided, Decision: bytecode.Location{Code: f.Program.ID, PC: f.Decision}}
		if n := len(f.Comparisons) - 1; f.Decided && n >= 0 && f.Comparisons[n].PC == f.Decision {
			compared := f.Comparisons[n] // the machine uses its memory again
			stop.Compared = &compared
		}
	}
	return stop
}

// wellKnown are contracts that are at the same address on every chain that people
// use; a fresh chain lacks them.
var wellKnown = []struct {
	name    string
	address common.Address
}{
	{"the ERC-1820 registry", registryAddress}, // of a World that tests set up
	{"the deterministic deployment proxy", common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")},
	{"Permit2", common.HexToAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")},
	{"Multicall3", common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")},
}

// absent lists the well-known contracts that code names.
func absent(code []byte) []string {
	var names []string
	for _, k := range wellKnown {
		if bytes.Contains(code, k.address[:]) {
			names = append(names, k.name)
		}
	}
	return names
}

// TooLarge says that no chain accepts a contract's code; empty when chains do, or the size
// that ships is unknown. The arguments of constructors are not counted.
func TooLarge(c *bytecode.Contract) string {
	if c == nil || c.Runtime == nil {
		return ""
	}
	if size, known := c.Runtime.ReleaseSize(); known && size > bytecode.MaxRuntime {
		return fmt.Sprintf("its code has %d bytes in the project's own build, more than the %d that a chain accepts (EIP-170)", size, bytecode.MaxRuntime)
	}
	return ""
}

// blame is the instruction that made a call fail: in the innermost frame whose
// revert its callers passed on, among those of known contracts.
func blame(exec *evm.Execution, call int) (at bytecode.Location, known bool) {
	if stop := stopOf(exec, call); stop != nil {
		return stop.At, true
	}
	return bytecode.Location{}, false
}

// passedOn is the last frame that a failed one called and whose revert it handed
// on; −1 when there is none. Frames of the call end before end.
func passedOn(exec *evm.Execution, parent, end int) int {
	for i := end - 1; i > parent; i-- {
		f := &exec.Frames[i]
		if f.Parent == parent && f.Outcome != evm.Success && bytes.Equal(f.Output, exec.Frames[parent].Output) {
			return i
		}
	}
	return -1
}
