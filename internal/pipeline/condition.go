package pipeline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// conditions finds out what it takes to cause a finding beyond calls that any account can make,
// by making its calls otherwise: from other senders, with other constructor arguments.
type conditions struct {
	head  *deploy.Deployment
	aside func(*bytecode.Contract) bool // tests, scripts and mocks: see [change.Change.IsAside]
	judge evm.Machine                   // on it
	roles map[common.Address][]role
	ids   map[common.Address][]uint64 // that accounts own, see owned; nil: not asked for yet
}

// role is what a contract's getter says of an account.
type role struct {
	name     string         // "owner"
	contract common.Address // that says so
}

func newConditions(head *deploy.Deployment, aside func(*bytecode.Contract) bool) (*conditions, error) {
	c := &conditions{head: head, aside: aside}
	var err error
	if c.judge, err = head.NewJudge(); err != nil {
		return nil, err
	}
	if c.roles, err = c.findRoles(); err != nil {
		return nil, err
	}
	return c, nil
}

// maxRoleCalls bounds the questions about roles. Arbitrary: as many as set-ups ask.
const maxRoleCalls = 256

// findRoles asks all instances for their owner, admin, keeper and so on.
func (c *conditions) findRoles() (map[common.Address][]role, error) {
	roles := map[common.Address][]role{}
	asked := 0
	for _, in := range c.head.World.Instances {
		if in.Contract == nil {
			continue
		}
		var getters []string
		for name, m := range in.Contract.ABI.Methods { // sorted below
			if len(m.Inputs) == 0 && len(m.Outputs) == 1 && m.Outputs[0].Type.String() == "address" && m.IsConstant() && world.AccountRole(m.RawName) != "" {
				getters = append(getters, name)
			}
		}
		slices.Sort(getters)
		for _, name := range getters {
			if asked++; asked > maxRoleCalls {
				return roles, nil
			}
			m := in.Contract.ABI.Methods[name]
			exec, err := c.judge.Run(evm.Sequence{{From: c.head.Space.Senders[0].Address, To: in.Address, Data: m.ID}})
			if err != nil {
				return nil, err
			}
			if result := &exec.Calls[0]; result.Outcome == evm.Success && len(result.Output) == abi.WordSize {
				account := common.BytesToAddress(result.Output)
				roles[account] = append(roles[account], role{world.AccountRole(m.RawName), in.Address})
			}
		}
	}
	return roles, nil
}

// deployerRole is the role of an account that has no other.
const deployerRole = "the deployer"

// roleOf is the role of a sender that calls contracts, for people: what one of these says,
// else what any other says, else whether it deployed the World. Empty: it is like any other.
func (c *conditions) roleOf(sender common.Address, called []common.Address) string {
	own := slices.IndexFunc(c.roles[sender], func(r role) bool { return slices.Contains(called, r.contract) })
	switch {
	case own >= 0:
		return "the " + c.roles[sender][own].name
	case len(c.roles[sender]) > 0:
		return "the " + c.roles[sender][0].name
	case sender == world.Deployer.Address:
		return deployerRole
	}
	for _, p := range c.head.Setup.Senders {
		if p.Address != sender {
			continue
		}
		switch account, _, of := strings.Cut(p.Why, " of "); {
		case of && world.AccountRole(account) != "": // before the test's own calls
			return "the " + world.AccountRole(account)
		case p.Why == "owner":
			return "the owner"
		case p.Why == "granted a role":
			return "an account with a role"
		case p.Why == "test contract":
			return deployerRole
		case world.IsCaller(&p), c.isPrankedContract(sender):
			return p.Name
		}
	}
	return ""
}

