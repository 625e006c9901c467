package compare

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

const (
	// lostInputs different inputs have to succeed on the base and fail on the head: one may be special. Arbitrary.
	lostInputs = 20
	// moreCalls are made on the head in addition, from these inputs, before a function counts as lost. The
	// campaign that makes them has one of moreShares parts of what a search on the base has. 10,000 as
	// documented, the share arbitrary: it is rarely needed.
	moreCalls, moreShares = 10_000, 4
	// maxGasShare is how much of a call's gas it may take on the base: one that takes more grows out of its
	// bounds by ordinary growth. Arbitrary.
	maxGasShare = 4
)

// liveness watches for functions that succeed on the base and on the head never.
type liveness struct {
	*accidents
	alive map[input.Callable]bool // of the head: a call succeeded there
	lost  map[input.Callable]*lost
	order []*lost // as they were first seen
}

// lost is a function with which calls fail on the head by accident that succeed on the base.
type lost struct {
	input.Callable
	inputs   map[uint64]bool
	sequence input.Sequence // the shortest
	first    fuzzer.Mark
	failure  accident // with it
	acts     bool     // on the base a call changes something, or answers differ
	answer   *string  // of the first
	unset    bool     // a call reads what the base does not read, and what is zero
}

func (s *Sides) newLiveness() *liveness {
	return &liveness{accidents: s.newAccidents(), alive: map[input.Callable]bool{}, lost: map[input.Callable]*lost{}}
}

// seeHead looks at what ran on the head, whether or not the base can run it.
func (l *liveness) seeHead(seq input.Sequence, exec *evm.Execution) {
	for i := range exec.Calls {
		if exec.Calls[i].Outcome == evm.Success {
			if of := callableOf(&seq[i]); !l.alive[of] {
				l.alive[of] = true
			}
		}
	}
}

func callableOf(c *input.Call) input.Callable {
	return input.Callable{Instance: c.Instance, Function: c.Function}
}

// see implements [watcher].
func (l *liveness) see(r *ran) {
	call, ok := r.fails()
	if !ok {
		return
	}
	of := callableOf(&r.sequence[call])
	known := l.lost[of]
	switch {
	case l.alive[of], known != nil && len(known.inputs) >= lostInputs && known.acts && len(known.sequence) <= call+1:
		return
	case known == nil && !l.compares(of):
		return
	}
	failure := l.accidentOf(r.head, call)
	if failure == nil {
		return
	}
	if known == nil {
		known = &lost{Callable: of, inputs: map[uint64]bool{}}
		l.lost[of] = known
		l.order = append(l.order, known)
	}
	known.note(r, call, failure)
}

// fails is the first call that fails on the head and succeeds on the base, if nothing differs before it. It
// looks at calls that run out of gas, too, which [Sides.differ] does not: of those that do too much to be recorded, only
// at first ones.
func (r *ran) fails() (call int, ok bool) {
	switch {
	case r.first != nil:
		return r.first.Call, r.first.Kind == Reverts && cheap(r.base, r.first.Call)
	case r.base.Truncated:
		return 0, false
	case r.head.Truncated:
		return 0, r.head.Calls[0].Outcome != evm.Success && r.base.Calls[0].Outcome == evm.Success && outOfGas(r.head, 0) && cheap(r.base, 0) && !r.readsMasked(r.head, 0)
	}
	for i := range min(len(r.head.Calls), len(r.base.Calls)) {
		if (r.head.Calls[i].Outcome == evm.Success) == (r.base.Calls[i].Outcome == evm.Success) {
			continue
		}
		if r.head.Calls[i].Outcome == evm.Success || !outOfGas(r.head, i) || !cheap(r.base, i) {
			return 0, false
		}
		for before := range i {
			if outOfGas(r.head, before) || outOfGas(r.base, before) || r.readsMasked(r.head, before) {
				return 0, false
			}
		}
		return i, !r.readsMasked(r.head, i)
	}
	return 0, false
}

// cheap reports whether a call takes far less gas than it has.
func cheap(exec *evm.Execution, call int) bool {
	return exec.Calls[call].GasUsed < evm.CallGas/maxGasShare && !outOfGas(exec, call)
}

// compares reports whether the calls of a function mean the same on both sides, and count.
func (l *liveness) compares(of input.Callable) bool {
	was := l.calls[of]
	c := l.Head.Space.Instances[of.Instance].Contract
	if c == nil || c.Generated || !was.same || of.Function.Kind != input.Method || of.Function.Test || of.Function.Property || of.Function.Noted || was.Function.Payable != of.Function.Payable || world.IsHarness(c) {
		return false
	}
	role, _ := world.RoleOf(c)
	return role == world.UnderTest || role == world.Dependency
}

