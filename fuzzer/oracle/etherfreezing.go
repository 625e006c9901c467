package oracle

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// EtherFreezing sees contracts that keep ether for good (SWC-132; mufuzz §III): a call that pays one succeeds, and its code has
// no instruction by which ether, or code that sends it, could leave.
//
// Known false positives: contracts that are meant to burn ether.
var EtherFreezing = &Oracle{
	ID:       "ether-freezing",
	Title:    "Ether that is paid in can never leave",
	SWC:      "132",
	CWE:      "667",
	Severity: Note,
	Doc:      "A contract accepts ether, and its code has no CALL, CALLCODE, DELEGATECALL, CREATE, CREATE2 or SELFDESTRUCT.",
	Remedy:   "Do not make functions payable that need no ether, or add one that pays it out.",
	Examine:  examineEtherFreezing,
}

func examineEtherFreezing(s *Scene, report func(Observation)) {
	for i := range s.Exec.Calls {
		at := s.Exec.Calls[i].Frames[0]
		root := &s.Exec.Frames[at]
		if root.Value.IsZero() || !s.isProjects(root) || !lasts(s.Exec, at) || sends(root.Program) {
			continue
		}
		report(Observation{Call: i, Location: FunctionEntry(root, selectorOf(root)), Contract: contractOf(root),
			Message: fmt.Sprintf("%s accepts ether by %s, and has no way to send any", nameOf(root), functionOf(root))})
	}
}

// sends reports whether a program has an instruction by which ether may leave.
func sends(p *bytecode.Program) bool {
	return has(p, vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.CREATE, vm.CREATE2, vm.SELFDESTRUCT)
}