// of says under which condition a finding happens, and whether that takes what may never be:
// the deployer's choice of constructor arguments, a call that only a contract's own code can
// make, a function that only tests have, or, for a property, one in the name of a test contract: whoever wrote the property has
// said which calls there are, and forge, echidna and medusa never call as the test contract.
// Empty: any account can cause it.
func (c *conditions) of(f *fuzzer.Finding) (condition string, hypothetical bool) {
	if input.IsTest(f.Sequence) {
		return "", false
	}
	seq := f.Sequence
	if !c.breaks(f, seq) {
		return "", false // nothing can be learned from what is not seen here
	}
	if contract := c.chosenArguments(f, seq); contract != "" {
		return fmt.Sprintf("if %s is deployed with these arguments", contract), true
	}
	if function := c.declaredAside(f, seq); function != "" {
		return fmt.Sprintf("through %s, which a test declares", function), true
	}
	var needed []string
	for _, sender := range seq.Senders() {
		address := c.head.Space.Senders[sender].Address
		role := c.roleOf(address, c.calledBy(seq, sender))
		if role == "" || c.onlyGives(seq, sender) {
			continue
		}
		if other, ok := c.byOthers(f, seq, sender, nil); ok {
			seq = other
			continue
		}
		hypothetical = hypothetical || c.isCallingContract(address) || seq[len(seq)-1].Function.Property && c.isTestContract(address)
		if !slices.Contains(needed, role) {
			needed = append(needed, role)
		}
	}
	if len(needed) == 0 {
		return "", false
	}
	who := needed[len(needed)-1]
	if others := needed[:len(needed)-1]; len(others) > 0 {
		who = strings.Join(others, ", ") + " and " + who
	}
	switch {
	case c.anyLast(f, seq, needed):
		return "after a call by " + who, hypothetical
	case len(needed) > 1:
		return fmt.Sprintf("if %s call", who), hypothetical
	}
	return fmt.Sprintf("if %s calls", who), hypothetical
}

// declaredAside is the name of a function that an attacker calls, of a test's contract that
// inherits what breaks from a contract under test: a harness has functions that are not shipped. It
// is one that his contract calls in the middle of another call, or any where the oracle claims
// what anyone can do. Others may stand for what the contract is not complete without: a mock of a
// token mints. Empty: there is none.
func (c *conditions) declaredAside(f *fuzzer.Finding, seq input.Sequence) string {
	exec, _, err := fuzzer.Replay(c.judge, compare.Judging(c.head), seq)
	if err != nil {
		return ""
	}
	own := slices.IndexFunc(c.head.Space.Senders, func(s evm.Sender) bool { return s.IsContract() })
	for i := range exec.Frames {
		frame := &exec.Frames[i]
		middle := frame.Parent >= 0 && own >= 0 && frame.Caller == c.head.Space.Senders[own].Address
		if !middle && !(f.Oracle.ByAnyone && frame.Parent < 0) || frame.Program == nil || frame.Program.Contract == nil || len(frame.Input) < 4 {
			continue
		}
		contract := frame.Program.Contract
		method, err := contract.ABI.MethodById(frame.Input[:4])
		if err != nil || contract.QualifiedName() != f.Contract || !c.aside(contract) {
			continue
		}
		if at, ok := declarationIn(c.head, frame, method.RawName); ok && c.aside(&bytecode.Contract{Source: at.File}) {
			return method.RawName
		}
	}
	return ""
}

// isCallingContract reports whether a contract sends calls since another one compares
// msg.sender with it or with its alias, or since a test has called in its name. Its own code decides what it
// calls, and may never do so.
func (c *conditions) isCallingContract(sender common.Address) bool {
	return c.hasCode(sender) && slices.ContainsFunc(c.head.Setup.Callers, func(p world.Party) bool { return p.Address == sender && world.IsCaller(&p) }) ||
		c.isPrankedContract(sender) || input.IsAlias(c.head.World, sender)
}

// isPrankedContract reports whether a contract sends calls since a test has called in its name.
func (c *conditions) isPrankedContract(sender common.Address) bool {
	return c.hasCode(sender) && slices.ContainsFunc(c.head.Setup.Senders, func(p world.Party) bool { return p.Address == sender && p.Why == world.Pranked })
}

