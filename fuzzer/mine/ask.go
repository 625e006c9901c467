package mine

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxViews bounds the views that are asked of one instance. Arbitrary: each costs a run.
const maxViews = 8

// owedView is what a vault of ERC-4626 owes all holders of shares together.
const owedView = "convertToAssets(totalSupply())"

// AddViews adds the views of all instances that take nothing and answer a number that is not that
// of one variable, so that [Miner.Ask] asks them.
func (m *Miner) AddViews(machine evm.Machine) {
	for i := range m.world.Instances {
		in := &m.world.Instances[i]
		if m.instances[in.Address] != in {
			continue
		}
		added := 0
		methods := in.Contract.ABI.Methods
		if methods["convertToAssets"].Sig == "convertToAssets(uint256)" && methods["totalSupply"].Sig == "totalSupply()" {
			m.addView(machine, in, owedView)
		}
		for _, name := range slices.Sorted(maps.Keys(methods)) {
			v := methods[name]
			if added == maxViews || !v.IsConstant() || len(v.Inputs) > 0 || len(v.Outputs) != 1 || v.Outputs[0].Type.T != abi.UintTy {
				continue
			}
			if m.addView(machine, in, v.Sig) {
				added++
			}
		}
	}
}

// addView adds a view, unless it fails in the World, or answers what a variable holds or nothing can change.
func (m *Miner) addView(machine evm.Machine, in *evm.Instance, view string) bool {
	q := &Quantity{Kind: Answer, Instance: in, View: view}
	value, reads, ok := m.ask(machine, nil, q)
	if !ok || len(reads) == 0 || len(reads) == 1 && reads[0] == value && view != owedView {
		return false
	}
	q.initial = value
	m.views = append(m.views, m.addAnswer(q))
	return true
}

func (m *Miner) addAnswer(q *Quantity) int {
	q.value = q.initial
	n := len(m.quantities)
	m.quantities = append(m.quantities, q)
	m.addLaws(n)
	return n
}

// ask is what a view answers after a sequence, and the words that it reads.
func (m *Miner) ask(machine evm.Machine, seq evm.Sequence, q *Quantity) (value uint256.Int, reads []uint256.Int, ok bool) {
	question := func(signature string, argument ...byte) bool {
		data := append(crypto.Keccak256([]byte(signature))[:4], argument...)
		exec, err := machine.Run(append(slices.Clip(seq), evm.Call{From: m.world.Senders[0].Address, To: q.Instance.Address, Data: data}))
		if err != nil || exec.Calls[len(seq)].Outcome != evm.Success || len(exec.Calls[len(seq)].Output) != wordBytes {
			return false
		}
		value.SetBytes(exec.Calls[len(seq)].Output)
		reads = reads[:0]
		frames := exec.Calls[len(seq)].Frames
		for _, f := range exec.Frames[frames[0]:frames[1]] {
			for i := range f.Storage {
				reads = append(reads, f.Storage[i].Value)
			}
		}
		return true
	}
	if q.View != owedView {
		return value, reads, question(q.View)
	}
	if !question("totalSupply()") {
		return value, nil, false
	}
	supply := value.Bytes32()
	return value, reads, question("convertToAssets(uint256)", common.CopyBytes(supply[:])...)
}

// Ask asks the views after a sequence that the miner has just seen, and judges the laws that they are part of. It
// does nothing where the sequence's last call wrote nothing.
func (m *Miner) Ask(machine evm.Machine, seq evm.Sequence, f *input.Function) {
	if len(m.touched) == 0 || len(m.views) == 0 {
		return
	}
	m.stamp++
	for _, i := range m.views {
		value, _, ok := m.ask(machine, seq, m.quantities[i])
		m.quantities[i].touched = ok
		m.quantities[i].value = value
	}
	for _, i := range m.views {
		for _, n := range m.quantities[i].laws {
			l := m.laws[n]
			if l.stamp == m.stamp || l.Broken || l.A.Kind == Answer && !l.A.touched || l.B.Kind == Answer && !l.B.touched {
				continue
			}
			l.stamp = m.stamp
			if !l.holds(&uint256.Int{}) {
				l.Broken = true
				continue
			}
			l.at(f)
			l.weigh()
		}
	}
}
