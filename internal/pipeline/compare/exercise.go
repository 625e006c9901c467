package compare

import (
	"bytes"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/pipeline/compare/laws"
)

// Laws speak of calls that chance makes seldom: an account's own transfer to itself, an approval and what is
// then moved by it, a round trip. They are made from what standards call their functions, from states that
// inputs are known to lead to, by accounts that hold something there.

const (
	// rounds of each exercise: a few more than [leastKept], since not all succeed. As many again, up to mostRounds, where a
	// law was kept less often.
	rounds     = leastKept + leastKept/4
	mostRounds = 4 * rounds
	// maxStates bounds the states in which a token's laws are exercised, maxStatesAfter those after one function, and
	// maxStateCalls the calls that lead to one. Arbitrary.
	maxStates      = 32
	maxStatesAfter = 6
	maxStateCalls  = 4
	// maxExercised bounds the tokens. Arbitrary: each takes about 50 ms.
	maxExercised = 4
	// maxExerciseSeeds bounds the exercises that a campaign goes on from. Arbitrary: as many as fit in a small one.
	maxExerciseSeeds = 32
)

// noteState keeps a sequence of the head if its last call changes a token's storage: its books, or a fee.
func (c *conservation) noteState(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if len(seq) > maxStateCalls || len(exec.Calls) != len(seq) || exec.Calls[last].Outcome != evm.Success {
		return
	}
	for _, p := range c.tokens {
		if len(p.states) < maxStates && p.after[seq[last].Function] < maxStatesAfter && len(writesOf(exec, last, p.head.Address)) > 0 {
			p.after[seq[last].Function]++
			p.states = append(p.states, seq.Clone())
		}
	}
}

// exercise runs calls of each token that its laws speak of on both sides, and hands them to see. It returns the first
// of each kind, and some of those that differ.
func (c *conservation) exercise(on *pair, see func(*ran)) []input.Sequence {
	var seeds []input.Sequence
	exercised, left := 0, effort{math.MaxInt, triedWork}
	for _, p := range c.tokens {
		if exercised == maxExercised || p.isSame() {
			continue
		}
		exercised++
		e := &exerciser{conservation: c, pair: p, instance: c.instanceAt(p.head.Address)}
		for e.round = 0; e.round < rounds || e.round < mostRounds && p.lacks(); e.round++ {
			for _, seq := range e.sequences() {
				r := on.try(seq, &left)
				if r == nil {
					continue
				}
				differs := r.first != nil
				see(r)
				if (e.round == 0 || differs) && len(seeds) < maxExerciseSeeds {
					seeds = append(seeds, seq)
				}
			}
		}
	}
	return seeds
}

// lacks reports whether a law has been kept, and too seldom.
func (p *tokenPair) lacks() bool {
	return slices.ContainsFunc(p.tallies, func(t tally) bool { return t.broken == 0 && t.kept > 0 && t.kept < leastKept })
}

// isSame reports whether both sides of a token run the same code, which keeps the same laws.
func (p *tokenPair) isSame() bool {
	head, base := p.head.Contract.Runtime, p.base.Contract.Runtime
	return head != nil && base != nil && bytes.Equal(head.Bytes, base.Bytes)
}

func (s *Sides) instanceAt(address common.Address) int {
	return slices.IndexFunc(s.Head.Space.Instances, func(in input.Instance) bool { return in.Address == address })
}

// exerciser makes calls of one token.
type exerciser struct {
	*conservation
	pair     *tokenPair
	instance int
	round    int

	state  input.Sequence
	exec   *evm.Execution
	holder int // a sender
	other  int // another one
	list   []input.Sequence
}

// sequences are the exercises of a round: another state, holder and amount than in the one before.
func (e *exerciser) sequences() []input.Sequence {
	e.list, e.state = nil, nil
	if n := e.round % (1 + len(e.pair.states)); n > 0 {
		e.state = e.pair.states[n-1]
	}
	varied := withNumbers(e.Head.Space, e.state, uint64(1+e.round))
	if !e.leadsTo(varied) && !e.leadsTo(e.state) {
		return nil
	}
	e.head.Read(e.exec, len(e.state), func(*laws.Call) {})
	e.fungible()
	e.ids()
	e.vault()
	return e.list
}

// leadsTo runs calls that lead to a state; false where the last one fails.
func (e *exerciser) leadsTo(state input.Sequence) bool {
	exec, err := e.asking.head.Run(e.Head.Space.Encode(state, nil))
	if err != nil || len(exec.Calls) != len(state) || len(state) > 0 && exec.Calls[len(state)-1].Outcome != evm.Success {
		return false
	}
	e.state, e.exec = state, exec
	return true
}

