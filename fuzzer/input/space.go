package input

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Instance is something that calls can name: a deployed contract of the World,
// or one that a constructor call of the sequence puts at Address.
type Instance struct {
	evm.Instance
	Fresh       bool        // not there before its constructor call
	Functions   []*Function // all but properties; a fresh one's constructor is the last
	Properties  []*Function
	Noted       *Function // of an instance that is only asked, what tells that a property failed; nil: nothing does
	constructor *Function // of a Fresh instance
}

// Chosen reports whether sequences deploy the instance with arguments of their choice.
func (in *Instance) Chosen() bool { return in.Fresh && len(in.constructor.Inputs) > 0 }

// Callable is a function of an instance.
type Callable struct {
	Instance int // index into Space.Instances
	Function *Function
}

// Deployment lets sequences run a contract's constructor.
type Deployment struct {
	Contract *bytecode.Contract
	Code     []byte // its creation code with libraries linked, without arguments
}

// Constructed are the arguments that a contract was deployed with, encoded.
type Constructed struct {
	Contract  *bytecode.Contract
	Arguments []byte
}

// SpaceOptions say what belongs to a Space beyond the World.
type SpaceOptions struct {
	// Constructors lists contracts that sequences may deploy; empty: sequences
	// deploy nothing.
	Constructors []Deployment
	// MaxValue bounds the wei of one call; nil: the richest sender's balance.
	MaxValue *uint256.Int
	// MaxTime and MaxBlocks bound the seconds and blocks that mutation lets pass before a
	// call; nil: MaxTimeAdvance and MaxBlockAdvance. Sequences that are given may wait longer.
	MaxTime, MaxBlocks *uint64
	// Called tells which functions of the World's instances sequences may call; nil: all
	// of them. Properties are asked whatever it says.
	Called func(instance *evm.Instance, f *Function) bool
	// Uses are calls of the World's instances that its makers made: their arguments are worth
	// trying elsewhere.
	Uses []evm.Call
	// Constructed are constructor arguments that the World's makers chose, likewise.
	Constructed []Constructed
	// Likely says which accounts the functions of some contracts take as a rule.
	Likely []Likely
}

// Space is everything that sequences can be made of in one World: what can be
// called, by whom, with which well-known addresses. It is immutable and may be
// shared by any number of goroutines. Equal Worlds give equal Spaces.
type Space struct {
	Senders   []evm.Sender
	Instances []Instance       // the World's in its order, then fresh ones
	Callables []Callable       // what generation chooses from, in the order of Instances and their Functions
	Addresses []common.Address // senders, instances, other accounts by address, and zero last; each once
	Skipped   []Skipped        // functions that cannot be called, with the reason
	Options   SpaceOptions
	Lenient   bool // with fuzz tests, see evm.Cheats

	maxTime, maxBlocks uint64

	start     evm.Block
	balances  []uint256.Int                 // of Senders
	prefixes  []string                      // of properties, in addition to those of every World
	scoped    bool                          // some instance has a scope
	tester    int                           // index of the sender that runs fuzz tests
	ordinary  []int                         // indices of the senders of everything else
	callbacks map[[4]byte]attacker.Function // that contracts may call on the attacker's
	instances []bool                        // by sender: it is an instance of the World and no test's, or an alias
	contract  int                           // index of the attacker's contract, which sends as well; −1: there is none
	maxValue  uint256.Int

	choices   []Callable // for weighted choice, see choose
	changing  []Callable // the state-changing ones among choices, each once
	preparing []Callable // the same, what is called seldom less often
	tokens    []common.Address
	names     names
	known     known
	likely    map[*Type][]common.Address // by the type of a parameter, or of what is in it

	encodings encodings
}

// viewWeight is the share of a view or pure function in the choice of a call,
// against 1 for one that changes state. They cannot prepare anything for
// later calls, but targets and assertions may be in them. That of a spare instance's function is the same. The ratio is
// arbitrary.
const viewWeight = 4 // one in viewWeight

