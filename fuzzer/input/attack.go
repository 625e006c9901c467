package input

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/internal/abi"
)

// Stake is the amount that attacks are made with: one token or ether, where nothing says otherwise.
var Stake = *uint256.NewInt(1e18)

// Own are calls of a function that the attacker's contract has a use for: every account is the contract itself, and
// numbers and ether are the stake, one, or nothing. Where it takes bytes or lists, calls follow in which these are not empty: the
// bytes are a call, and lists have one element. None where it cannot call it, or that changes nothing.
func (s *Space) Own(c Callable) (calls []Call) {
	if !s.mayAttack(c) {
		return nil
	}
	add := func(call Call) {
		if n := len(calls); n == 0 || !call.Equal(&calls[n-1]) {
			calls = append(calls, call)
		}
	}
	amounts := []*uint256.Int{&Stake, uint256.NewInt(1), {}}
	for _, amount := range amounts {
		add(s.own(c, amount, s.contract))
	}
	for _, amount := range amounts {
		if call, ok := s.ownWithLists(c, amount); ok {
			add(call)
		}
	}
	return calls
}

// Bounds of Elsewhere. Arbitrary: a protocol has a few tokens, and functions with more accounts than three are rare.
const (
	maxNamedTokens = 4
	maxElsewhere   = 48 // of one function
)

// Elsewhere are calls as [Space.Own] lists them in which some account is not the attacker's contract: one is an ordinary sender, of
// whom the first may be the only one with tokens, and the last has no role; or a token of the World's; or both. Much that takes an account is told
// which token to pay, or from whom to take.
func (s *Space) Elsewhere(c Callable) (calls []Call) {
	if !s.mayAttack(c) {
		return nil
	}
	owners := []common.Address{s.Senders[s.ordinary[0]].Address}
	if last := s.ordinary[len(s.ordinary)-1]; last != s.ordinary[0] {
		owners = append(owners, s.Senders[last].Address)
	}
	add := func(of Call, param int, account common.Address) (call Call) {
		call = of
		call.Args = slices.Clone(of.Args)
		call.Args[param].Word = addressWord(account)
		if len(calls) < maxElsewhere {
			calls = append(calls, call)
		}
		return call
	}
	own := s.own(c, &Stake, s.contract)
	accounts := addressesAmong(c.Function.Inputs)
	for _, number := range numbersFor(c.Function) {
		numbered := s.own(c, number, s.contract)
		for _, owner := range owners {
			for _, i := range accounts {
				add(numbered, i, owner)
			}
		}
	}
	for _, token := range s.tokens {
		for _, i := range accounts {
			told := add(own, i, token)
			for _, owner := range owners {
				for _, j := range accounts {
					if j != i {
						add(told, j, owner)
					}
				}
			}
		}
	}
	return calls
}

// numbersFor are the stake, and what the first of something is numbered with, if a function takes such a number.
func numbersFor(f *Function) []*uint256.Int {
	if slices.ContainsFunc(f.InputNames, isNumber) {
		return []*uint256.Int{&Stake, uint256.NewInt(1), new(uint256.Int)}
	}
	return []*uint256.Int{&Stake}
}

// isNumber reports whether the name of a parameter says that it is the number of something: id, tokenId, index.
func isNumber(name string) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	return strings.HasSuffix(name, "id") || strings.HasSuffix(name, "index")
}

// Batched are attacks by a function that is paid and takes a list of calldata, as a batch of calls to itself does: one of the paid functions of its contract is in it
// twice, with the stake. What is sent once may count twice: behind it, another function is called twice, and before it an ordinary sender pays the stake.
func (s *Space) Batched(c Callable) (all []Sequence) {
	list := slices.IndexFunc(c.Function.Inputs, func(t Type) bool { return t.Kind == Slice && t.Elem.Kind == Bytes })
	if list < 0 || !c.Function.Payable || !s.mayAttack(c) || Stake.Gt(&s.maxValue) {
		return nil
	}
	functions := s.functionsOf(s.Instances[c.Instance].Address, c.Function)
	for _, paid := range functions {
		if !paid.Function.Payable || paid.Function.Kind != Method {
			continue
		}
		inner := s.own(paid, &Stake, s.contract)
		data := paid.Function.appendData(nil, inner.Args)
		batch := s.own(c, &Stake, s.contract)
		batch.Args[list].Elems = []Value{{Bytes: data}, {Bytes: slices.Clone(data)}}
		before := s.own(paid, &Stake, s.ordinary[0])
		before.Sender = s.ordinary[0]
		for _, out := range functions {
			if !out.Function.Payable && len(all) < maxElsewhere {
				claim := s.own(out, &Stake, s.contract)
				all = append(all, Sequence{before, batch, claim, claim})
			}
		}
	}
	return all
}

