package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// callbacks leads toward executions in which the attacker's contract is called, and toward what it may
// answer. Both are tried once for each function, or each way in which it comes back; what that shows is
// then mutated as anything else.
type callbacks struct {
	*tools
	asked   *input.Asked // how functions came back to the contract
	handed  map[handing]bool
	lacking map[lack]int   // how often others paid in first
	inside  map[effect]int // how often calldata among the arguments named the contract
	pending []input.Sequence
}

// Bounds for each function. Others pay in first maxLacking times where it has too little to pay out, and maxNothing times where it pays
// nothing, as one that is asked for nothing does. Calldata that it is given names the contract maxInside times for each effect of
// that: of a function that makes wallets, those that are paid are few. Arbitrary.
const (
	maxLacking = 64
	maxNothing = 8
	maxInside  = 16
)

// handing is a reason to put the contract in an account's place.
type handing struct {
	function *input.Function
	reason   reason
}

// reason is why an account might be the contract as well.
type reason uint8

const (
	succeeds reason = iota // the function does
	calls                  // it calls an account without code
	pays                   // and sends it ether
)

func newCallbacks(t *tools) callbacks {
	return callbacks{tools: t, asked: input.NewAsked(), handed: map[handing]bool{}, lacking: map[lack]int{}, inside: map[effect]int{}}
}

// watch notes how an execution came back to the attacker's contract. Where a function does in
// a way that it has not before, the answers that code tells apart are tried at once: they lead past
// checks of what is returned, and into the middle of calls. Where an account might be called back if
// it had code, the contract takes its place.
func (c *callbacks) watch(seq input.Sequence, exec *evm.Execution) {
	if c.space.Contract() < 0 {
		return
	}
	for _, call := range c.asked.Observe(seq, exec, c.space.SentByInstance(seq)) {
		c.pending = append(c.pending, c.mutator.Scripts(c.rand, seq, call)...)
		if call < len(seq)-1 { // what it does shows where it is the last
			c.pending = append(c.pending, c.mutator.Scripts(c.rand, seq[:call+1], call)...)
		}
	}
	c.endow(seq, exec)
	last := len(seq) - 1
	if exec.Calls[last].Outcome != evm.Success || seq[last].Function.View {
		return
	}
	if all := c.space.Inside(seq); len(all) > 0 {
		e := effectOf(exec)
		e.function = seq[last].Function
		if c.inside[e] < maxInside {
			c.inside[e]++
			c.pending = append(c.pending, all...)
		}
	}
	var accounts []common.Address
	if c.hand(handing{seq[last].Function, succeeds}) {
		accounts = c.space.AccountsOf(&seq[last])
	}
	for i := exec.Calls[last].Frames[0]; i < exec.Calls[last].Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Parent < 0 || f.Program != nil || !c.space.IsOrdinary(f.CodeAddress) {
			continue
		}
		why := calls
		if !f.Value.IsZero() {
			why = pays
		}
		if c.hand(handing{seq[last].Function, why}) {
			accounts = append(accounts, f.CodeAddress)
		}
	}
	if len(accounts) > 0 { // what others have prepared
		c.pending = append(c.pending, c.space.EndedByContract(seq))
		if attack, ok := c.space.AsAttack(seq); ok {
			c.pending = append(c.pending, attack)
		}
	}
	accounts = unique(accounts)
	together := seq
	for _, account := range accounts {
		c.pending = append(c.pending, c.space.AsContract(seq, account))
		together = c.space.AsContract(together, account)
	}
	if len(accounts) > 1 {
		c.pending = append(c.pending, together)
	}
}

func unique(accounts []common.Address) (list []common.Address) {
	for _, account := range accounts {
		if !slices.Contains(list, account) {
			list = append(list, account)
		}
	}
	return list
}

// lack is what keeps a function from paying: its contract has less than it sends, or sends the attacker's contract all that it has, which is
// nothing; or it ends when the attacker's contract calls it, and whom it pays then is not told.
type lack struct {
	function *input.Function
	nothing  bool
	own      bool // all calls are the attacker's: others must not use up their tries
}

// endow has others pay in first, where a call would pay then.
func (c *callbacks) endow(seq input.Sequence, exec *evm.Execution) {
	from, nothing, ok := lacksFunds(exec)
	kind := lack{seq[len(seq)-1].Function, nothing, c.space.IsAttack(seq)}
	most := maxLacking
	if nothing {
		most = maxNothing
	}
	if !ok || c.lacking[kind] >= most || nothing && c.space.IsPaid(seq, from) {
		return
	}
	all := c.space.Endowed(seq, from)
	if others, ok := c.space.PaidByOthers(seq); ok {
		all = append(all, others)
	}
	if len(all) > 0 {
		c.lacking[kind]++
		c.pending = append(c.pending, all...)
	}
}

// lacksFunds reports whether the last call would pay if others had paid in, and which contract: some account that it has too little for, or
// the attacker's contract, which it sends nothing, or for which it ends.
func lacksFunds(exec *evm.Execution) (from common.Address, nothing, ok bool) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if exec.Frames[frames[0]].Caller == attacker.Address && oracle.Ends(f) {
			from, nothing, ok = f.Self, true, true
		}
		if f.Parent < 0 {
			continue
		}
		if f.Outcome == evm.InsufficientBalance {
			return f.Caller, false, true
		}
		if f.CodeAddress == attacker.Address && f.Kind == evm.KindCall && f.Value.IsZero() && len(f.Input) == 0 {
			from, nothing, ok = f.Caller, true, true
		}
	}
	return from, nothing, ok
}

// hand reports whether there is a reason that there was not before.
func (c *callbacks) hand(h handing) bool {
	if c.handed[h] {
		return false
	}
	c.handed[h] = true
	return true
}

// take takes what it wants tried.
func (c *callbacks) take() []lead {
	leads := asLeads(c.pending)
	c.pending = c.pending[:0]
	return leads
}
