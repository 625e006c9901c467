package pipeline

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// This file says which account would have to be a contract.

// code is an account that would have to have code.
func (v *view) code() ([]report.Want, []report.Remedy) {
	missing, selector, ok := v.missing()
	if !ok {
		return nil, nil
	}
	f := &v.exec.Frames[v.frame]
	w := report.Want{Kind: report.WantsCode}
	var stored *evm.StorageAccess
	word := new(uint256.Int).SetBytes(missing[:])
	for i := len(f.Storage) - 1; i >= 0 && stored == nil; i-- {
		if a := &f.Storage[i]; !a.Write && holds(a, word) && a.Keys.Count == 0 && (!word.IsZero() || v.isAddress(a)) {
			stored = a
		}
	}
	if missing != (common.Address{}) {
		w.Account = missing.Hex()
		w.Detail = v.accountName(missing) + ", which has no code, would have to be a contract"
	} else {
		w.Detail = "the account that is called has no code"
	}
	if stored != nil {
		name := v.variable(stored).name
		known := v.writersOf(stored)
		w.Writers = known.list
		w.Detail = fmt.Sprintf("%s is %s, which has no code", name, v.shortAddress(missing))
		if len(known.list) == 0 && known.complete {
			w.Detail += "; nothing writes it after the constructor"
		}
	}
	var try []report.Remedy
	if missing != (common.Address{}) && stored == nil {
		if contract := v.contractFor(selector); contract != "" {
			try = append(try, report.Remedy{Text: "put a contract there: " + contract, YAML: fmt.Sprintf(`after: [{contract: %q, name: %s, address: "%s", arguments: []}]`, contract, v.newName("missing"), missing.Hex())})
		} else {
			try = append(try, report.Remedy{Text: fmt.Sprintf("no contract of the build has the function 0x%x that is called there: write a mock that has it, in a test or among the sources, and give it to the constructor in a step of `deploy`, or put it there in a step of `after`, with `address: \"%s\"`", selector, missing.Hex())})
		}
	}
	if stored != nil {
		try = append(try, v.remediesFor(stored, w.Writers, v.instanceFor(selector))...)
		if len(w.Writers) == 0 {
			try = append(try, report.Remedy{Text: "pass a contract to the constructor in a step of `deploy`; without a parameter for it, the code has to set it"})
		}
	}
	return []report.Want{w}, try
}

// idle is a contract that acts, where one that stands in for it was called and refused to.
func (v *view) idle() ([]report.Want, []report.Remedy) {
	for i := len(v.exec.Frames) - 1; i > v.frame; i-- {
		if f := &v.exec.Frames[i]; f.Parent == v.frame && f.Outcome != evm.Success {
			return v.wantsImplementation(f)
		}
	}
	return nil, nil
}

// wantsImplementation says which interface a contract stands in for that refused to act in a frame; nil: it is another one.
func (d *describer) wantsImplementation(f *evm.Frame) ([]report.Want, []report.Remedy) {
	for _, in := range d.head.World.Instances {
		if in.Address == f.CodeAddress && in.Contract != nil && world.IsIdle(in.Contract) {
			name := in.Contract.Name
			return one(report.WantsAnswer, fmt.Sprintf("%s, for which a contract stands in that refuses to act, to be implemented", name)),
				[]report.Remedy{{Text: fmt.Sprintf("write a mock that implements %s, among the tests or the sources", name)}}
		}
	}
	return nil, nil
}

// missing is the account without code that was called, with the function, or whose size was asked
// for; false: neither happened.
func (v *view) missing() (account common.Address, selector []byte, ok bool) {
	account = v.stop.Missing
	for i := len(v.exec.Frames) - 1; i > v.frame; i-- {
		callee := &v.exec.Frames[i]
		if callee.Parent == v.frame && callee.Program == nil && callee.CodeAddress == account && len(callee.Input) >= 4 {
			return account, callee.Input[:4], true
		}
	}
	if !v.stop.ChecksCode(v.head.Table) && v.from(evm.FromCode) == nil {
		return account, nil, false
	}
	if account == (common.Address{}) {
		account, selector = v.silent()
	}
	if account == (common.Address{}) {
		account = v.sizedAccount()
	}
	return account, selector, true
}

// silent is the account without code that the frame called last: libraries ask for an account's
// code when a call has answered nothing.
func (v *view) silent() (account common.Address, selector []byte) {
	for i := len(v.exec.Frames) - 1; i > v.frame; i-- {
		if callee := &v.exec.Frames[i]; callee.Parent == v.frame {
			if callee.Program == nil && callee.Outcome == evm.Success && len(callee.Output) == 0 && len(callee.Input) >= 4 {
				return callee.CodeAddress, callee.Input[:4]
			}
			break
		}
	}
	return common.Address{}, nil
}

// shortAddress is an account's name, 0x0 for none.
func (v *view) shortAddress(a common.Address) string {
	if a == (common.Address{}) {
		return "0x0"
	}
	return v.accountName(a)
}

// sizedAccount is a constant account in the code that asks for the size of an account's code.
func (v *view) sizedAccount() common.Address {
	f := &v.exec.Frames[v.frame]
	at := slices.Index(f.Path, v.comparison.Block)
	for n := at; n >= max(0, at-3); n-- {
		b := f.Program.Blocks[f.Path[n]]
		sized := n != at || slices.Contains(f.Program.Bytes[b.Start:b.End], byte(vm.EXTCODESIZE)) || slices.Contains(f.Program.Bytes[b.Start:b.End], byte(vm.EXTCODEHASH))
		for pc := b.Start; pc < b.End && sized; pc++ {
			op := vm.OpCode(f.Program.Bytes[pc])
			if op == vm.PUSH20 {
				a := common.BytesToAddress(f.Program.Bytes[pc+1 : pc+21])
				if a != allBits {
					return a
				}
			}
			if op.IsPush() {
				pc += uint32(op - vm.PUSH0)
			}
		}
	}
	return common.Address{}
}

// contractFor is a contract to deploy that has a function, of the build or a built-in mock; empty: none has it.
func (v *view) contractFor(selector []byte) string {
	if c := v.implementing(selector); c != nil {
		return c.QualifiedName()
	}
	if len(selector) < 4 {
		return "sightline:TestToken" // its size was asked for, and nothing else
	}
	for _, c := range world.BuiltInMocks() {
		if _, err := c.ABI.MethodById(selector); err == nil {
			return c.QualifiedName()
		}
	}
	return ""
}

// implementing is a contract of the build, another one than that which runs, without constructor
// parameters, that has a function; nil: none.
func (v *view) implementing(selector []byte) *bytecode.Contract {
	if len(selector) < 4 {
		return nil
	}
	for _, c := range v.head.Table.Contracts() {
		if !c.Deployable() || c.Library || len(c.ABI.Constructor.Inputs) > 0 || c == v.exec.Frames[v.frame].Program.Contract {
			continue
		}
		if _, err := c.ABI.MethodById(selector); err == nil {
			return c
		}
	}
	return nil
}

// instanceFor is an instance that has a function; nil: none.
func (v *view) instanceFor(selector []byte) *common.Address {
	for i := range v.head.World.Instances {
		in := &v.head.World.Instances[i]
		if in.Contract == nil || len(selector) < 4 {
			continue
		}
		if _, err := in.Contract.ABI.MethodById(selector); err == nil {
			return &in.Address
		}
	}
	return nil
}
