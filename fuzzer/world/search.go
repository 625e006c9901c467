package world

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// maxTries bounds the runs per attempt at a contract: enough for
	// every single deviation from the preferred arguments of a typical
	// constructor (four parameters, some ten candidates each).
	maxTries = 64
	// maxExhaustedInAll bounds the runs of all constructors and initializers that end out of
	// gas, half a minute's: after so many, each contract has one, with one transaction's gas.
	// Arbitrary.
	maxExhaustedInAll = 16
	// maxExhausted bounds the runs of a constructor that end out of gas: other
	// arguments seldom help, and each costs the most a run can cost.
	maxExhausted = 4
)

// finder makes up arguments, and finds those with which a call succeeds.
type finder struct {
	*deployer
	deps      *dependencies
	exhausted int // runs that ended out of gas
}

// arguments is one choice of arguments of a constructor or an initializer.
type arguments struct {
	inputs abi.Arguments
	values []reflect.Value
	wei    *uint256.Int
	packed []byte
	before int             // blocks that the run entered whose failure proposed these; 0: none did
	site   *common.Address // where a constructor makes its contract; nil: where the deployer's nonce says
}

// search goes through choices of arguments: first all preferred values, then
// those that deviate from them little, and so on. What a failed run says about an
// argument is tried before that.
type search struct {
	inputs     abi.Arguments
	parameters []parameter
	choices    [][]reflect.Value // by parameter
	wei        []*uint256.Int
	addresses  func(*parameter) []common.Address
	site       *common.Address // of all arguments

	proposals []*arguments    // the newest first
	late      []*arguments    // those that come behind all choices
	vectors   [][]int         // the choices left, as indices; the last index is the wei's
	seen      map[string]bool // packed arguments and wei
}

// payments are what a payable constructor is sent, in order: most want nothing,
// some want a deposit.
var payments = []*uint256.Int{new(uint256.Int), uint256.NewInt(1e18), uint256.NewInt(1)}

// endowments are what a payable constructor is sent where nothing else can be paid: what the contract has is what it begins with.
var endowments = []*uint256.Int{uint256.NewInt(1e18), new(uint256.Int), uint256.NewInt(1)}

// isPaidOnce reports whether a contract can be paid when it is made, and by no call.
func isPaidOnce(c *bytecode.Contract) bool {
	paid := c.ABI.HasReceive() || c.ABI.HasFallback() && c.ABI.Fallback.IsPayable()
	for _, m := range c.ABI.Methods {
		paid = paid || m.IsPayable()
	}
	return !paid && c.ABI.Constructor.IsPayable()
}

// newSearch prepares the search for a function's arguments.
func (f *finder) newSearch(function *abi.Method, parameters []parameter) (*search, error) {
	s := &search{inputs: function.Inputs, parameters: parameters, wei: payments[:1], addresses: f.addresses, seen: map[string]bool{}}
	if function.IsPayable() {
		s.wei = payments
	}
	for i := range parameters {
		p := &parameters[i]
		values := f.candidates(p)
		if len(values) == 0 {
			return nil, fmt.Errorf("its %s's parameter %d (%s %s) is too large or too deeply nested to be made up", function.Name, i+1, p.typ.String(), p.name)
		}
		s.choices = append(s.choices, values)
	}
	widths := make([]int, 0, len(s.choices)+1)
	for _, values := range s.choices {
		widths = append(widths, len(values))
	}
	s.vectors = vectors(append(widths, len(s.wei)), maxTries)
	return s, nil
}

// next is a choice that was not tried yet; false when there is none.
func (s *search) next() (*arguments, bool) {
	for {
		a := first(&s.proposals)
		if a == nil {
			a = s.enumerated()
		}
		if a == nil {
			a = first(&s.late)
		}
		if a == nil {
			return nil, false
		}
		if a.pack() != nil {
			continue // the ABI has a type that package abi cannot pack
		}
		key := string(a.packed) + a.wei.Hex()
		if !s.seen[key] {
			s.seen[key] = true
			return a, true
		}
	}
}