// NewSpace collects what a World offers.
func NewSpace(world *evm.World, options SpaceOptions) (*Space, error) {
	if len(world.Senders) == 0 {
		return nil, errors.New("the World has no senders, so nothing can be called")
	}
	s := &Space{Senders: slices.Clone(world.Senders), Options: options, start: world.Block, prefixes: world.Properties}
	s.Lenient = world.Cheats != nil && world.Cheats.Lenient
	s.contract = -1
	for i := range s.Senders {
		if s.Senders[i].IsContract() {
			s.contract = i
		} else if !s.Senders[i].TestsOnly && !s.Senders[i].Outsider {
			s.ordinary = append(s.ordinary, i)
		}
		if world.Cheats != nil && s.Senders[i].Address == world.Cheats.Tester {
			s.tester = i
		}
	}
	if len(s.ordinary) == 0 && s.contract >= 0 {
		s.ordinary = []int{s.contract}
	}
	if len(s.ordinary) == 0 {
		return nil, errors.New("the World has senders for tests only, so nothing else can be called")
	}
	functions := map[*bytecode.Contract][]*Function{} // instances of one contract share them
	for _, in := range world.Instances {
		s.addInstance(in, functions, nil)
	}
	fresh := FreshNames(options.Constructors)
	for i, d := range options.Constructors {
		f, err := NewConstructor(d.Contract, d.Code)
		if err != nil {
			return nil, err
		}
		s.addInstance(freshInstance(d.Contract, fresh[i]), functions, f)
	}
	for i := range s.Senders {
		s.instances = append(s.instances, IsAlias(world, s.Senders[i].Address) || slices.ContainsFunc(world.Instances, func(in evm.Instance) bool {
			return in.Address == s.Senders[i].Address && !in.Asked && in.Tests == nil
		}))
	}
	s.addFunds(world)
	s.maxTime, s.maxBlocks = MaxTimeAdvance, MaxBlockAdvance
	if options.MaxTime != nil {
		s.maxTime = min(s.maxTime, *options.MaxTime)
	}
	if options.MaxBlocks != nil {
		s.maxBlocks = min(s.maxBlocks, *options.MaxBlocks)
	}
	s.addAddresses(world)
	s.addChoices()
	s.addTokens()
	if err := s.addNames(); err != nil {
		return nil, err
	}
	s.addCallbacks(world.Callbacks)
	s.encodings = newEncodings(s.Instances)
	s.learn(options.Uses, options.Constructed)
	s.expect(options.Likely, functions)
	return s, nil
}

// SentByInstance reports whether a call of a sequence is one in the name of a contract of the World or of the chain below, whose own code decides what it calls,
// and may never do so. A test contract calls what its author likes.
func (s *Space) SentByInstance(seq Sequence) bool {
	return slices.ContainsFunc(seq, func(c Call) bool { return s.instances[c.Sender] })
}

// aliasOffset is what rollups add to the address of a contract of the chain below, modulo 2^160, where it sends to them: Arbitrum's
// AddressAliasHelper, and Optimism's and zkSync's of the same number. Accounts without code keep theirs.
var aliasOffset = common.HexToAddress("0x1111000000000000000000000000000000001111")

// IsAlias reports whether an address is that of a contract on the chain below, which has the address of an account of the World's, or none yet.
func IsAlias(world *evm.World, address common.Address) bool {
	var word, offset uint256.Int
	word.Sub(word.SetBytes(address[:]), offset.SetBytes(aliasOffset[:]))
	below := common.Address(word.Bytes20())
	return below == common.Address{} || world.Accounts[below] != nil
}

// freshInstance places the instance that a constructor call makes. The
// address only has to be unused: it is a hash of the contract's name.
func freshInstance(c *bytecode.Contract, name string) evm.Instance {
	hash := crypto.Keccak256([]byte("sightline fresh instance "), []byte(c.QualifiedName()))
	return evm.Instance{Name: name, Address: common.BytesToAddress(hash), Contract: c}
}

// FreshNames are the names of the instances that constructor calls make: of contracts of several files that are called the same, all but the
// first have a number.
func FreshNames(deployed []Deployment) (names []string) {
	met := map[string]int{}
	for i := range deployed {
		c := deployed[i].Contract
		name := c.Name + "#new"
		if met[c.Name]++; met[c.Name] > 1 {
			name += strconv.Itoa(met[c.Name])
		}
		names = append(names, name)
	}
	return names
}