// addressesAmong lists the parameters that are addresses.
func addressesAmong(inputs []Type) (list []int) {
	for i := range inputs {
		if inputs[i].Kind == Address {
			list = append(list, i)
		}
	}
	return list
}

// IsToken reports whether an address is one of the World's first tokens.
func (s *Space) IsToken(address common.Address) bool { return slices.Contains(s.tokens, address) }

// addTokens collects them.
func (s *Space) addTokens() {
	for _, c := range s.changing {
		in := &s.Instances[c.Instance]
		if c.Function.Signature == "transferFrom(address,address,uint256)" && !in.Fresh && len(s.tokens) < maxNamedTokens {
			s.tokens = append(s.tokens, in.Address)
		}
	}
}

// ownWithLists is a call of the attacker's contract in which no bytes and no list are empty; false: the function takes none.
func (s *Space) ownWithLists(c Callable, amount *uint256.Int) (Call, bool) {
	call := s.own(c, amount, s.contract)
	takes := false
	for i := range call.Args {
		takes = s.fillLists(&call.Args[i], &c.Function.Inputs[i], amount, s.contract) || takes
	}
	return call, takes
}

// aCall is what bytes are that a contract may pass on to whoever it is told: a transfer of a token, with some sender and number.
var aCall = attacker.Selector("transfer(address,uint256)")

// fillLists makes lists have an element, and bytes be a call. It reports whether there are any.
func (s *Space) fillLists(v *Value, t *Type, amount *uint256.Int, named int) (takes bool) {
	switch t.Kind {
	case Bytes:
		word := amount.Bytes32()
		v.Bytes = slices.Concat(aCall[:], common.LeftPadBytes(s.Senders[named].Address[:], len(word)), word[:])
		takes = true
	case Slice:
		v.Elems = []Value{abi.Zero(t.Elem)}
		s.fill(&v.Elems[0], t.Elem, amount, named)
		takes = true
	}
	for i := range v.Elems {
		takes = s.fillLists(&v.Elems[i], t.Child(i), amount, named) || takes
	}
	return takes
}

// Changing lists the functions that change the state, but for those of contracts that sequences deploy. It must not be
// written to.
func (s *Space) Changing() []Callable { return s.changing }

func (s *Space) mayAttack(c Callable) bool {
	return s.contract >= 0 && !c.Function.View && !c.Function.Test && c.Function.Kind != Constructor && !s.Instances[c.Instance].Fresh
}

// own is a call of the attacker's contract that names a sender, and a number.
func (s *Space) own(c Callable, amount *uint256.Int, named int) Call {
	call := Call{Sender: s.contract, Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}
	for i := range call.Args {
		s.fill(&call.Args[i], &c.Function.Inputs[i], amount, named)
	}
	if c.Function.Payable && !amount.Gt(&s.maxValue) {
		call.Value = *amount
	}
	return call
}

// fill puts an account and a number into what is of such a type.
func (s *Space) fill(v *Value, t *Type, amount *uint256.Int, named int) {
	for i := range v.Elems {
		s.fill(&v.Elems[i], t.Child(i), amount, named)
	}
	switch t.Kind {
	case Address:
		v.Word = addressWord(s.Senders[named].Address)
	case Bool:
		v.Word.SetOne()
	case Uint, Int:
		if t.Fits(amount) {
			v.Word = *amount
		} else {
			v.Word.SetOne()
		}
	}
}