// first takes the first of a list; nil: there is none.
func first(list *[]*arguments) *arguments {
	if len(*list) == 0 {
		return nil
	}
	a := (*list)[0]
	*list = (*list)[1:]
	return a
}

// enumerated is the next choice by deviation from the preferred one.
func (s *search) enumerated() *arguments {
	if len(s.vectors) == 0 {
		return nil
	}
	v := s.vectors[0]
	s.vectors = s.vectors[1:]
	a := &arguments{inputs: s.inputs, wei: s.wei[v[len(s.choices)]], site: s.site}
	for i, values := range s.choices {
		a.values = append(a.values, values[v[i]])
	}
	return a
}

// vectors lists index vectors, each index below its width, by what they cost and
// then with the first places moving most; at most limit of them. An index costs
// its length in bits: the seventh choice for one place should not have to wait
// for all triples of second choices.
func vectors(widths []int, limit int) [][]int {
	room := make([]int, len(widths)+1) // the most that the places from i on can cost
	for i := len(widths) - 1; i >= 0; i-- {
		room[i] = room[i+1] + bits.Len(uint(widths[i]-1))
	}
	var out [][]int
	vector := make([]int, len(widths))
	var fill func(place, cost int)
	fill = func(place, cost int) {
		if len(out) >= limit || cost > room[place] {
			return
		}
		if place == len(widths) {
			out = append(out, slices.Clone(vector))
			return
		}
		for share := min(cost, bits.Len(uint(widths[place]-1))); share >= 0; share-- {
			for i := 1 << share >> 1; i < widths[place] && bits.Len(uint(i)) == share && len(out) < limit; i++ {
				vector[place] = i
				fill(place+1, cost-share)
			}
		}
	}
	for cost := 0; cost <= room[0] && len(out) < limit; cost++ {
		fill(0, cost)
	}
	return out
}

// maxCompared bounds how far back from the failure comparisons are looked at: the
// check that failed is the last, a helper's checks may follow it.
const maxCompared = 4

// proposeAfter looks at why a call failed, which entered so many blocks. Where a number in the arguments or the wei was
// compared with something shortly before, that value and its neighbors are
// proposed for it. Where a call to an address in the arguments failed, or went to an
// address without code, other addresses are. Where the arguments were proposed, and got no further, the number was mostly another
// one: what they propose comes last.
func (s *search) proposeAfter(a *arguments, exec *evm.Execution, progress int) {
	result := &exec.Calls[len(exec.Calls)-1]
	var proposals []*arguments
	for i := result.Frames[1] - 1; i >= result.Frames[0] && len(proposals) < maxTries; i-- {
		frame := &exec.Frames[i]
		if i > result.Frames[0] && (frame.Outcome != evm.Success || frame.Program == nil) {
			proposals = append(proposals, s.replace(a, frame.CodeAddress)...)
		}
		if frame.Outcome == evm.Success {
			continue
		}
		for n := 0; n < maxCompared && n < len(frame.Comparisons); n++ {
			proposals = append(proposals, s.compared(a, &frame.Comparisons[len(frame.Comparisons)-1-n])...)
		}
	}
	for _, p := range proposals {
		p.before = progress
	}
	list := &s.proposals
	if progress <= a.before {
		list = &s.late
	}
	*list = append(proposals, *list...)
	if len(*list) > maxTries {
		*list = (*list)[:maxTries]
	}
}

// compared proposes for each number in the arguments that a comparison involved what it was
// compared with.
func (s *search) compared(a *arguments, c *evm.Comparison) []*arguments {
	var proposals []*arguments
	leaves := a.tried()
	for _, side := range [2][2]*uint256.Int{{&c.Left, &c.Right}, {&c.Right, &c.Left}} {
		for _, l := range leaves {
			if word, ok := numericWord(l.typ, l.value); ok && word.Eq(side[0]) {
				proposals = append(proposals, propose(a, &l, side[1])...)
			}
		}
		// Much else is compared with zero: only what is not zero is a price.
		if len(s.wei) > 1 && a.wei.Eq(side[0]) && !side[1].IsZero() && side[1].Lt(funds) {
			b := *a
			b.wei = side[1].Clone()
			proposals = append(proposals, &b)
		}
	}
	return proposals
}