// hasCode reports whether an account is a contract: one that has delegated to code signs its own transactions.
func (c *conditions) hasCode(address common.Address) bool {
	account, err := c.head.World.Account(address)
	if err != nil || account == nil || len(account.Code) == 0 {
		return false
	}
	_, delegated := types.ParseDelegation(account.Code)
	return !delegated
}

// isTestContract reports whether a sender is a test contract that set up the World.
func (c *conditions) isTestContract(sender common.Address) bool {
	return slices.ContainsFunc(c.head.Setup.Senders, func(p world.Party) bool { return p.Address == sender && p.Why == "test contract" })
}

// anyLast reports whether any account can make the last call of a sequence, after calls of
// another function by senders of some roles.
func (c *conditions) anyLast(f *fuzzer.Finding, seq input.Sequence, needed []string) bool {
	last := seq[len(seq)-1].Sender
	if !slices.Contains(needed, c.roleOf(c.head.Space.Senders[last].Address, c.calledBy(seq, last))) {
		return true
	}
	return slices.ContainsFunc(seq, func(call input.Call) bool {
		if call.Sender != last || call.Function == seq[len(seq)-1].Function {
			return false
		}
		_, ok := c.byOthers(f, seq, last, call.Function)
		return ok
	})
}

// sets reports whether a sender with a role decides on a number in a call that moves nothing and
// allows nothing: a price, a limit. What others then take for nothing may be that account's wish; not where it is enough that a number becomes
// half or twice what it was, as prices do.
func (c *conditions) sets(f *fuzzer.Finding) bool {
	seq := f.Sequence
	exec, err := c.judge.Run(c.head.Space.Encode(seq, nil))
	if err != nil {
		return false
	}
	var setting []int
	for i := range seq {
		call := &seq[i]
		at := []common.Address{c.head.Space.Instances[call.Instance].Address}
		if call.Value.IsZero() && !c.head.Space.IsGift(call) && c.roleOf(c.head.Space.Senders[call.Sender].Address, at) != "" && takesNumber(call.Function) && !movesTokens(exec, i) {
			setting = append(setting, i)
		}
	}
	for _, i := range setting {
		if seq = c.moderately(f, seq, i); seq == nil {
			return true
		}
	}
	return false
}

// moderately is a sequence that shows the finding as well, with half or twice the number that was there in the place of the one that a call
// sets; nil: there is none.
func (c *conditions) moderately(f *fuzzer.Finding, seq input.Sequence, call int) input.Sequence {
	exec, err := c.judge.Run(c.head.Space.Encode(seq, nil))
	if err != nil {
		return nil
	}
	for _, word := range input.AppendCallWords(nil, seq, call) {
		t := input.WordType(seq, word)
		x, ok := c.head.Space.Get(seq, word)
		if !ok || t == nil || t.Kind != input.Uint && t.Kind != input.Int {
			continue
		}
		before := c.overwritten(exec, call, &x)
		if before == nil {
			continue
		}
		half, twice := new(uint256.Int).Rsh(before, 1), new(uint256.Int).Lsh(before, 1)
		for _, number := range []*uint256.Int{half, twice} {
			if other, ok := c.head.Space.With(seq, word, number); ok && c.breaks(f, other) {
				return other
			}
		}
	}
	return nil
}

// overwritten is the number that was in the place where a call stores another one; nil: it stores it nowhere, or where nothing was.
func (c *conditions) overwritten(exec *evm.Execution, call int, number *uint256.Int) *uint256.Int {
	from, to := exec.Calls[call].Frames[0], exec.Calls[call].Frames[1]
	for i := from; i < to; i++ {
		for _, a := range exec.Frames[i].Storage {
			if !a.Write || a.Value != *number {
				continue
			}
			if before := c.storedBefore(exec, from, &a); before != nil && !before.IsZero() {
				return before
			}
		}
	}
	return nil
}