// note adds an input.
func (k *lost) note(r *ran, call int, failure *accident) {
	if k.sequence == nil {
		k.first = r.at
	}
	if k.sequence == nil || len(k.sequence) > call+1 {
		k.sequence, k.failure = r.sequence[:call+1].Clone(), *failure
		k.failure.frame = nil // it is the machine's
	}
	if len(k.inputs) < lostInputs {
		from := 0
		if len(k.Function.Inputs) > 0 {
			from = call // else what counts is the state
		}
		h := fnv.New64a()
		h.Write([]byte(input.Format(r.Head.Space, r.sequence[from:call+1]))) // never fails
		k.inputs[h.Sum64()] = true
		k.unset = k.unset || r.readsUnset(call)
	}
	if k.acts {
		return
	}
	if answer := string(r.base.Calls[call].Output); k.answer == nil {
		k.answer = &answer
	} else if *k.answer != answer {
		k.acts = true
		return
	}
	_, base := r.writes(call)
	k.acts = slices.ContainsFunc(base, func(w write) bool { return w.before != w.after }) || len(transfersOf(onSide(r.Base, r.base, 0), call, nil)) > 0
}

// readsUnset reports whether a call of the head reads zero from a variable that the base does not read: what
// sets it may be missing in the World.
func (r *ran) readsUnset(call int) bool {
	type variable struct {
		address string
		name    string
	}
	read := map[variable]bool{}
	frames := r.base.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for _, a := range r.base.Frames[i].Storage {
			address := r.moved.of(a.Address)
			read[variable{address.Hex(), r.nameOn(r.storage[address], false, &a)}] = true
		}
	}
	frames = r.head.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for _, a := range r.head.Frames[i].Storage {
			if !a.Write && a.Value.IsZero() && !read[variable{a.Address.Hex(), r.nameOn(r.storage[a.Address], true, &a)}] {
				return true
			}
		}
	}
	return false
}

// nameOn is the first variable at the slot that an access is of, by name where it may be elsewhere on the other
// side, else by its slot.
func (s *Sides) nameOn(pair *storagePair, head bool, a *evm.StorageAccess) string {
	if pair != nil && !pair.same {
		c := pair.base
		if head {
			c = pair.head
		}
		for i := range c.Variables {
			if holdsSlot(&c.Variables[i], &a.Base) {
				return c.Variables[i].Name
			}
		}
	}
	return a.Base.Hex()
}

// suspects implements [watcher].
func (l *liveness) suspects() []*suspect {
	var list []*suspect
	var taken []bytecode.Location
	for _, k := range l.order {
		if len(k.inputs) < lostInputs || !k.acts {
			continue
		}
		seen := &suspect{oracle: oracle.LivenessLost, sequence: k.sequence, first: k.first, shows: l.shows(k)}
		switch {
		case k.failure.guessed:
			seen.refuted = "the World gave the contract an account without code, which stands for what is called"
		case !l.isLost(k):
			seen.refuted = "other calls of the function succeed, or may"
		case slices.Contains(taken, k.failure.at):
			seen.refuted = "another function fails at the same place"
		default:
			taken = append(taken, k.failure.at)
		}
		list = append(list, seen)
	}
	return list
}

// isLost reports whether a function may have succeeded nowhere on the head.
func (l *liveness) isLost(k *lost) bool {
	return !l.alive[k.Callable] && len(k.inputs) >= lostInputs && k.acts && !l.mayUnlock(k)
}

// shows is the question whether a sequence's last call fails as those of a function do.
func (l *liveness) shows(k *lost) func(*ran) *shown {
	return func(r *ran) *shown {
		call, ok := r.fails()
		if !ok || call != r.last() || callableOf(&r.sequence[call]) != k.Callable {
			return nil
		}
		failure := l.accidentOf(r.head, call)
		if failure == nil || failure.at != k.failure.at || failure.what != k.failure.what {
			return nil
		}
		found := &shown{contract: failure.contract, at: failure.at}
		if k.Function.View {
			found.severity = oracle.Medium // what only informs loses nothing by itself
		}
		found.message = fmt.Sprintf("every call of %s fails: %s; on the base the same calls succeed%s", l.nameOf(k.Callable), failure.what, l.also(k))
		return found
	}
}

// nameOf is a function for people: "Vault.withdraw(uint256)".
func (l *liveness) nameOf(of input.Callable) string {
	return shortSignature(l.Head.Space.Instances[of.Instance].Contract.Name, of.Function.Signature)
}

