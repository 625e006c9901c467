package oracle

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/signature"
)

// Scene is an execution with what it takes to say whether an attacker gains by it: the World in which it
// happened, and further executions.
type Scene struct {
	Exec  *evm.Execution
	World *evm.World
	// Audit tells that contracts are looked at as they are, and no change of them: patterns without a
	// consequence are worth a word.
	Audit bool
	// Added are the contracts, by their qualified names, that the change adds, and Altered others that it changes.
	Added, Altered []string
	// RunsTarget reports whether a frame runs what the change has made of a contract; nil: that is not known, as on the base.
	RunsTarget func(*evm.Frame) bool
	// Calls are those of Exec. They must not be written to.
	Calls func() evm.Sequence
	// Run runs other calls from the same World: on the reference where a finding is confirmed, on a campaign's machine
	// where it is looked for. The execution is valid until the next Run.
	Run func(evm.Sequence) (*evm.Execution, error)
	// State is the state behind the calls of the last Run. It takes longer than they do where the World has many accounts.
	State func() *evm.World
	// Replaced are the calls, and from one of them on another account wherever arguments name one, and other bytes
	// wherever an argument is some.
	Replaced func(from int, account, by common.Address, data, with []byte) evm.Sequence
	// Attempt reports whether a suspicion is worth a Run: few are, of one oracle at one place, in one way.
	Attempt func(at bytecode.Location, how [4]byte) bool
	// Trace follows the values through Exec, see [evm.Trace]. It takes some times as long as a Run. nil: that cannot be
	// done.
	Trace func() *evm.Trace
	// Checking is filled with the programs whose compilers check arithmetic, and those whose do not, so that they are
	// looked through once; nil: it is not.
	Checking map[*bytecode.Program]bool
	// New tells that Exec shows something that no other did, and is worth tracing.
	New bool

	tokenList    *[]common.Address // of World; nil: not yet made
	outsiderList []common.Address  // likewise
}

// maxSceneCalls bounds the calls of an execution that is looked at closely. Arbitrary.
const maxSceneCalls = 64

// isOutsider reports whether nothing in the World knows of an account: the outsider, or his contract.
func (s *Scene) isOutsider(account common.Address) bool {
	return slices.Contains(s.outsiders(), account)
}

// outsider is the account of whom nothing in the World knows; zero: there is none.
func (s *Scene) outsider() common.Address {
	for i := range s.World.Senders {
		if s.World.Senders[i].Outsider {
			return s.World.Senders[i].Address
		}
	}
	return common.Address{}
}

// IsSuspect reports whether an execution is one that an oracle may want to examine though it shows nothing new
// otherwise.
func IsSuspect(exec *evm.Execution) bool {
	for i := range exec.Frames { // every execution comes here, and a frame takes a while to copy
		f := &exec.Frames[i]
		if f.Caller == attacker.Address || f.CodeAddress == attacker.Address || f.CodeAddress == signature.Ecrecover || usesAllGas(f) || fillsAccount(f) {
			return true
		}
	}
	return false
}

// fillsAccount reports whether a frame makes what it keeps for an account more than half of all numbers, where it was less: a difference may have gone
// below zero, on a path that was taken before with less.
func fillsAccount(f *evm.Frame) bool {
	const half = 1 << 63 // of the highest part
	for j := range f.Storage {
		now := &f.Storage[j]
		if !now.Write || now.Value[3] < half || now.Keys.Count != 1 {
			continue
		}
		for k := j - 1; k >= 0; k-- {
			if was := &f.Storage[k]; was.Slot == now.Slot && was.Address == now.Address {
				if was.Value[3] < half {
					return true
				}
				break
			}
		}
	}
	return false
}

// attack is the first call of an attack: from there on all calls are the outsider's or his contract's, and
// those before do not name either, nor by a hash. None rests on a signature of another account, which agrees to what it signs.
func (s *Scene) attack() (from int, ok bool) {
	from = len(s.Exec.Calls)
	for i := len(s.Exec.Calls) - 1; i >= 0; i-- {
		root := &s.Exec.Frames[s.Exec.Calls[i].Frames[0]]
		switch own := s.isOutsider(root.Caller); {
		case own && from == i+1:
			from = i
		case own, s.isNamed(i):
			return 0, false
		}
	}
	return from, from < len(s.Exec.Calls) && !s.isSigned(from) && !s.fitsHash(from)
}

// isSigned reports whether a signature of a sender who is not an outsider is checked in an attack.
func (s *Scene) isSigned(from int) bool {
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		f := &s.Exec.Frames[i]
		if f.CodeAddress != signature.Ecrecover || f.Program != nil || len(f.Output) != wordBytes {
			continue
		}
		signer := common.BytesToAddress(f.Output)
		if slices.ContainsFunc(s.World.Senders, func(sender evm.Sender) bool { return sender.Address == signer && !s.isOutsider(signer) }) {
			return true
		}
	}
	return false
}

