package world

import (
	"context"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file tells contracts of each other, as deployment scripts do. Registries, routers and vaults
// learn by setters what their constructors do not take, and until then nothing works that asks them:
//
//	setOracle(address oracle)          the instance of Oracle, or of what is an oracle by its name
//	setPoolImpl(address newPoolImpl)   the instance of Pool; a proxy that this creates is an instance
//	setAdmin(address admin)            the deployer
//	setTokens(address a, address b)    two tokens, each another one
//
// A call counts if it succeeds, and if a function that returns an address answers with one where
// it answered with zero before. Nothing that has a value is set again.

// Bounds of what is tried. Arbitrary: Aave's registry has eight setters and as many getters.
const (
	maxSetters     = 16 // of an instance
	maxWires       = 64 // calls that are kept
	maxWireTries   = 512
	maxGetters     = 16
	maxWiredValues = 3 // tried for one setter at a time

	maxSetterValues = 3 // that one setter takes
	maxWiredCopies  = 3 // contracts that are deployed for setters that take several
)

// setter is a function of an instance that tells it an address, or several.
type setter struct {
	instance common.Address
	method   abi.Method
	values   []parameter
	tried    map[told]bool
	done     bool
}

// told are the addresses that a setter is given, the first ones of the array.
type told [maxSetterValues]common.Address

// wiring is what is known of setters while contracts are deployed.
type wiring struct {
	*deployer
	deps        *dependencies
	recognizer  *recognizer
	initializer *initializer

	from     int // the instance from which on setters are called: those before are a plan's or a test's
	seen     int // instances whose setters are known
	setters  []*setter
	kept     int
	attempts int
	// handed are tokens that calls of a set-up passed to instances.
	handed []handed
}

// handed is a token of which an instance has been told.
type handed struct{ account, token common.Address }

// wire tells the instances of the search of each other, as far as names leave no doubt; in the end
// (last) also by types, and by names that say less.
func (w *wiring) wire(ctx context.Context, last bool) error {
	for w.seen = max(w.seen, w.from); w.seen < len(w.instances); w.seen++ {
		w.setters = append(w.setters, settersOf(&w.instances[w.seen])...)
	}
	if last {
		for _, s := range w.setters {
			clear(s.tried) // what it waited for may be there
		}
	}
	for again := true; again; {
		again = false
		for _, s := range slices.Clone(w.setters) {
			if err := ctx.Err(); err != nil {
				return err
			}
			done, err := w.trySetter(s, last)
			if err != nil {
				return err
			}
			again = again || done
		}
		for ; w.seen < len(w.instances); w.seen++ { // that setters have made
			w.setters = append(w.setters, settersOf(&w.instances[w.seen])...)
		}
	}
	return nil
}

// settersOf lists the setters of an instance under test that can be seen to work.
func settersOf(in *evm.Instance) []*setter {
	c := in.Contract
	if c == nil || role(c) != UnderTest || c.Generated || hasProperties(c) || len(addressGetters(c)) == 0 {
		return nil
	}
	var list []*setter
	for _, m := range sortedMethods(c) {
		name := words(m.RawName)
		other := func(in abi.Argument) bool { return in.Type.T != abi.AddressTy }
		if n := len(m.Inputs); m.IsConstant() || n == 0 || n > maxSetterValues || slices.ContainsFunc(m.Inputs, other) || len(name) == 0 || name[0] != "set" || len(list) == maxSetters {
			continue
		}
		list = append(list, &setter{in.Address, m, methodParameters(c, &m), map[told]bool{}, false})
	}
	return list
}

// addressGetters are the functions that return an address and take nothing.
func addressGetters(c *bytecode.Contract) []string {
	var list []string
	for _, m := range sortedMethods(c) {
		if m.IsConstant() && len(m.Inputs) == 0 && len(m.Outputs) == 1 && m.Outputs[0].Type.T == abi.AddressTy && len(list) < maxGetters {
			list = append(list, m.Sig)
		}
	}
	return list
}

// trySetter calls a setter with what it may mean, until one counts, and reports whether one did.
func (w *wiring) trySetter(s *setter, last bool) (bool, error) {
	if s.done {
		return false, nil
	}
	in := w.instances[slices.IndexFunc(w.instances, func(in evm.Instance) bool { return in.Address == s.instance })]
	for _, values := range w.choices(s, last) {
		if s.tried[values] || slices.Contains(values[:len(s.values)], s.instance) || w.kept >= maxWires || w.attempts >= maxWireTries {
			continue
		}
		s.tried[values] = true
		w.attempts++
		before, err := w.addressesOf(&in)
		if err != nil || !slices.Contains(before, common.Address{}) {
			return false, err
		}
		mark := w.mark()
		var arguments []reflect.Value
		for i := range s.values {
			arguments = append(arguments, reflect.ValueOf(values[i]))
		}
		done, err := w.perform(&in, s.method.Sig, Deployer, nil, arguments...)
		if err != nil {
			return false, err
		}
		if !done {
			continue
		}
		after, err := w.addressesOf(&in)
		if err != nil {
			return false, err
		}
		if !becameKnown(before, after) {
			w.undo(mark)
			continue
		}
		s.done = true
		w.kept++
		behind, err := w.seeKept()
		for _, value := range values[:len(s.values)] {
			if w.deps.told[value] = !behind; behind {
				w.proxied[value] = true
			}
		}
		return true, err
	}
	return false, nil
}

// addressesOf are the answers of an instance's getters of addresses; all ones where there is none.
func (w *wiring) addressesOf(in *evm.Instance) ([]common.Address, error) {
	var list []common.Address
	for _, signature := range addressGetters(in.Contract) {
		word, err := w.word(in, signature, nil)
		if err != nil {
			return nil, err
		}
		if word == nil {
			word = new(uint256.Int).SetAllOne()
		}
		list = append(list, word.Bytes20())
	}
	return list, nil
}

// becameKnown reports whether an answer is an address now that was zero.
func becameKnown(before, after []common.Address) bool {
	none := common.Address{}
	for i := range before {
		if before[i] == none && after[i] != none {
			return true
		}
	}
	return false
}

// choices lists what a setter may be given, the likeliest first. Several values are all different, and there is one choice of them: what each means best
// of what those before it leave. Accounts are told apart by nothing, so that none of several is the deployer.
func (w *wiring) choices(s *setter, last bool) (list []told) {
	if len(s.values) == 1 {
		name := meant(s.method.RawName)[1:] // without "set"
		for _, a := range w.meantBy(&s.values[0], name, last) {
			list = append(list, told{a})
		}
		return list
	}
	var choice told
	for i := range s.values {
		left := slices.DeleteFunc(w.meantBy(&s.values[i], nil, last), func(a common.Address) bool {
			return a == Deployer.Address || slices.Contains(choice[:i], a)
		})
		if len(left) == 0 {
			return nil
		}
		choice[i] = left[0]
	}
	return []told{choice}
}

// lacking lists contracts of which further instances are wanted, since a setter takes several of a kind and fewer are there; and built-in mocks, where
// there is none of the kind.
func (w *wiring) lacking() (list []*bytecode.Contract, err error) {
	for _, s := range w.setters {
		if s.done || len(s.values) == 1 {
			continue
		}
		if sets, err := w.setsWhatIsAsked(s); err != nil {
			return nil, err
		} else if !sets {
			continue
		}
		for i := range s.values { // those of a kind are numbered
			if kind := s.values[i].asksFor(); kind != "" && len(list) < maxWiredCopies {
				list = w.appendLacking(list, w.deps.needOf(kind), s.values[i].nth)
			}
		}
	}
	return list, nil
}

// setsWhatIsAsked reports whether as many of the answers that a setter's instance gives are zero as the setter has values. Otherwise it sets something
// else, such as what belongs to what.
func (w *wiring) setsWhatIsAsked(s *setter) (bool, error) {
	in := w.instances[slices.IndexFunc(w.instances, func(in evm.Instance) bool { return in.Address == s.instance })]
	answers, err := w.addressesOf(&in)
	unset := slices.DeleteFunc(answers, func(a common.Address) bool { return a != common.Address{} })
	return len(unset) >= len(s.values), err
}

// appendLacking appends a contract that meets a need, unless more than so many do: instances, and contracts of the list.
func (w *wiring) appendLacking(list []*bytecode.Contract, need need, most int) []*bytecode.Contract {
	has, wanted := w.deps.useful(func(c *bytecode.Contract) bool { return need.meets(c) }), need.mock
	if len(has) > 0 {
		wanted = w.instances[slices.IndexFunc(w.instances, func(in evm.Instance) bool { return in.Address == has[0] })].Contract
	}
	there := len(has)
	for _, c := range list {
		if need.meets(c) {
			there++
		}
	}
	if wanted != nil && there <= most {
		list = append(list, wanted)
	}
	return list
}

// meantBy lists what a value of a setter may mean by its own name and by another one, the likeliest first.
func (w *wiring) meantBy(value *parameter, other []string, last bool) []common.Address {
	names := [][]string{meant(value.name), other}
	var list []common.Address
	add := func(meets func(*bytecode.Contract) bool) {
		for _, a := range w.deps.useful(func(c *bytecode.Contract) bool { return meets(c) && !IsIdle(c) }) { // what works without one should
			if !slices.Contains(list, a) && len(list) < maxWiredValues {
				list = append(list, a)
			}
		}
	}
	for _, name := range names {
		add(func(c *bytecode.Contract) bool { return sameWords(c.Name, name) })
	}
	if len(list) == 0 && slices.ContainsFunc(names, isOwner) {
		return []common.Address{Deployer.Address}
	}
	if !last {
		return list
	}
	if value.contract != "" {
		add(func(c *bytecode.Contract) bool { return w.build.implements(c, value.contract) })
	}
	for _, name := range names {
		add(func(c *bytecode.Contract) bool { return hasWords(c.Name, name) })
	}
	if kind := kindNamed(value.name); kind != nil {
		add(kind.meets)
	}
	return list
}

// isOwner reports whether the words of a name mean who owns or profits, which is the deployer; one who
// has to accept that first does not yet.
func isOwner(name []string) bool {
	return !slices.Contains(name, "pending") && !slices.Contains(name, "proposed") &&
		slices.ContainsFunc(name, func(w string) bool { return slices.Contains(accountRoles[0].words, w) })
}

// seeKept looks at what the last call of the set-up did: proxies that it created for known
// contracts are instances, which others can be told of, and tokens that it passed on are what their
// receivers may be paid with. The result reports whether there are such proxies.
func (w *wiring) seeKept() (bool, error) {
	exec, err := w.machine.Run(w.calls)
	if err != nil {
		return false, err
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	var created []common.Address
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		switch {
		case f.Outcome != evm.Success:
		case f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2:
			created = append(created, f.Self)
		default:
			w.handOn(f)
		}
	}
	before := len(w.instances)
	for _, address := range created { // their frames are gone with the next run
		if err := w.nameProxy(address); err != nil {
			return false, err
		}
	}
	return len(w.instances) > before, nil
}

// nameProxy makes an instance of a proxy that a call of the set-up created.
func (w *wiring) nameProxy(address common.Address) error {
	if w.namer.labels[address] != "" || len(w.instances) >= w.limit {
		return nil
	}
	behind, err := w.recognizer.behind(address)
	if err != nil || behind == nil {
		return err
	}
	name := w.addition(behind.Name+proxySuffix, address, behind, "proxy that the set-up created", "")
	w.writer.steps = append(w.writer.steps, Step{Contract: w.writer.planName(behind), Name: name, Address: address.Hex()})
	w.deps.told[address] = true
	return nil
}

// handOn notes the tokens among the arguments of a call.
func (w *wiring) handOn(f *evm.Frame) {
	const selectorSize, wordSize = 4, 32
	for at := selectorSize; at+wordSize <= len(f.Input); at += wordSize {
		word := new(uint256.Int).SetBytes(f.Input[at : at+wordSize])
		h := handed{f.Self, word.Bytes20()}
		token := word.BitLen() <= 8*common.AddressLength && h.account != h.token &&
			slices.ContainsFunc(w.instances, func(in evm.Instance) bool { return in.Address == h.token && payment(in.Contract) != nil })
		known := slices.ContainsFunc(w.instances, func(in evm.Instance) bool { return in.Address == h.account })
		if token && known && !slices.Contains(w.handed, h) {
			w.handed = append(w.handed, h)
		}
	}
}

// initializeFurther calls what else looks like an initializer of the instances that others have been
// told of, and of those that they made: a market is listed, a pool is opened. It needs what
// their own initializers and setters have set.
func (w *wiring) initializeFurther(ctx context.Context, first int) error {
	for _, in := range slices.Clone(w.instances[first:]) {
		if !w.deps.told[in.Address] || in.Contract == nil || role(in.Contract) != UnderTest {
			continue
		}
		methods := slices.DeleteFunc(initializers(in.Contract), func(m abi.Method) bool { return m.RawName == "initialize" })
		for _, m := range methods[:min(len(methods), maxInitializers)] {
			done, err := w.initializer.callInitializer(ctx, []abi.Method{m}, in.Contract, in.Address, in.Address)
			if err != nil {
				return err
			}
			if done.text == "" {
				continue
			}
			w.report.Calls = append(w.report.Calls, w.namer.callText(in.Name+"."+functionName(in.Contract, &m), done.arguments, Deployer.Address))
			w.writer.writeCall(in.Name, in.Contract, &m, done.arguments, "")
			if _, err := w.seeKept(); err != nil {
				return err
			}
		}
	}
	return nil
}
