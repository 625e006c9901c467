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
)

// setter is a function of an instance that tells it an address.
type setter struct {
	instance common.Address
	method   abi.Method
	value    parameter
	tried    map[common.Address]bool
	done     bool
}

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
		if m.IsConstant() || len(m.Inputs) != 1 || m.Inputs[0].Type.T != abi.AddressTy || len(name) == 0 || name[0] != "set" || len(list) == maxSetters {
			continue
		}
		list = append(list, &setter{in.Address, m, methodParameters(c, &m)[0], map[common.Address]bool{}, false})
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
	for _, value := range w.meantBy(s, last) {
		if s.tried[value] || value == s.instance || w.kept >= maxWires || w.attempts >= maxWireTries {
			continue
		}
		s.tried[value] = true
		w.attempts++
		before, err := w.addressesOf(&in)
		if err != nil || !slices.Contains(before, common.Address{}) {
			return false, err
		}
		mark := w.mark()
		done, err := w.perform(&in, s.method.Sig, Deployer, nil, reflect.ValueOf(value))
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
		if w.deps.told[value] = !behind; behind {
			w.proxied[value] = true
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

// meantBy lists what the value of a setter may mean, the likeliest first.
func (w *wiring) meantBy(s *setter, last bool) []common.Address {
	names := [][]string{meant(s.value.name), meant(s.method.RawName)[1:]} // without "set"
	var list []common.Address
	add := func(meets func(*bytecode.Contract) bool) {
		for _, a := range w.deps.useful(meets) {
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
	if s.value.contract != "" {
		add(func(c *bytecode.Contract) bool { return w.build.implements(c, s.value.contract) })
	}
	for _, name := range names {
		add(func(c *bytecode.Contract) bool { return hasWords(c.Name, name) })
	}
	if kind := kindNamed(s.value.name); kind != nil {
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
