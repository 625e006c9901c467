package replay

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// eventsHelper is a hash of the events since recordLogs, whoever emitted them.
const eventsHelper = `
    function sightlineEvents() private returns (bytes32 hash) {
        SightlineVm.Log[] memory logs = sightline.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) {
            hash = keccak256(abi.encodePacked(hash, logs[i].topics, logs[i].data));
        }
    }
`

// writeDifference fails the test as long as the last call does what it did when it was seen to differ from the base, and reports whether
// that can be told.
func (t *foundryTest) writeDifference(b *strings.Builder, last int, exec *evm.Execution) (fails bool) {
	claim, call := &t.reproducer.Claim, &exec.Calls[last]
	succeeds := call.Outcome == evm.Success
	if succeeds && claim.Differs != DiffersInOutcome {
		fmt.Fprintf(b, "        if (!ok) return sightlineLog(\"call %d fails, unlike when it was found\");\n", last+1)
	}
	switch {
	case claim.Differs == DiffersInOutcome && succeeds:
		b.WriteString("        require(!ok, \"the difference: the call succeeds\");\n")
	case claim.Differs == DiffersInOutcome:
		fmt.Fprintf(b, "        require(ok || keccak256(out) != %s, \"the difference: the call fails\");\n", crypto.Keccak256Hash(call.Output))
	case !succeeds:
		return false
	case claim.Differs == DiffersInOutput:
		fmt.Fprintf(b, "        require(keccak256(out) != %s, \"the difference: what the call returns\");\n", crypto.Keccak256Hash(call.Output))
	case claim.Differs == DiffersInEvents:
		hash, ok := eventsOf(exec, last)
		if !ok {
			return false
		}
		fmt.Fprintf(b, "        require(sightlineEvents() != %s, \"the difference: the events of the call\");\n", hash)
	case claim.Answer != nil:
		t.writeAnswer(b, claim.Answer)
	default:
		return false
	}
	return true
}

// eventsOf is what sightlineEvents says of a call; false where contracts that call each other emit them, since the order is not
// recorded.
func eventsOf(exec *evm.Execution, call int) (hash common.Hash, ok bool) {
	lasts, frame := exec.Lasting(), -1
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		if !lasts[i] || len(exec.Frames[i].Logs) == 0 {
			continue
		}
		if frame >= 0 {
			return common.Hash{}, false
		}
		frame = i
	}
	if frame < 0 {
		return common.Hash{}, true
	}
	for _, log := range exec.Frames[frame].Logs {
		text := hash[:]
		for _, topic := range log.Topics {
			text = append(text[:len(text):len(text)], topic[:]...)
		}
		hash = crypto.Keccak256Hash(text, log.Data)
	}
	return hash, true
}