// replace proposes other values for the addresses in the arguments with this value. The
// choices hold every instance there is.
func (s *search) replace(a *arguments, address common.Address) []*arguments {
	const most = 4 // of what is likely enough to be tried at once; arbitrary
	var proposals []*arguments
	for _, l := range a.tried() {
		if l.typ.T != abi.AddressTy || l.value.Interface() != any(address) {
			continue
		}
		others := s.addresses(parameterAt(s.parameters, l.path))
		for _, other := range others[:min(most, len(others))] {
			proposals = append(proposals, a.with(l.path, reflect.ValueOf(other)))
		}
	}
	return proposals
}

// propose replaces a number in the arguments by a word and its neighbors.
func propose(a *arguments, l *leaf, word *uint256.Int) []*arguments {
	var out []*arguments
	for _, delta := range []int64{0, 1, -1} {
		n := word.ToBig()
		if l.typ.T == abi.IntTy && word.Sign() < 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 256))
		}
		n.Add(n, big.NewInt(delta))
		if inRange(l.typ, n) {
			out = append(out, a.with(l.path, integer(l.typ, n)))
		}
	}
	return out
}

// outcome is what came of a search.
type outcome struct {
	call      evm.Call
	arguments *arguments
	exec      *evm.Execution // of the call behind all others; nil when none succeeded
	tries     int
	best      *arguments // of the failure that came furthest, the first of equals
	reason    string     // of that failure
	stop      *Stop      // likewise
}

// find runs a call with one choice of arguments after the other, until it
// succeeds or nothing is left to try. Every execution is shown to look, unless
// that is nil.
func (f *finder) find(ctx context.Context, s *search, call func(*arguments) evm.Call, look func(*evm.Execution)) (*outcome, error) {
	o := &outcome{}
	furthest := -1
	most := maxExhausted
	if f.exhausted >= maxExhaustedInAll {
		most = 1
	}
	for exhausted := 0; o.tries < maxTries && exhausted < most; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		arguments, ok := s.next()
		if !ok {
			break
		}
		o.tries++
		o.call, o.arguments = call(arguments), arguments
		if most == 1 {
			o.call.Gas = evm.CallGas
		}
		exec, err := f.machine.Run(append(slices.Clip(f.calls), o.call))
		if err != nil {
			return nil, err
		}
		if look != nil {
			look(exec)
		}
		result := &exec.Calls[len(exec.Calls)-1]
		if result.Outcome == evm.Success {
			o.exec = exec
			return o, f.raise(s, o, call)
		}
		if result.Outcome == evm.OutOfGas {
			exhausted++
			f.exhausted++
		}
		progress := progressOf(exec)
		if progress > furthest {
			furthest, o.best, o.reason, o.stop = progress, arguments, result.Reason(), stopOf(exec, len(exec.Calls)-1)
			if texts := f.namer.describe(arguments); len(texts) > 0 {
				o.reason += fmt.Sprintf(" (with %s)", join(texts))
			}
		}
		s.proposeAfter(arguments, exec, progress)
	}
	return o, nil
}

// progressOf counts the different blocks that the last call entered: of two
// failures, the one that came further says more about what is missing.
func progressOf(exec *evm.Execution) int {
	progress := 0
	for _, c := range exec.Covered {
		if c.Call == len(exec.Calls)-1 {
			progress++
		}
	}
	return progress
}

// addresses lists the addresses in arguments.
func (a *arguments) addresses() []common.Address {
	var list []common.Address
	for _, l := range a.leaves() {
		if l.typ.T == abi.AddressTy {
			list = append(list, l.value.Interface().(common.Address)) //nolint:errcheck // what an address type's values are
		}
	}
	return list
}