// owned are calls for the contract to make in the middle of another: of all functions that may change the state, with the
// stake, or what the call around them has, for itself and for the outsider.
func (m *Mutator) owned(around *Call) (calls []Call) {
	amount := Stake
	for i := range around.Args {
		if t := &around.Function.Inputs[i]; t.Kind == Uint && !around.Args[i].Word.IsZero() {
			amount = around.Args[i].Word
		}
	}
	for _, c := range m.space.changing {
		if !m.space.mayAttack(c) {
			continue
		}
		own := m.space.own(c, &amount, m.space.contract)
		calls = append(calls, own)
		if outsider := m.space.Outsider(); outsider >= 0 {
			if other := m.space.own(c, &amount, outsider); !other.Equal(&own) {
				calls = append(calls, other)
			}
		}
	}
	return calls
}

// Staked is a sequence whose numbers are the stake.
func (s *Space) Staked(seq Sequence) Sequence {
	out := seq.Clone()
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
		for j := range out[i].Args {
			if t := &out[i].Function.Inputs[j]; t.Kind == Uint && t.Fits(&Stake) {
				out[i].Args[j].Word = Stake
			}
		}
	}
	return out
}

// Halved is a sequence whose last call asks for half of the stake where it asks for the stake, and pays as much as before; false: it does not ask for that.
func Halved(seq Sequence) (Sequence, bool) {
	out, last, some := seq.Clone(), len(seq)-1, false
	out[last].Args = slices.Clone(out[last].Args)
	for j := range out[last].Args {
		if word := &out[last].Args[j].Word; out[last].Function.Inputs[j].Kind == Uint && *word == Stake {
			word.Rsh(word, 1)
			some = true
		}
	}
	return out, some
}

// IsHalved reports whether a call asks for half of the stake.
func IsHalved(c *Call) bool {
	var half uint256.Int
	half.Rsh(&Stake, 1)
	for j := range c.Args {
		if c.Function.Inputs[j].Kind == Uint && c.Args[j].Word == half {
			return true
		}
	}
	return false
}

// IsAttack reports whether all calls of a sequence are the attacker's contract's.
func (s *Space) IsAttack(seq Sequence) bool {
	return s.contract >= 0 && len(seq) > 0 && !slices.ContainsFunc(seq, func(c Call) bool { return c.Sender != s.contract })
}

// HelpsContract reports whether a call of another sender names the attacker's contract.
func (s *Space) HelpsContract(seq Sequence) bool {
	helps := false
	for i := range seq {
		if c := &seq[i]; s.contract >= 0 && c.Sender != s.contract {
			abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) { helps = helps || a == s.Senders[s.contract].Address })
		}
	}
	return helps
}

// FollowedBy lists sequences that go on from one by calls that the attacker's contract has a use for: of some functions, with the stake.
func (s *Space) FollowedBy(seq Sequence, functions []Callable) (all []Sequence) {
	for _, c := range functions {
		if s.mayAttack(c) {
			all = append(all, append(seq.Clone(), s.own(c, &Stake, s.contract)))
			if call, ok := s.ownWithLists(c, &Stake); ok {
				all = append(all, append(seq.Clone(), call))
			}
		}
	}
	return all
}

// Resumed lists sequences that go on from one by calls that are given what earlier ones gave parameters of the same name: at once, and
// a day later, since what was begun is often over only then. How long that takes may be a number of the call that began it.
func (s *Space) Resumed(seq Sequence) (all []Sequence) {
	begun := append([]Sequence{seq}, s.Less(seq)...)
	for _, c := range s.changing {
		call, ok := s.resumed(c, seq)
		if !ok || !s.mayAttack(c) {
			continue
		}
		all = append(all, append(seq.Clone(), call))
		call.TimeAdvance = day // longer than most constants
		for _, before := range begun {
			all = append(all, append(before.Clone(), call))
		}
	}
	return all
}