// withNumbers is a sequence with a number in the place of zeros in its last call: of the inputs with one path, a suite
// has the first, which gives everyone nothing.
func withNumbers(space *input.Space, seq input.Sequence, number uint64) input.Sequence {
	if len(seq) == 0 {
		return seq
	}
	for _, at := range input.AppendCallWords(nil, seq, len(seq)-1) {
		if x, ok := space.Get(seq, at); !isAmount(seq, at) || !ok || !x.IsZero() {
			continue
		}
		if other, ok := space.With(seq, at, uint256.NewInt(number)); ok {
			seq = other
		}
	}
	return seq
}

// isAmount reports whether a word may be an amount: ether, or an argument that is a number without a sign.
func isAmount(seq input.Sequence, at input.Word) bool {
	if at.Kind == input.ValueWord {
		return true
	}
	t := input.WordType(seq, at) // nil for what is not a leaf
	return t != nil && t.Kind == input.Uint
}

// call is a call of an instance, without a function where it has none of that name.
func (e *exerciser) call(instance, sender int, signature string, args ...input.Value) input.Call {
	if instance < 0 {
		return input.Call{}
	}
	f := e.Head.Space.Instances[instance].Callable(signature)
	if f == nil || f.Test || len(f.Inputs) != len(args) {
		return input.Call{}
	}
	return input.Call{Sender: sender, Instance: instance, Function: f, Args: args}
}

// add adds an exercise: calls after those that lead to the state.
func (e *exerciser) add(calls ...input.Call) {
	for i := range calls {
		if calls[i].Function == nil {
			return
		}
	}
	e.list = append(e.list, slices.Concat(e.state, calls))
}

// token is a call of the token.
func (e *exerciser) token(sender int, signature string, args ...input.Value) input.Call {
	return e.call(e.instance, sender, signature, args...)
}

func value(w uint256.Int) input.Value { return input.Value{Word: w} }

func (e *exerciser) account(sender int) input.Value {
	return value(*new(uint256.Int).SetBytes(e.Head.Space.Senders[sender].Address[:]))
}

// choose finds a sender with a balance of a token, another one, and the balance.
func (e *exerciser) choose(t *laws.Token) (balance uint256.Int, ok bool) {
	n := len(e.Head.Space.Senders)
	for i := range n {
		e.holder = (e.round + i) % n
		balance, ok = e.head.Value(t, laws.Balance, [2]uint256.Int{e.account(e.holder).Word})
		if ok && !balance.IsZero() && !e.Head.Space.Senders[e.holder].TestsOnly {
			e.other = e.another()
			return balance, true
		}
	}
	return balance, false
}

// another is a sender that is not the holder.
func (e *exerciser) another() int {
	n := len(e.Head.Space.Senders)
	for i := range n {
		if at := (e.round + i) % n; at != e.holder && !e.Head.Space.Senders[at].TestsOnly {
			return at
		}
	}
	return e.holder
}

// part is an amount of at most so much: one, all, or some of it.
func (e *exerciser) part(of *uint256.Int) uint256.Int {
	var amount uint256.Int
	switch e.round {
	case 0:
		amount.SetUint64(1)
	case 1:
		amount = *of
	default: // the nearest multiple of a part
		amount.Div(of, uint256.NewInt(rounds))
		amount.Mul(&amount, uint256.NewInt(uint64(e.round)))
		amount.AddUint64(&amount, uint64(e.round))
	}
	if amount.Gt(of) || amount.IsZero() {
		amount = *of
	}
	return amount
}

// fungible are exercises of ERC-20 tokens and of wrapped ether.
func (e *exerciser) fungible() {
	if e.pair.head.Keeps(laws.Owner) {
		return
	}
	ether := uint256.NewInt(uint64(1 + e.round))
	deposit := e.token(e.round%len(e.Head.Space.Senders), "deposit()")
	deposit.Value = *ether
	if deposit.Function != nil && deposit.Function.Payable && !e.Head.Space.Senders[deposit.Sender].TestsOnly {
		e.add(deposit)
		e.add(deposit, e.token(deposit.Sender, "withdraw(uint256)", value(*uint256.NewInt(uint64(1 + e.round/2)))))
	}
	balance, ok := e.choose(e.pair.head)
	if !ok {
		return
	}
	amount := e.part(&balance)
	self, other := e.account(e.holder), e.account(e.other)
	e.add(e.token(e.holder, "transfer(address,uint256)", self, value(amount)))
	e.add(e.token(e.holder, "transfer(address,uint256)", other, value(amount)))
	e.add(e.token(e.holder, "burn(uint256)", value(amount)))
	allowed := amount
	allowed.AddUint64(&allowed, uint64(e.round%3))
	e.add(e.token(e.holder, "approve(address,uint256)", other, value(allowed)), e.token(e.other, "transferFrom(address,address,uint256)", self, other, value(amount)))
}

