package oracle

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// PermissionWidened is seen where base and head run the same calls (package compare): an
// account that the World has never heard of succeeds with a call on the head, and changes a state
// variable that decides about permissions or assets. On the base the same call from the same
// state fails for that account, and succeeds, writing the same variable, for another sender.
//
// Variables that decide: one that msg.sender is compared with, or whose element for msg.sender
// decides a branch; the slots of EIP-1967; what balanceOf and totalSupply read; what paused
// reads.
var PermissionWidened = &Oracle{
	ID:       "permission-widened",
	Title:    "Anyone can now do what took a permission",
	CWE:      "284",
	Severity: Critical,
	Doc: "An account that was given nothing but ether succeeds with a call that changes a permission, a balance, a supply or a pause. On the base, the same call from the same state " +
		"fails for that account, and succeeds for another sender, which writes the same variable: the change has taken a check away. " +
		"Calls that write other variables are not reported by this oracle: what they do differently is listed under \"What this change does\".",
	Remedy: "Restore the check that the base makes before the variable is written, such as a modifier, a comparison of msg.sender or a role. " +
		"If everyone is meant to make this call from now on, accept it with a waiver that says so (allow: Vault.harvest by anyone).",
}

// WritesAt reports whether the last call of an execution writes at an instruction, and that lasts.
func WritesAt(exec *evm.Execution, at bytecode.Location) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.ID != at.Code || !lasts(exec, i) {
			continue
		}
		if slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write && a.PC == at.PC }) {
			return true
		}
	}
	return false
}

// IsWrite reports whether an instruction writes to storage.
func IsWrite(p *bytecode.Program, pc uint32) bool {
	return p != nil && int(pc) < len(p.Bytes) && vm.OpCode(p.Bytes[pc]) == vm.SSTORE
}

// Executes reports whether the last call of an execution enters the block of an instruction, in a frame that lasts
// if the call succeeds.
func Executes(table *bytecode.Table, exec *evm.Execution, at bytecode.Location) bool {
	p := table.Program(at.Code)
	if p == nil {
		return false
	}
	call := len(exec.Calls) - 1
	return slices.ContainsFunc(exec.Covered, func(c evm.Coverage) bool {
		return c.Call == call && c.Code == at.Code && (c.Kept || exec.Calls[call].Outcome != evm.Success) && p.Blocks[c.Block].Start <= at.PC && at.PC < p.Blocks[c.Block].End
	})
}

// Compared lists the oracles that watch where base and head run the same calls. None looks at a single
// execution.
func Compared() []*Oracle {
	return []*Oracle{PermissionWidened, ThirdPartyLoss, LivenessLost, LawLost, Conservation, GuardLost, EventStorage, Size}
}
