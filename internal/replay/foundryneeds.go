package replay

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// needs are the parts of the World's making that a test takes over: those that its calls have
// to do with.
type needs struct {
	*loaded
	setUps       map[int]bool            // of the snapshot's
	transactions map[int]bool            // of those that made the World
	accounts     map[common.Address]bool // that calls came to, or that they or transactions name
	named        []common.Address        // accounts of set-ups, and what transactions create, that the test names

	owners map[common.Address]int            // set-ups by what they or their functions gave code
	salted map[common.Address]bool           // of these
	parent map[common.Address]common.Address // who created what, by nonces
	made   map[common.Address]int            // transactions by what they deploy
}

// needsOf finds what the calls of a sequence need.
func needsOf(l *loaded, exec *evm.Execution) *needs {
	s := l.snapshot
	n := &needs{loaded: l, setUps: map[int]bool{}, transactions: map[int]bool{}, accounts: map[common.Address]bool{},
		owners: map[common.Address]int{}, salted: map[common.Address]bool{}, parent: map[common.Address]common.Address{}, made: map[common.Address]int{}}
	for i := range s.Setups {
		up := &s.Setups[i]
		all := slices.Clone(up.Made)
		for _, call := range up.Also {
			all = append(all, call.Made...)
		}
		for _, a := range append(all, world.MadeAccount{Address: up.Address}) {
			n.owners[a.Address], n.salted[a.Address] = i, a.Salted
		}
	}
	for i := range s.Made {
		if s.Made[i].Create {
			n.made[s.Made[i].Address] = i
			n.children(s.Made[i].Address)
		}
	}
	calls := l.space.Encode(l.sequence, nil)
	for i := range calls {
		n.name(calls[i].From)
		if !calls[i].Create {
			n.name(calls[i].To)
		}
		n.nameIn(calls[i].Data)
		n.nameInScript(l.sequence[i].Script)
	}
	if a := l.reproducer.Claim.Answer; a != nil {
		n.name(a.To)
		n.nameIn(a.Data)
	}
	for i := range exec.Frames {
		n.need(exec.Frames[i].Self)
		n.need(exec.Frames[i].CodeAddress)
	}
	n.close()
	return n
}

// children notes what a contract that a transaction deployed created, and what that did.
func (n *needs) children(creator common.Address) {
	account := n.snapshot.World.Accounts[creator]
	if account == nil || len(account.Code) == 0 {
		return
	}
	for nonce := uint64(1); nonce < min(account.Nonce, maxNonce); nonce++ {
		a := crypto.CreateAddress(creator, nonce)
		if _, known := n.parent[a]; !known {
			n.parent[a] = creator
			n.children(a)
		}
	}
}

// hasCode reports whether an account of the World has code that something of its making gave it.
func (n *needs) hasCode(a common.Address) bool {
	account := n.snapshot.World.Accounts[a]
	return account != nil && len(account.Code) > 0 && a != attacker.Address && a != world.Create2Deployer && a != cheatcode.Address && a != cheatcode.Console
}

// need adds an account, and the set-up that made it.
func (n *needs) need(a common.Address) {
	if n.accounts[a] || !n.hasCode(a) {
		return
	}
	n.accounts[a] = true
	if i, ok := n.owners[a]; ok {
		n.setUps[i] = true
		return
	}
	for at := a; ; at = n.parent[at] {
		if i, ok := n.made[at]; ok {
			n.take(i)
			return
		}
		if _, ok := n.parent[at]; !ok {
			break
		}
	}
	for i := range n.snapshot.Made { // one of them did
		n.take(i)
	}
}

// name adds an account whose address the test names.
func (n *needs) name(a common.Address) {
	if n.hasCode(a) && !slices.Contains(n.named, a) {
		n.named = append(n.named, a)
	}
	n.need(a)
}

// nameIn adds the accounts whose addresses are words of data, at any offset.
func (n *needs) nameIn(data []byte) {
	for _, a := range n.mentioned(data) {
		n.name(a)
	}
}

// nameInScript adds the accounts that a script names.
func (n *needs) nameInScript(script *input.Script) {
	if script == nil {
		return
	}
	script.EachCall(func(c *input.Call) {
		made := &n.space.Encode(input.Sequence{*c}, nil)[0]
		n.name(made.To)
		n.nameIn(made.Data)
	})
	for i := range script.Answers {
		for _, word := range script.Answers[i].Words {
			n.name(word.Bytes20())
		}
	}
}

// mentioned lists the accounts with code whose addresses are words of data.
func (n *needs) mentioned(data []byte) []common.Address {
	var list []common.Address
	for _, a := range slices.SortedFunc(maps.Keys(n.snapshot.World.Accounts), common.Address.Cmp) {
		if n.hasCode(a) && bytes.Contains(data, common.LeftPadBytes(a[:], common.HashLength)) {
			list = append(list, a)
		}
	}
	return list
}

// take adds a transaction and what it has to do with.
func (n *needs) take(i int) {
	if n.transactions[i] {
		return
	}
	n.transactions[i] = true
	c := &n.snapshot.Made[i]
	n.name(c.From)
	if !c.Create {
		n.name(c.To)
	}
	n.nameIn(n.arguments(&c.Call))
	for _, a := range slices.Concat(c.Changes, c.Reads) {
		n.need(a)
	}
}

// arguments is what a transaction passes on: of a deployment of a contract that is known, what
// follows its code, in which forge writes the addresses of libraries itself.
func (n *needs) arguments(c *evm.Call) []byte {
	if p := n.table.LookupCreation(c.Data); c.Create && p != nil && p.Contract != nil && !world.IsBuiltInMock(p.Contract) {
		return c.Data[min(len(p.Bytes), len(c.Data)):]
	}
	return c.Data
}

// close adds the transactions that may have changed what is needed, until there is none left.
func (n *needs) close() {
	for more := true; more; {
		more = false
		for i := range n.snapshot.Made {
			if c := &n.snapshot.Made[i]; !n.transactions[i] && n.concerns(c) {
				n.take(i)
				more = true
			}
		}
	}
}

func (n *needs) concerns(c *world.MadeCall) bool {
	if len(n.snapshot.Setups) == 0 {
		return !n.idle(&c.Call)
	}
	changes := c.Changes
	if changes == nil {
		changes = append(n.mentioned(n.arguments(&c.Call)), c.To)
	}
	return slices.ContainsFunc(changes, func(a common.Address) bool { return n.accounts[a] })
}

// idle reports whether a transaction deploys a harness that no call of the sequence, and none that
// made the World, has anything to do with.
func (n *needs) idle(c *evm.Call) bool {
	p := n.table.LookupCreation(c.Data)
	if !c.Create || p == nil || p.Contract == nil || !p.Contract.Generated || n.accounts[c.Address] {
		return false
	}
	return !slices.ContainsFunc(n.snapshot.Made, func(o world.MadeCall) bool { return o.To == c.Address || bytes.Contains(o.Data, c.Address[:]) })
}

// moved reports whether the address of an account is another one where the code is compiled
// otherwise.
func (n *needs) moved(a common.Address) bool {
	if _, ok := n.owners[a]; ok {
		return n.salted[a]
	}
	for at := a; ; at = n.parent[at] {
		if _, ok := n.made[at]; ok {
			return false
		}
		if _, ok := n.parent[at]; !ok {
			return true
		}
	}
}
