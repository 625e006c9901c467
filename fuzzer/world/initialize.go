package world

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// initializer initializes instances, behind proxies where they demand it.
type initializer struct {
	*deployer
	linker *linker
	finder *finder
}

// maxInitializers bounds how many initializers of a contract are tried: one
// usually calls the others.
const maxInitializers = 3

// initialize brings a new instance of a contract with an initializer into use, as
// its deployer would at once: without that, hardly anything of it works, and
// whoever initializes it owns it. The first that succeeds:
//
//   - the initializer is called on the instance itself;
//   - a proxy is put in front of the instance, and the initializer is called
//     there: constructors of upgradeable contracts forbid it on the instance.
//
// When no arguments are found but the initializer gets further behind a proxy
// than without, the proxy stays and the rest is left to the campaign. A contract
// of uninitialized keeps an instance (or gets a second proxy) where the
// initializer can still be called. The instance was constructed with arguments.
func (it *initializer) initialize(ctx context.Context, i int, constructed *arguments) error {
	in := it.instances[i]
	methods := initializers(in.Contract)
	if len(methods) == 0 {
		return nil
	}
	methods = methods[:min(len(methods), maxInitializers)]
	d := &it.report.Deployments[len(it.report.Deployments)-1]
	spare := slices.Contains(it.uninitialized, in.Contract) && methods[0].Sig != evm.SetUp // which a test is nothing without
	if spare && len(it.instances) >= it.limit {
		return nil
	}
	before, address := it.mark(), in.Address
	if spare {
		var err error
		if address, err = it.repeat(d); err != nil {
			return err
		}
	}
	direct, err := it.callInitializer(ctx, methods, in.Contract, address, address)
	switch {
	case err != nil:
		return err
	case direct.repeats && !spare:
		it.undo(before)
		return nil
	case direct.text == "":
		it.undo(before)
		return it.behindProxy(ctx, i, methods, direct.got, spare)
	case spare:
		it.spares[in.Address] = true
		in.Address = address
		in.Name = it.addition(in.Contract.Name, address, in.Contract, "second instance of "+in.Contract.Name, direct.text)
		it.writer.writeDeployment(in.Contract, in.Contract, in.Name, constructed)
	default:
		d.Initialization = direct.text
	}
	it.writeInitialization(&in, &direct)
	return nil
}

// writeInitialization writes down that an instance was initialized, if it was.
func (it *initializer) writeInitialization(in *evm.Instance, done *initialization) {
	if done.text != "" {
		it.given = append(it.given, given{in.Address, done.arguments})
		it.writer.writeCall(in.Name, in.Contract, done.method, done.arguments, "")
	}
}

// repeat runs a deployment once more, for another instance, and returns where it
// is.
func (it *initializer) repeat(d *Deployment) (common.Address, error) {
	call := d.Call
	call.Address = crypto.CreateAddress(Deployer.Address, it.nonce+uint64(len(it.calls)))
	it.calls = append(it.calls, call)
	_, err := it.machine.Run(it.calls)
	return call.Address, err
}

// initialization is what came of calling initializers.
type initialization struct {
	text      string // the call that succeeded, for people; empty when none did
	method    *abi.Method
	arguments *arguments // of that call
	got       int        // blocks of the contract's code that the first attempt entered
	// repeats reports whether the call set nothing that the constructor had not set: that has
	// initialized the contract.
	repeats bool
}