// ids are exercises of ERC-721 and ERC-1155 tokens, with an id that a call of the state has handed out.
func (e *exerciser) ids() {
	var owned []laws.Change
	e.head.Read(e.exec, 0, func(call *laws.Call) {
		if call.Token != e.pair.head {
			return
		}
		for _, change := range call.Changes {
			if change.Family == laws.Owner || change.Family == laws.BalanceOfID {
				owned = append(owned, change)
			}
		}
	})
	if len(owned) == 0 {
		return
	}
	change := owned[e.round%len(owned)]
	held, _ := e.head.Value(e.pair.head, change.Family, change.Keys)
	account, id := held, value(change.Keys[0])
	if change.Family == laws.BalanceOfID {
		account, id = change.Keys[0], value(change.Keys[1])
	}
	e.holder = slices.IndexFunc(e.Head.Space.Senders, func(s evm.Sender) bool { return s.Address == common.Address(account.Bytes20()) })
	if e.holder < 0 || held.IsZero() {
		return
	}
	e.other = e.another()
	self, other := e.account(e.holder), e.account(e.other)
	if change.Family == laws.Owner {
		e.add(e.token(e.holder, "transferFrom(address,address,uint256)", self, other, id))
		e.add(e.token(e.holder, "approve(address,uint256)", other, id), e.token(e.other, "transferFrom(address,address,uint256)", self, other, id))
		e.add(e.token(e.holder, "burn(uint256)", id))
		return
	}
	amount := e.part(&held)
	e.add(e.token(e.holder, "safeTransferFrom(address,address,uint256,uint256,bytes)", self, other, id, value(amount), input.Value{}))
	var one, rest uint256.Int
	one.Rsh(&amount, 1)
	rest.Sub(&amount, &one)
	e.add(e.token(e.holder, "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", self, other,
		input.Value{Elems: []input.Value{id, id}}, input.Value{Elems: []input.Value{value(one), value(rest)}}, input.Value{}))
}

// vault are exercises of ERC-4626: exchanges at a price that is not a whole number.
func (e *exerciser) vault() {
	asset := e.assetOf(e.pair.head)
	t := e.head.Token(asset)
	if t == nil {
		return
	}
	balance, ok := e.choose(t)
	if !ok {
		return
	}
	const share, gift = 16, 37 // parts of what the holder has; arbitrary, and without a common divisor
	instance := e.instanceAt(asset)
	vault := value(*new(uint256.Int).SetBytes(e.pair.head.Address[:]))
	self := e.account(e.holder)
	approve := e.call(instance, e.holder, "approve(address,uint256)", vault, value(balance))
	part := func(n uint64) input.Value { return value(*new(uint256.Int).Div(&balance, uint256.NewInt(n))) }
	deposit := e.token(e.holder, "deposit(uint256,address)", part(share), self)
	give := e.call(instance, e.holder, "transfer(address,uint256)", vault, part(gift+uint64(e.round)))
	amount := value(*uint256.NewInt(uint64(1 + e.round*e.round)))
	for _, last := range []input.Call{
		e.token(e.holder, "deposit(uint256,address)", amount, self),
		e.token(e.holder, "mint(uint256,address)", amount, self),
		e.token(e.holder, "withdraw(uint256,address,address)", amount, self, self),
		e.token(e.holder, "redeem(uint256,address,address)", amount, self, self),
	} {
		e.add(approve, deposit, give, last)
	}
}

// assetOf is what a vault answers.
func (e *exerciser) assetOf(t *laws.Token) common.Address {
	exec, err := e.asking.head.Run(evm.Sequence{{From: e.Head.Space.Senders[0].Address, To: t.Address, Data: laws.Asset()}})
	if err != nil || len(exec.Calls) == 0 || len(exec.Calls[0].Output) != wordBytes {
		return common.Address{}
	}
	return common.BytesToAddress(exec.Calls[0].Output)
}
