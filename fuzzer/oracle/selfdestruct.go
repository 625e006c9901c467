package oracle

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Selfdestruct sees SELFDESTRUCT in calls of an outsider (SWC-106; mufuzz §III). Where it ends a contract that others count on,
// [Takeover] says so as well; this is the pattern.
//
// Known false positives: contracts that end by right once their work is done.
var Selfdestruct = &Oracle{
	ID:       "selfdestruct",
	Title:    "Anyone reaches a SELFDESTRUCT",
	SWC:      "106",
	CWE:      "284",
	Severity: Note,
	Doc:      "An account that was given nothing but ether makes a contract of the World execute SELFDESTRUCT.",
	Remedy:   "Let only the owner end a contract, or leave SELFDESTRUCT out: since Cancun it only sends the ether.",
	Examine:  examineSelfdestruct,
	Places:   placesOf(vm.SELFDESTRUCT),
}

func examineSelfdestruct(s *Scene, report func(Observation)) {
	from, ok := s.attack()
	if !ok {
		return
	}
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		f := &s.Exec.Frames[i]
		if lasts(s.Exec, i) && s.isProjects(f) && Ends(f) {
			report(Observation{Call: f.Call, Location: bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, Contract: contractOf(f),
				Message: fmt.Sprintf("anyone can make %s execute SELFDESTRUCT", nameOf(f))})
		}
	}
}

// Ends reports whether a frame ends its contract, by SELFDESTRUCT.
func Ends(f *evm.Frame) bool {
	return f.Program != nil && vm.OpCode(opAt(f)) == vm.SELFDESTRUCT
}