// callInitializer searches for arguments with which an initializer of the
// contract succeeds and changes something at address, and keeps the call. The
// contract's code is at implementation, which is address unless that is a proxy.
func (it *initializer) callInitializer(ctx context.Context, methods []abi.Method, c *bytecode.Contract, address, implementation common.Address) (initialization, error) {
	var result initialization
	for i := range methods {
		m := &methods[i]
		search, err := it.finder.newSearch(m, methodParameters(c, m))
		if err != nil {
			continue // too large to be made up: the campaign may find arguments
		}
		first := i == 0
		found, err := it.finder.find(ctx, search, func(a *arguments) evm.Call {
			call := evm.Call{From: Deployer.Address, To: address, Data: slices.Concat(m.ID, a.packed)}
			call.Value.Set(a.wei)
			return call
		}, func(exec *evm.Execution) {
			if first {
				result.got, first = depthIn(exec, implementation), false
			}
		})
		if err != nil {
			return result, err
		}
		if found.exec != nil && writes(found.exec) {
			result.repeats = repeats(found.exec, address, implementation)
			it.calls = append(it.calls, found.call)
			result.method, result.arguments = m, found.arguments
			result.text = m.RawName + "(" + join(it.namer.describe(found.arguments)) + ")"
			return result, nil
		}
	}
	return result, nil
}

// depthIn counts the blocks that the last call's first frame with code at an
// address entered.
func depthIn(exec *evm.Execution, code common.Address) int {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		if f.CodeAddress == code {
			return len(f.Path)
		}
	}
	return 0
}

// writes reports whether the last call wrote to storage.
func writes(exec *evm.Execution) bool {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		for i := range f.Storage {
			if f.Storage[i].Write {
				return true
			}
		}
	}
	return false
}

// repeats reports whether the last call of an execution set nothing at an address that earlier
// calls had not set at another one, or the same: no byte of storage that was zero. Slots are
// compared by bytes, since they hold several variables.
func repeats(exec *evm.Execution, address, earlier common.Address) bool {
	last := len(exec.Calls) - 1
	before, after := map[uint256.Int]uint256.Int{}, map[uint256.Int]uint256.Int{} // the last values
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Outcome != evm.Success || exec.Calls[f.Call].Outcome != evm.Success {
			continue
		}
		for _, a := range f.Storage {
			switch {
			case !a.Write:
			case f.Call < last && a.Address == earlier:
				before[a.Slot] = a.Value
			case f.Call == last && a.Address == address:
				after[a.Slot] = a.Value
			}
		}
	}
	for slot, value := range after {
		old, set := before[slot], value.Bytes32()
		for i, b := range old.Bytes32() {
			if b == 0 && set[i] != 0 {
				return false
			}
		}
	}
	return len(after) > 0 && !exec.Truncated
}

// behindProxy puts a proxy in front of an instance and initializes it there; got
// is how far the initializer came without.
func (it *initializer) behindProxy(ctx context.Context, i int, methods []abi.Method, got int, spare bool) error {
	if len(it.instances) >= it.limit {
		return nil
	}
	in := it.instances[i]
	before := it.mark()
	proxy, err := it.deployProxy(ctx, in.Address)
	if err != nil || proxy == nil {
		return err
	}
	done, err := it.callInitializer(ctx, methods, in.Contract, proxy.address, in.Address)
	if err != nil {
		return err
	}
	if done.text == "" && done.got <= got || done.repeats && !spare {
		it.undo(before)
		return nil
	}
	it.proxied[in.Address] = true
	front := it.inFront(&in, proxy, done.text)
	it.writeInitialization(&front, &done)
	if !spare || done.text == "" || len(it.instances) >= it.limit {
		return nil
	}
	if proxy, err = it.deployProxy(ctx, in.Address); err != nil || proxy == nil {
		return err
	}
	it.spares[it.inFront(&in, proxy, "").Address] = true
	return nil
}

// inFront adds the instance that is a proxy in front of another one.
func (it *initializer) inFront(in *evm.Instance, proxy *newProxy, initialization string) evm.Instance {
	it.proxies[proxy.address] = true
	front := evm.Instance{Address: proxy.address, Contract: in.Contract}
	front.Name = it.addition(in.Contract.Name+proxySuffix, proxy.address, in.Contract, ownProxyOrigin+in.Name, initialization)
	it.writer.writeDeployment(proxy.contract, in.Contract, front.Name, proxy.arguments)
	return front
}