// storedBefore is what was at the place of a write before the given frame; nil: that could not be read.
func (c *conditions) storedBefore(exec *evm.Execution, frame int, write *evm.StorageAccess) *uint256.Int {
	lasts := exec.Lasting()
	for i := frame - 1; i >= 0; i-- {
		for j := len(exec.Frames[i].Storage) - 1; lasts[i] && j >= 0; j-- {
			if a := &exec.Frames[i].Storage[j]; a.Write && a.Address == write.Address && a.Slot == write.Slot {
				return &a.Value
			}
		}
	}
	word, err := c.head.World.Word(write.Address, write.Slot.Bytes32())
	if err != nil {
		return nil
	}
	return new(uint256.Int).SetBytes32(word[:])
}

// grants reports whether a sender with a role names, in one of its calls, the very function and contract that another sender calls behind it: who
// manages permissions gives this one on purpose, to everyone or to him.
func (c *conditions) grants(seq input.Sequence) bool {
	calls := c.head.Space.Encode(seq, nil)
	for i := range calls {
		at := []common.Address{c.head.Space.Instances[seq[i].Instance].Address}
		if len(calls[i].Data) < 4 || c.roleOf(calls[i].From, at) == "" {
			continue
		}
		words := slices.Collect(slices.Chunk(calls[i].Data[4:], abi.WordSize))
		names := func(word []byte) bool {
			return slices.ContainsFunc(words, func(w []byte) bool { return bytes.Equal(w, word) })
		}
		for _, other := range calls[i+1:] {
			if other.From != calls[i].From && len(other.Data) >= 4 && names(common.RightPadBytes(other.Data[:4], abi.WordSize)) && names(common.LeftPadBytes(other.To[:], abi.WordSize)) {
				return true
			}
		}
	}
	return false
}

// swaps reports whether a sender with a role has a proxy run other code, and another sender calls the proxy behind it:
// what that code needs to be set up is up to who chose it, in the same call.
func (c *conditions) swaps(seq input.Sequence) bool {
	calls := c.head.Space.Encode(seq, nil)
	exec, err := c.judge.Run(calls)
	if err != nil {
		return false
	}
	swapped := map[common.Address]common.Address{} // who swapped the code of a proxy
	for i := range calls {
		if by, ok := swapped[calls[i].To]; ok && by != calls[i].From {
			return true
		}
		at := []common.Address{c.head.Space.Instances[seq[i].Instance].Address}
		if c.roleOf(calls[i].From, at) == "" {
			continue
		}
		frames := exec.Calls[i].Frames
		for _, f := range exec.Frames[frames[0]:frames[1]] {
			for _, a := range f.Storage {
				if slot := common.Hash(a.Slot.Bytes32()); a.Write && (slot == world.ImplementationSlot || slot == world.BeaconSlot) {
					swapped[a.Address] = calls[i].From
				}
			}
		}
	}
	return false
}

// trusts reports whether the last call is by an account that the code names or that has a role: what it
// could do with a signature again is up to it, as an entry point of ERC-4337 that counts nonces. The deployer's account alone is
// like any other.
func (c *conditions) trusts(seq input.Sequence) bool {
	last := len(seq) - 1
	role := c.roleOf(c.head.Space.Senders[seq[last].Sender].Address, c.calledBy(seq[last:], seq[last].Sender))
	return role != "" && role != deployerRole
}

func takesNumber(f *input.Function) bool {
	return slices.ContainsFunc(f.Inputs, func(t abi.Type) bool { return t.Kind == abi.Uint || t.Kind == abi.Int })
}

// tokenEvents are what tokens say when they move, or may be moved by others from now on.
var tokenEvents = map[common.Hash]bool{
	crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")):                          true,
	crypto.Keccak256Hash([]byte("Approval(address,address,uint256)")):                          true,
	crypto.Keccak256Hash([]byte("ApprovalForAll(address,address,bool)")):                       true,
	crypto.Keccak256Hash([]byte("TransferSingle(address,address,address,uint256,uint256)")):    true,
	crypto.Keccak256Hash([]byte("TransferBatch(address,address,address,uint256[],uint256[])")): true,
}