// Less lists sequences in which one number of the last call is one instead of the stake, which is an age where it is a time; or all are,
// so that it is paid for with what others are likely to have paid, too.
func (s *Space) Less(seq Sequence) (all []Sequence) {
	last := len(seq) - 1
	c := Callable{seq[last].Instance, seq[last].Function}
	if with := s.own(c, &Stake, s.contract); with.Equal(&seq[last]) {
		out := seq.Clone()
		out[last] = s.own(c, uint256.NewInt(1), s.contract)
		all = append(all, out)
	}
	for i := range seq[last].Args {
		if v := &seq[last].Args[i]; seq[last].Function.Inputs[i].Kind == Uint && v.Word == Stake && len(all) < maxLess {
			out := seq.Clone()
			out[last].Args = slices.Clone(out[last].Args)
			out[last].Args[i].Word = *uint256.NewInt(1)
			all = append(all, out)
		}
	}
	return all
}

// maxLess bounds what Less lists. Arbitrary.
const maxLess = 3

// resumed is a call of the attacker's contract that goes on with what earlier calls began, and whose other numbers are zero, which is
// the first of what is numbered; false where it has nothing in common with them.
func (s *Space) resumed(c Callable, seq Sequence) (call Call, ok bool) {
	call = s.own(c, new(uint256.Int), s.contract)
	return call, resume(&call, seq)
}

// resume gives a call what the latest call before it with a parameter of the same name and type gave that, such as the id of what
// was opened, or all that was scheduled; false where there is no such parameter. Accounts stay.
func resume(call *Call, before Sequence) (ok bool) {
	for i := range call.Args {
		name, t := strings.Trim(call.Function.InputNames[i], "_"), &call.Function.Inputs[i]
		if name == "" || t.Kind == Address {
			continue
		}
		for k := len(before) - 1; k >= 0; k-- {
			earlier := &before[k]
			j := slices.IndexFunc(earlier.Function.InputNames, func(n string) bool { return strings.Trim(n, "_") == name })
			if j >= 0 && earlier.Function.Inputs[j].String() == t.String() {
				call.Args[i], ok = earlier.Args[j], true
				break
			}
		}
	}
	return ok
}

// Inside lists sequences whose last call is the attacker's contract's and has it in the place of a word of calldata among the
// arguments: of one that is zero, or an account's. A factory that is told how to set up what it makes, or an executor, hands it on.
func (s *Space) Inside(seq Sequence) (all []Sequence) {
	last := len(seq) - 1
	if s.contract < 0 || seq[last].Function.Test || seq[last].Function.Kind == Constructor {
		return nil
	}
	account := addressWord(s.Senders[s.contract].Address)
	for _, w := range appendArgumentWords(nil, seq, last) {
		if w.Kind != ChunkWord || w.path[w.depth-1] == 0 { // the selector
			continue
		}
		v, _ := resolve(seq, &w)
		x, ok := s.Get(seq, w)
		if v == nil || !ok || !isCalldata(len(v.Bytes)) || !x.IsZero() && !slices.Contains(s.Addresses, common.Address(x.Bytes20())) {
			continue
		}
		if out, ok := s.With(seq, w, &account); ok {
			out[last].Sender = s.contract
			all = append(all, out)
		}
	}
	return all
}

// AsOwn is a sequence whose calls the attacker's contract makes, in the place of ordinary senders; false where others make some.
func (s *Space) AsOwn(seq Sequence) (Sequence, bool) {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		if c.Function.Test || c.Function.Kind == Constructor || s.contract < 0 || c.Sender != s.contract && !slices.Contains(s.ordinary, c.Sender) {
			return nil, false
		}
		if c.Sender != s.contract {
			c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, s.Senders[c.Sender].Address, s.Senders[s.contract].Address)
			c.Sender = s.contract
		}
	}
	return out, true
}

// PreparedByOthers is a sequence with what leads to its last call made by an ordinary sender first, and in the open what
// the attacker's contract does when it is called back: what others own is there then; false where nothing leads there, or it
// is too long.
func (s *Space) PreparedByOthers(seq Sequence) (Sequence, bool) {
	last := len(seq) - 1
	if s.contract < 0 || last <= 0 {
		return nil, false
	}
	var before Sequence
	for _, call := range seq[:last] {
		before = append(before, call)
		if call.Script == nil {
			continue
		}
		for i := range call.Script.Answers {
			before = append(before, call.Script.Answers[i].Calls...)
		}
	}
	if len(before)+len(seq) > MaxCalls {
		return nil, false
	}
	return slices.Concat(s.AsAccount(before, s.ordinary[0]), seq), true
}