func (s *Space) addInstance(in evm.Instance, known map[*bytecode.Contract][]*Function, constructor *Function) {
	all, met := known[in.Contract]
	if !met && in.Contract != nil {
		var skipped []Skipped
		all, skipped = Functions(in.Contract)
		known[in.Contract] = all
		s.Skipped = append(s.Skipped, skipped...)
	}
	out := Instance{Instance: in, Fresh: constructor != nil, constructor: constructor}
	for _, f := range all {
		f := s.asProperty(f)
		test := f.fuzzed()
		switch {
		case f.Property:
			out.Properties = append(out.Properties, f)
		case test != nil && in.Tests != nil:
			if slices.Contains(in.Tests, f.Signature) && (s.Options.Called == nil || s.Options.Called(&in, test)) {
				out.Functions = append(out.Functions, test)
			}
		case in.Asked && f.Noted:
			out.Noted = f
		case in.Asked:
		case s.Options.Called == nil || s.Options.Called(&in, f):
			out.Functions = append(out.Functions, f)
		}
	}
	if constructor != nil {
		out.Functions = append(out.Functions, constructor)
	}
	s.scoped = s.scoped || in.Scope != nil
	for _, f := range out.Functions {
		s.Callables = append(s.Callables, Callable{len(s.Instances), f})
	}
	s.Instances = append(s.Instances, out)
}

// Callable is the function of an instance with a signature, properties included; nil where
// there is none.
func (in *Instance) Callable(signature string) *Function { return in.function(signature) }

// asProperty is the function as the property that it is by one of the World's own prefixes.
func (s *Space) asProperty(f *Function) *Function {
	if f.Kind != Method || f.Property || len(s.prefixes) == 0 {
		return f
	}
	if m, err := f.Contract.ABI.MethodById(f.Selector[:]); err != nil || !isProperty(m, s.prefixes...) {
		return f
	}
	property := *f
	property.Property = true
	return &property
}

func (s *Space) addFunds(world *evm.World) {
	for _, sender := range s.Senders {
		var balance uint256.Int
		if a := world.Accounts[sender.Address]; a != nil {
			balance = a.Balance
		}
		s.balances = append(s.balances, balance)
		if balance.Gt(&s.maxValue) {
			s.maxValue = balance
		}
	}
	if s.Options.MaxValue != nil {
		s.maxValue = *s.Options.MaxValue
	}
}

func (s *Space) addAddresses(world *evm.World) {
	var others []common.Address
	for a := range world.Accounts {
		if i := s.Outsider(); (i < 0 || s.Senders[i].Address != a) && !evm.ForCheatcodes(a) {
			others = append(others, a)
		}
	}
	slices.SortFunc(others, func(a, b common.Address) int { return bytes.Compare(a[:], b[:]) })
	seen := map[common.Address]bool{}
	add := func(a common.Address) {
		if !seen[a] {
			seen[a] = true
			s.Addresses = append(s.Addresses, a)
		}
	}
	for _, sender := range s.Senders {
		if !sender.Outsider {
			add(sender.Address)
		}
	}
	for i := range s.Instances {
		add(s.Instances[i].Address)
	}
	for _, a := range others {
		if a != (common.Address{}) {
			add(a)
		}
	}
	add(common.Address{})
}

// Outsider is the index of the sender that nothing in the World knows; −1: there is none.
func (s *Space) Outsider() int {
	return slices.IndexFunc(s.Senders, func(sender evm.Sender) bool { return sender.Outsider })
}

// TestsSender is the index of the sender that runs fuzz tests.
func (s *Space) TestsSender() int { return s.tester }

// Contract is the index of the sender that is a contract of an attacker's; −1: there is none.
func (s *Space) Contract() int { return s.contract }

// IsOutsider reports whether nothing in the World knows of a sender: the outsider, or his contract.
func (s *Space) IsOutsider(sender int) bool {
	return s.Senders[sender].Outsider || sender == s.contract
}

// WithoutContract is a Space of sequences in which no contract of an attacker's takes part, unless
// they were given.
func (s *Space) WithoutContract() *Space {
	out := *s
	out.contract = -1
	out.Addresses = slices.DeleteFunc(slices.Clone(s.Addresses), func(a common.Address) bool { return s.contract >= 0 && a == s.Senders[s.contract].Address })
	return &out
}