// argumentsOf is the calldata of a frame without the selector.
func argumentsOf(f *evm.Frame) []byte { return f.Input[min(len(f.Input), 4):] }

// mayBeHash reports whether a word looks as hashes do: more zeros than that are in one of 100,000.
func mayBeHash(word []byte) bool {
	return bytes.Count(word, []byte{0}) < 4 && bytes.Count(word, []byte{0xff}) < 4
}

// isNamed reports whether a call names the attackers.
func (s *Scene) isNamed(call int) bool {
	input := s.Exec.Frames[s.Exec.Calls[call].Frames[0]].Input
	return bytes.Contains(input, attacker.Address[:]) || s.namesOutsider(input)
}

func (s *Scene) namesOutsider(data []byte) bool {
	account := s.outsider()
	return account != common.Address{} && bytes.Contains(data, account[:])
}

// existed reports whether an account had code in the World, other than an attacker's.
func (s *Scene) existed(account common.Address) bool {
	a := s.World.Accounts[account]
	return a != nil && len(a.Code) > 0 && !s.isOutsider(account)
}

// standsAlone reports whether a contract is looked at as it is: in an audit, and where the change adds it. A mock is not: what it gives away, and what it
// can be told to answer, is what tests want of it.
func (s *Scene) standsAlone(contract string) bool {
	return (s.Audit || slices.Contains(s.Added, contract)) && !isMock(contract)
}

// mocks are the names of contracts that stand in for others, as world.RoleOf tells them by a folder or a word of the name, and of ours.
var mocks = regexp.MustCompile(`(^|/)[Mm]ocks?/|:.*(Mock|MOCK)s?([^a-z]|$)|:mock([^a-z]|$)|^sightline:`)

// isMock reports whether a contract, by its qualified name, stands in for another one.
func isMock(contract string) bool { return mocks.MatchString(contract) }

// isProjects reports whether a frame runs code of the project, in the name of an account that had code in
// the World.
func (s *Scene) isProjects(f *evm.Frame) bool { return runsProjects(f) && s.existed(f.Self) }

// runsProjects reports whether a frame runs code of the project.
func runsProjects(f *evm.Frame) bool {
	return f.Program != nil && f.Program.Contract != nil && !f.Program.Contract.Generated && f.Program.Code != nil && f.Program.Code.Kind == bytecode.Runtime
}

// caller is the nearest frame of a known program around a frame, and where in it the call is that led there;
// −1: there is none.
func caller(exec *evm.Execution, frame int) (int, bytecode.Location) {
	for f := &exec.Frames[frame]; f.Parent >= 0; f = &exec.Frames[f.Parent] {
		if p := exec.Frames[f.Parent].Program; p != nil {
			return f.Parent, bytecode.Location{Code: p.ID, PC: f.CallPC}
		}
	}
	return -1, bytecode.Location{}
}

// state runs calls, and gives the state behind them; false where that fails, or a call does but those of
// may.
func (s *Scene) state(calls evm.Sequence, may func(call int) bool) (*evm.World, bool) {
	exec, err := s.Run(calls)
	if err != nil {
		return nil, false
	}
	for i := range exec.Calls {
		if exec.Calls[i].Outcome != evm.Success && (may == nil || !may(i)) {
			return nil, false
		}
	}
	return s.State(), true
}

// sameState reports whether two states differ in nothing but what outsiders have, and whom they gave it: accounts that
// the World had count, and those that have code.
func (s *Scene) sameState(a, b *evm.World) bool {
	for _, one := range []struct {
		a, b map[common.Address]*evm.Account
	}{{a.Accounts, b.Accounts}, {b.Accounts, a.Accounts}} {
		for address, account := range one.a {
			other := one.b[address]
			if account == other || s.isOutsider(address) || s.World.Accounts[address] == nil && len(account.Code) == 0 {
				continue
			}
			if other == nil {
				other = &evm.Account{}
			}
			if account.Balance != other.Balance || !sameStorage(account.Storage, other.Storage) {
				return false
			}
		}
	}
	return true
}

func sameStorage(a, b map[common.Hash]common.Hash) bool {
	holds := func(words, in map[common.Hash]common.Hash) bool {
		for slot, value := range words {
			if in[slot] != value {
				return false
			}
		}
		return true
	}
	return holds(a, b) && holds(b, a)
}

// maxTokens bounds the tokens whose balances are asked for. Arbitrary.
const maxTokens = 8