// also names the other functions that fail at the same place, as the end of a sentence.
func (l *liveness) also(k *lost) string {
	var names []string
	for _, other := range l.order {
		name := l.nameOf(other.Callable)
		if other.Callable != k.Callable && other.failure.at == k.failure.at && l.isLost(other) && !slices.Contains(names, name) && name != l.nameOf(k.Callable) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "; so does " + strings.Join(names[:min(len(names), maxPlaces)], ", ") + human.More(len(names)-min(len(names), maxPlaces))
}

// mayUnlock reports whether a call that the World's senders have never made with success may make a function
// succeed: one of a function that the change adds or whose arguments it changes, or any, where calls read what is not
// set. Contracts that the change wants to be made otherwise say nothing either.
func (l *liveness) mayUnlock(k *lost) bool {
	for i := range l.Head.Space.Instances {
		in := &l.Head.Space.Instances[i]
		own := i == k.Instance || in.Contract != nil && in.Contract.QualifiedName() == k.failure.contract
		if own && l.madeOtherwise(in) {
			return true
		}
		for _, f := range in.Functions {
			of := input.Callable{Instance: i, Function: f}
			if f.View || f.Kind != input.Method || f.Test || f.Noted {
				continue
			}
			added := !l.calls[of].same
			switch {
			case l.alive[of] && (!added || !own || !k.failure.callee), l.lost[of] != nil:
			case added, own && k.unset:
				return true
			}
		}
	}
	return false
}

// madeOtherwise reports whether an instance's constructor or initializers take other arguments than on the base, or were
// given others when the World was made.
func (l *liveness) madeOtherwise(in *input.Instance) bool {
	pair := l.storage[in.Address]
	if in.Contract == nil || pair == nil {
		return true
	}
	return !slices.Equal(makers(pair.head), makers(pair.base)) || madeWith(l.Head, in.Address) != madeWith(l.Base, l.moved.back(in.Address))
}

// madeWith is what an instance was deployed and initialized with; empty where nothing was chosen.
func madeWith(d *deploy.Deployment, at common.Address) string {
	for i := range d.Setup.Deployments {
		if made := &d.Setup.Deployments[i]; made.Address == at {
			return strings.Join(append(slices.Clip(made.Arguments), made.Initialization), ", ")
		}
	}
	return ""
}

// makers are the signatures of the constructor and the initializers of a contract, sorted.
func makers(c *bytecode.Contract) []string {
	var list []string
	for _, input := range c.ABI.Constructor.Inputs {
		list = append(list, "constructor "+input.Type.String())
	}
	for _, m := range c.ABI.Methods { // sorted below
		if world.IsInitializer(m.RawName) {
			list = append(list, m.Sig)
		}
	}
	slices.Sort(list)
	return list
}

// lookAgain looks for a call of suspected functions that succeeds on the head: in what a campaign there has kept,
// and in one more that starts from the inputs that fail.
func (l *liveness) lookAgain(ctx context.Context, budget *Budget, suite []input.Packed, fast *pair) error {
	l.tryOthers(ctx, budget.Config.Seed, fast)
	var seeds []input.Sequence
	for _, k := range l.order {
		if l.isLost(k) {
			seeds = append(seeds, k.sequence)
		}
	}
	if len(seeds) == 0 {
		return nil
	}
	var encoded evm.Sequence
	for i := range suite {
		seq := suite[i].Unpack()
		if input.IsTest(seq) || !slices.ContainsFunc(seq, func(c input.Call) bool { return l.lost[callableOf(&c)] != nil }) {
			continue
		}
		encoded = l.Head.Space.Encode(seq, encoded)
		exec, err := fast.head.Run(encoded)
		if err != nil {
			return err
		}
		l.seeHead(seq, exec)
	}
	config := budget.limits(moreShares)
	config.World, config.Space, config.Table, config.NewMachine = l.Head.World, l.Head.Space.WithOutsider(), l.Head.Table, l.Head.NewMachine
	config.Oracles, config.Ways, config.Workers, config.MaxCalls, config.Seeds = nil, 0, 1, moreCalls, seeds
	config.NewOther = func() (fuzzer.Other, error) { return l, nil }
	_, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	return err
}

// A campaign seldom runs what burns its gas. So a function that was seen to fail with a few inputs is called with
// others on both sides, up to so many times, and so many functions are. Arbitrary: a call that burns all gas takes up to
// a tenth of a second.
const (
	fewInputs     = 2
	otherInputs   = 3 * lostInputs
	mostWithOther = 4
)

// tryOthers calls functions with other inputs than those few with which they were seen to fail.
func (l *liveness) tryOthers(ctx context.Context, seed uint64, fast *pair) {
	random := rand.New(rand.NewPCG(seed, 0))
	mutator := input.NewMutator(l.Head.Space, input.NewDictionary(nil), input.Options{})
	tried := 0
	for _, k := range l.order {
		if l.alive[k.Callable] || len(k.inputs) < fewInputs || len(k.inputs) >= lostInputs || tried == mostWithOther {
			continue
		}
		tried++
		for n := 0; n < otherInputs && len(k.inputs) < lostInputs && !l.alive[k.Callable] && ctx.Err() == nil; n++ {
			seq, ok := mutator.MutateLast(random, nil, k.sequence)
			if !ok {
				break
			}
			if r := fast.ran(seq); r != nil {
				l.seeHead(seq, r.head)
				l.see(r)
			}
		}
	}
}

// Run implements [fuzzer.Other] for a campaign on the head alone.
func (l *liveness) Run(seq input.Sequence, exec *evm.Execution) (there *evm.Execution, way uint64, err error) {
	l.seeHead(seq, exec)
	return nil, 0, nil
}