// IsOrdinary reports whether an account sends calls that are not tests.
func (s *Space) IsOrdinary(account common.Address) bool {
	return slices.ContainsFunc(s.ordinary, func(i int) bool { return s.Senders[i].Address == account })
}

// AccountsOf lists the ordinary senders that a call is of or names.
func (s *Space) AccountsOf(c *Call) []common.Address {
	accounts := []common.Address{s.Senders[c.Sender].Address}
	abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) { accounts = append(accounts, a) })
	return slices.DeleteFunc(accounts, func(a common.Address) bool { return !s.IsOrdinary(a) })
}

// AsContract is a sequence with the attacker's contract in place of an account, wherever it sends or is
// named.
func (s *Space) AsContract(seq Sequence, account common.Address) Sequence {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		if c.Function.Test {
			continue
		}
		if s.Senders[c.Sender].Address == account {
			c.Sender = s.contract
		}
		c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, account, s.Senders[s.contract].Address)
	}
	return out
}

// AsAttack is a sequence as an attack: the attacker's contract makes the calls that pay nothing, and is named in the place of
// ordinary senders; an ordinary sender pays. False where there is nothing to change.
func (s *Space) AsAttack(seq Sequence) (Sequence, bool) {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		if c.Function.Test || c.Function.Kind == Constructor {
			return nil, false
		}
		c.Script = nil
		if !c.Value.IsZero() {
			if c.Sender == s.contract {
				c.Sender = s.ordinary[0]
			}
			continue
		}
		c.Sender = s.contract
		c.Args = abi.MapAddresses(c.Args, c.Function.Inputs, func(a common.Address) common.Address {
			if s.IsOrdinary(a) {
				return s.Senders[s.contract].Address
			}
			return a
		})
	}
	return out, !out.Equal(seq)
}

// Apart are sequences in which the attacker's contract makes its calls not in the middle of those that call it back, but after
// them, and before them; none where it makes no calls.
func (s *Space) Apart(seq Sequence) []Sequence {
	var after, before Sequence
	for i := range seq {
		c := seq[i]
		var inner Sequence
		c.Script.EachCall(func(made *Call) { inner = append(inner, *made) })
		c.Script = nil
		after = append(append(after, c), inner...)
		before = append(append(before, inner...), c)
	}
	if len(after) == len(seq) || len(after) > MaxCalls {
		return nil
	}
	return []Sequence{after, before}
}

// EndedByContract is a sequence whose last call the attacker's contract makes.
func (s *Space) EndedByContract(seq Sequence) Sequence {
	out := seq.Clone()
	out[len(out)-1].Sender = s.contract
	return out
}

// PaidByOthers is a sequence with the payments in it made by another ordinary sender, and for it, first; false where there are none, or
// several pay already.
func (s *Space) PaidByOthers(seq Sequence) (Sequence, bool) {
	var paid Sequence
	for i := range seq {
		c := seq[i]
		if c.Value.IsZero() || c.Function.Kind == Constructor || c.Function.Test {
			continue
		}
		payer := s.Senders[c.Sender].Address
		for _, other := range s.ordinary {
			if other != c.Sender {
				c.Sender = other
				break
			}
		}
		c.Script = nil
		own := s.Senders[c.Sender].Address
		c.Args = abi.MapAddresses(c.Args, c.Function.Inputs, func(a common.Address) common.Address {
			if a == payer || s.contract >= 0 && a == s.Senders[s.contract].Address {
				return own
			}
			return a
		})
		paid = append(paid, c)
	}
	if len(paid) == 0 || len(paid)+len(seq) > MaxCalls || slices.ContainsFunc(paid, func(c Call) bool {
		return slices.ContainsFunc(seq, func(there Call) bool { return there.Equal(&c) })
	}) {
		return nil, false
	}
	return slices.Concat(paid, seq), true
}

// AsAccount is a sequence with an ordinary sender in place of the attacker's contract, wherever that
// sends or is named; what the contract does is left out.
func (s *Space) AsAccount(seq Sequence, sender int) Sequence {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		if c.Sender == s.contract {
			c.Sender = sender
		}
		c.Script = nil
		c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, s.Senders[s.contract].Address, s.Senders[sender].Address)
	}
	return out
}