// Selectors of tokens.
var (
	totalSupply  = attacker.Selector("totalSupply()")
	balanceOf    = attacker.Selector("balanceOf(address)")
	ownerOf      = attacker.Selector("ownerOf(uint256)")
	transfer     = attacker.Selector("transfer(address,uint256)")
	transferFrom = attacker.Selector("transferFrom(address,address,uint256)")
	approve      = attacker.Selector("approve(address,uint256)")
	allowance    = attacker.Selector("allowance(address,address)")
)

// tokens lists the instances that answer balanceOf(address).
func (s *Scene) tokens() []common.Address {
	if s.tokenList == nil {
		list := s.findTokens()
		s.tokenList = &list
	}
	return *s.tokenList
}

func (s *Scene) findTokens() (list []common.Address) {
	for i := range s.World.Instances {
		in := &s.World.Instances[i]
		if in.Contract == nil || in.Asked || len(list) == maxTokens {
			continue
		}
		if _, err := in.Contract.ABI.MethodById(balanceOf[:]); err == nil {
			list = append(list, in.Address)
		}
	}
	return list
}

// owned is what outsiders have: wei first, then of each token.
func (s *Scene) owned(calls evm.Sequence, w *evm.World, tokens []common.Address) []uint256.Int {
	return s.ownedBy(s.outsiders(), calls, w, tokens)
}

// ownedBy is what accounts have together: wei first, then of each token.
func (s *Scene) ownedBy(accounts []common.Address, calls evm.Sequence, w *evm.World, tokens []common.Address) []uint256.Int {
	out := make([]uint256.Int, 1+len(tokens))
	for _, account := range accounts {
		if a := w.Accounts[account]; a != nil {
			out[0].Add(&out[0], &a.Balance)
		}
	}
	for i, token := range tokens {
		for _, account := range accounts {
			if x, ok := s.ask(calls, token, word(balanceOf, account)); ok {
				out[1+i].Add(&out[1+i], &x)
			}
		}
	}
	return out
}

// outsiders are the accounts of whom nothing in the World knows: the outsider, and his contract.
func (s *Scene) outsiders() []common.Address {
	if s.outsiderList == nil { // every execution comes here
		list := []common.Address{}
		for i := range s.World.Senders {
			if sender := &s.World.Senders[i]; sender.Outsider || sender.IsContract() {
				list = append(list, sender.Address)
			}
		}
		s.outsiderList = slices.Clip(list)
	}
	return s.outsiderList
}

// ask is the number that an account answers after calls; false: it does not.
func (s *Scene) ask(calls evm.Sequence, to common.Address, data []byte) (x uint256.Int, ok bool) {
	exec, err := s.Run(append(slices.Clip(calls), question(s.World, to, data)))
	if err != nil {
		return x, false
	}
	return answer(exec, len(calls))
}

// question is a call that asks an account for a number.
func question(w *evm.World, to common.Address, data []byte) evm.Call {
	return evm.Call{From: w.Senders[0].Address, To: to, Data: data}
}

// answer is the number that a call of an execution gives.
func answer(exec *evm.Execution, call int) (x uint256.Int, ok bool) {
	c := &exec.Calls[call]
	if c.Outcome != evm.Success || len(c.Output) != wordBytes {
		return x, false
	}
	return *x.SetBytes(c.Output), true
}

const wordBytes = 32

// word is calldata of accounts as arguments.
func word(selector [4]byte, accounts ...common.Address) []byte {
	data := slices.Clone(selector[:])
	for _, a := range accounts {
		data = append(data, common.LeftPadBytes(a[:], wordBytes)...)
	}
	return data
}

// lost reports whether who has now has less of something than before.
func lost(before, now []uint256.Int) bool {
	for i := range now {
		if now[i].Lt(&before[i]) {
			return true
		}
	}
	return false
}

// gained reports whether who has now has more of something than before, and less of nothing.
func gained(before, now []uint256.Int) bool {
	return !lost(before, now) && lost(now, before)
}

// instanceName is what an account is called in the World; its address where it has no name.
func (s *Scene) instanceName(account common.Address) string {
	for i := range s.World.Instances {
		if s.World.Instances[i].Address == account {
			return s.World.Instances[i].Name
		}
	}
	return account.Hex()
}

// contractAt is the contract of an instance; nil: the account is none.
func (s *Scene) contractAt(account common.Address) *bytecode.Contract {
	for i := range s.World.Instances {
		if s.World.Instances[i].Address == account {
			return s.World.Instances[i].Contract
		}
	}
	return nil
}

// sortedMethods are the functions of a contract by signature.
func sortedMethods(c *bytecode.Contract) []abi.Method {
	list := slices.Collect(maps.Values(c.ABI.Methods))
	slices.SortFunc(list, func(a, b abi.Method) int { return cmp.Compare(a.Sig, b.Sig) })
	return list
}