// movesTokens reports whether a token says in a call that it moves or may be moved.
func movesTokens(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return slices.ContainsFunc(f.Logs, func(l evm.Log) bool { return len(l.Topics) > 0 && tokenEvents[l.Topics[0]] })
	})
}

// breaks reports whether a sequence shows the finding.
func (c *conditions) breaks(f *fuzzer.Finding, seq input.Sequence) bool {
	_, observed, err := fuzzer.Replay(c.judge, compare.Judging(c.head), seq)
	return err == nil && slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == f.Oracle.ID && o.Location == f.Location
	})
}

// onlyGives reports whether all that a sender does is to give the attackers tokens: any account that has some could.
func (c *conditions) onlyGives(seq input.Sequence, sender int) bool {
	return !slices.ContainsFunc(seq, func(call input.Call) bool { return call.Sender == sender && !c.head.Space.IsGift(&call) })
}

// calledBy lists the contracts that a sender calls.
func (c *conditions) calledBy(seq input.Sequence, sender int) []common.Address {
	var list []common.Address
	for i := range seq {
		if seq[i].Sender == sender {
			list = append(list, c.head.Space.Instances[seq[i].Instance].Address)
		}
	}
	return list
}

// byOthers finds a sender without a role in whose name a sender's calls, but for those of one
// function (nil: none), show the finding as well: the outsider, or one that has what set-ups
// give to all, such as tokens. Where the calls name their sender as an argument, they may
// name the other one.
func (c *conditions) byOthers(f *fuzzer.Finding, seq input.Sequence, sender int, kept *input.Function) (input.Sequence, bool) {
	all := c.head.Space.Senders
	for other := len(all) - 1; other >= 0; other-- {
		if other == sender || all[other].TestsOnly || c.roleOf(all[other].Address, nil) != "" {
			continue
		}
		replaced := seq.Clone()
		for i := range replaced {
			if replaced[i].Sender == sender && (kept == nil || replaced[i].Function != kept) {
				replaced[i].Sender = other
			}
		}
		if c.breaks(f, replaced) {
			return replaced, true
		}
		renamed := replaced.Clone()
		for i := range renamed {
			renamed[i].Args = abi.ReplaceAddress(renamed[i].Args, renamed[i].Function.Inputs, all[sender].Address, all[other].Address)
		}
		if c.breaks(f, renamed) {
			return renamed, true
		}
		if theirs, ok := c.withOwn(renamed, sender, other); ok && c.breaks(f, theirs) {
			return theirs, true
		}
	}
	return nil, false
}

// chosenArguments is the name of a contract that the sequence deploys, if the finding does
// not happen with the arguments that the World deploys it with, or the World does not: what
// a constructor is given is the deployer's choice. Empty: it happens anyway.
func (c *conditions) chosenArguments(f *fuzzer.Finding, seq input.Sequence) string {
	deployed := ""
	usual := seq.Clone()
	for i := range usual {
		call := &usual[i]
		if call.Function.Kind != input.Constructor || len(call.Function.Inputs) == 0 {
			continue
		}
		deployed = call.Function.Contract.Name
		var ok bool
		if call.Args, ok = c.usualArguments(call); !ok {
			return deployed
		}
	}
	if deployed == "" || c.breaks(f, usual) {
		return ""
	}
	return deployed
}

// usualArguments are those with which the World deploys what a call deploys.
func (c *conditions) usualArguments(call *input.Call) ([]abi.Value, bool) {
	for _, made := range c.head.Setup.Deployments {
		if made.Contract != call.Function.Contract || made.Code == nil {
			continue
		}
		if args, err := input.Decode(call.Function.Inputs, made.Call.Data[len(made.Code):]); err == nil {
			return args, true
		}
	}
	return nil, false
}