// ByAccount is a sequence with the first ordinary sender in it, else of all, in the place of the attacker's contract; false where
// there is none in it, or it follows a script.
func (s *Space) ByAccount(seq Sequence) (Sequence, bool) {
	sender := -1
	sends := false
	for i := range seq {
		switch c := &seq[i]; {
		case c.Script != nil:
			return nil, false
		case c.Sender == s.contract:
			sends = true
		case sender < 0 && slices.Contains(s.ordinary, c.Sender):
			sender = c.Sender
		}
	}
	if !sends || len(s.ordinary) == 0 {
		return nil, false
	}
	if sender < 0 {
		sender = s.ordinary[0]
	}
	return s.AsAccount(seq, sender), true
}

// HasContract reports whether the attacker's contract sends a call.
func (s *Space) HasContract(seq Sequence) bool {
	return s.contract >= 0 && slices.ContainsFunc(seq, func(c Call) bool { return c.Sender == s.contract })
}

// By is a sequence with all calls sent by one sender, but for those of tests, and of the outsider's
// contract where it is he, and the contract has a script.
func (s *Space) By(seq Sequence, sender int) Sequence {
	out := seq.Clone()
	scripted := s.Senders[sender].Outsider && slices.ContainsFunc(seq, func(c Call) bool { return c.Script != nil })
	for i := range out {
		if !out[i].Function.Test && (out[i].Sender != s.contract || !scripted) {
			out[i].Sender = sender
		}
	}
	return out
}

// WithOutsider is a Space of the same sequences in which the World's outsider, who otherwise sends
// nothing, is chosen as often as all other senders together: an attack is his alone.
func (s *Space) WithOutsider() *Space {
	out := *s
	if i := s.Outsider(); i >= 0 && !slices.Contains(s.ordinary, i) {
		out.ordinary = append(slices.Clip(s.ordinary), slices.Repeat([]int{i}, len(s.ordinary))...)
		out.Addresses = slices.Insert(slices.Clone(s.Addresses), 0, s.Senders[i].Address)
	}
	return &out
}

func (s *Space) addChoices() {
	spare := func(c Callable) bool { return s.Instances[c.Instance].Spare }
	weighs := slices.ContainsFunc(s.Callables, spare)
	for _, c := range s.Callables {
		weight := viewWeight
		switch {
		case s.Instances[c.Instance].Fresh || c.Function.Test:
			continue // chosen together with their constructor call; nothing goes with a test
		case c.Function.View && spare(c):
			continue // what it shows, the other instance does
		case c.Function.View || spare(c):
			weight = 1
		}
		for range weight {
			s.choices = append(s.choices, c)
		}
		if c.Function.View {
			continue
		}
		s.changing = append(s.changing, c)
		if !weighs {
			weight = 1
		}
		s.preparing = append(s.preparing, slices.Repeat([]Callable{c}, weight)...)
	}
}

// instanceAt is the number of the instance at an address; −1: there is none.
func (s *Space) instanceAt(a common.Address) int {
	return slices.IndexFunc(s.Instances, func(in Instance) bool { return in.Address == a })
}

// Properties lists the property functions of all instances, in their order.
func (s *Space) Properties() []Callable {
	var out []Callable
	for i := range s.Instances {
		for _, f := range s.Instances[i].Properties {
			out = append(out, Callable{i, f})
		}
	}
	return out
}

// MaxValue is the most wei that a call may carry.
func (s *Space) MaxValue() uint256.Int { return s.maxValue }

