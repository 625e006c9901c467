package world

import (
	"crypto/ecdsa"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// repeater makes the transactions of a deploy script once more.
type repeater struct {
	*deployer
	linker  *linker
	parties *parties
}

// Recording is what a deploy script did.
type Recording struct {
	Script string // the command, for people
	// Calls are the transactions that succeeded, in order, with the code that the script
	// sent.
	Calls evm.Sequence
	// Keys are the private keys that the script was given, by their accounts.
	Keys map[common.Address]*ecdsa.PrivateKey
	// Substitute replaces creation code with its arguments by that of the build at
	// hand; nil: nothing is replaced.
	Substitute func(code []byte) []byte
}

// repeatCalls makes the transactions of a script part of the World. One that fails now,
// since other code runs than the script's, is left out and noted.
func (rp *repeater) repeatCalls(r *Recording) error {
	for i := range r.Calls {
		call := r.Calls[i]
		if call.Create && r.Substitute != nil {
			call.Data = r.Substitute(call.Data)
		}
		exec, err := rp.machine.Run(append(rp.calls[:len(rp.calls):len(rp.calls)], call))
		if err != nil {
			return err
		}
		result := &exec.Calls[len(exec.Calls)-1]
		if result.Outcome != evm.Success {
			rp.report.Notes = append(rp.report.Notes, fmt.Sprintf("%s: transaction %d does not succeed with this build's code: %s", r.Script, i+1, result.Reason()))
			continue
		}
		rp.calls = append(rp.calls, call)
		rp.meetLast(exec)
		if call.From != Create2Deployer {
			rp.parties.addParty(party{address: call.From, sign: pranked, why: "sends transactions of the script", key: r.Keys[call.From]})
		}
		if call.Create {
			rp.created(exec, &call)
		}
	}
	return nil
}

// meetLast notes the accounts that the last call made special.
func (rp *repeater) meetLast(exec *evm.Execution) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	last := *exec
	last.Frames = exec.Frames[frames[0]:frames[1]]
	rp.parties.meet(&last)
}

// addScriptSenders adds to the senders of a World that a script made up to maxParties
// accounts that the script made special.
func (rp *repeater) addScriptSenders(w *evm.World, plan *Plan) error {
	if plan == nil || plan.Recorded == nil {
		return nil
	}
	c := newCast(w, rp.report)
	err := rp.parties.addParties(c)
	w.Senders = c.list
	return err
}

// created adds what the last call, a deployment, has put on the chain, where the build
// explains it.
func (rp *repeater) created(exec *evm.Execution, call *evm.Call) {
	frame := &exec.Frames[exec.Calls[len(exec.Calls)-1].Frames[0]]
	p := rp.table.LookupRuntime(frame.Output)
	if p == nil || p.Contract == nil || len(rp.instances) >= rp.limit {
		return // a proxy is found later, see recognize
	}
	c := p.Contract
	rp.tried[c] = true
	if c.Library {
		rp.namer.labels[call.Address] = c.Name
		rp.linker.libraries[c.QualifiedName()] = &library{address: call.Address}
		return
	}
	d := Deployment{Contract: c, Address: call.Address, Tries: 1, Call: *call, Covered: coveredBy(exec, len(exec.Calls)-1)}
	if size := codeSize(c, call.Data); size > 0 {
		d.Code = call.Data[:size]
		if texts, ok := evm.FormatArguments(c.ABI.Constructor.Inputs, call.Data[size:]); ok {
			d.Arguments = rp.namer.withNames(texts)
		}
	}
	d.Name = rp.add(c.Name, call.Address, c)
	if label := rp.namer.labels[call.From]; label != "" && !strings.HasPrefix(label, Deployer.Name) {
		d.Notes = append(d.Notes, "by "+label)
	}
	rp.report.Deployments = append(rp.report.Deployments, d)
}

// codeSize is how much of creation code with arguments is code; 0 where that is not
// known.
func codeSize(c *bytecode.Contract, data []byte) int {
	if c.Creation == nil || len(c.Creation.Bytes) > len(data) {
		return 0
	}
	return len(c.Creation.Bytes)
}