// Encode appends the encoded calls of seq to dst[:0] and returns it. The calldata
// buffers of dst's former calls are used again.
func (s *Space) Encode(seq Sequence, dst evm.Sequence) evm.Sequence {
	dst = dst[:0]
	scripted := false
	for i := range seq {
		var data []byte
		var instructions []evm.Overwrite
		if len(dst) < cap(dst) {
			last := &dst[:len(dst)+1][len(dst)]
			data, instructions = last.Data[:0], last.Instructions[:0]
		}
		c := &seq[i]
		if c.Script != nil || scripted { // a script holds until there is another
			instructions = s.instruct(instructions, c.Script)
			scripted = c.Script != nil
		}
		instance := &s.Instances[c.Instance]
		out := evm.Call{
			From:         s.Senders[c.Sender].Address,
			To:           instance.Address,
			Data:         c.Function.appendData(data, c.Args),
			Value:        c.Value,
			TimeAdvance:  c.TimeAdvance,
			BlockAdvance: c.BlockAdvance,
			Origin:       s.Senders[c.Sender].Through,
			Instructions: instructions,
		}
		if c.Function.Kind == Constructor {
			out.Create, out.To, out.Address = true, common.Address{}, instance.Address
		}
		dst = append(dst, out)
	}
	return dst
}

// Validate reports everything that is wrong with a sequence as one of this
// Space, nil when nothing is. Every mutation keeps it nil.
func (s *Space) Validate(seq Sequence) error {
	var errs []error
	if len(seq) > MaxCalls {
		errs = append(errs, fmt.Errorf("%d calls, at most %d are allowed", len(seq), MaxCalls))
	}
	for i := range seq {
		if err := s.validateCall(&seq[i]); err != nil {
			errs = append(errs, fmt.Errorf("call %d: %w", i+1, err))
		}
	}
	return errors.Join(append(errs, s.checkTest(seq))...)
}

// checkTest tells what keeps a sequence with a call of a test from being run as forge does.
func (s *Space) checkTest(seq Sequence) error {
	for i := range seq {
		c := &seq[i]
		switch {
		case c.Function == nil || !c.Function.Test:
		case len(seq) > 1:
			return errors.New("a test is run alone: no other call goes with it")
		case c.Sender != s.tester || !c.Value.IsZero() || c.TimeAdvance != 0 || c.BlockAdvance != 0 || c.Script != nil:
			return fmt.Errorf("a test is called by %s, at once and without value", s.Senders[s.tester].Name)
		}
	}
	return nil
}

func (s *Space) validateCall(c *Call) error {
	switch {
	case c.Sender < 0 || c.Sender >= len(s.Senders):
		return fmt.Errorf("sender %d of %d", c.Sender, len(s.Senders))
	case c.Instance < 0 || c.Instance >= len(s.Instances):
		return fmt.Errorf("instance %d of %d", c.Instance, len(s.Instances))
	case c.Function == nil:
		return errors.New("no function")
	}
	in := &s.Instances[c.Instance]
	if !slices.Contains(in.Functions, c.Function) && !slices.Contains(in.Properties, c.Function) && (in.Noted == nil || c.Function != in.Noted) {
		return fmt.Errorf("%s is not a function of %s", c.Function.Signature, in.Name)
	}
	switch {
	case c.Value.Gt(&s.maxValue):
		return fmt.Errorf("value %s, at most %s is allowed", c.Value.Dec(), s.maxValue.Dec())
	case c.TimeAdvance > MaxTimeAdvance:
		return fmt.Errorf("time advance %d, at most %d is allowed", c.TimeAdvance, uint64(MaxTimeAdvance))
	case c.BlockAdvance > MaxBlockAdvance:
		return fmt.Errorf("block advance %d, at most %d is allowed", c.BlockAdvance, uint64(MaxBlockAdvance))
	}
	if err := s.validateScript(c.Script); err != nil {
		return err
	}
	return validAll(c.Args, c.Function.Inputs)
}

// senderOf is who calls a function where nothing else decides: the first sender, or the
// tests' own.
func (s *Space) senderOf(f *Function) int {
	if f.Test {
		return s.tester
	}
	return s.ordinary[0]
}

// IsContract reports whether an address is one of the contracts that sequences call, or the attacker's.
func (s *Space) IsContract(a common.Address) bool {
	return a == attacker.Address || slices.ContainsFunc(s.Instances, func(in Instance) bool { return in.Address == a })
}

// SomeContracts are the attacker's contract, where it is a sender, and one of those that sequences call.
func (s *Space) SomeContracts(r Rand) []common.Address {
	some := []common.Address{s.Instances[r.IntN(len(s.Instances))].Address}
	if s.contract >= 0 {
		some = append(some, attacker.Address)
	}
	return some
}
