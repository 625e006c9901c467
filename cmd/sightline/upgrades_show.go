package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/layout"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// This file shows clashes of storage layouts where that is possible: the base version is
// set up as the head was, the implementation behind its proxy gets the head's code (or
// the contract itself, where the World has it without a proxy), and what functions named as
// the variables answer is compared.

// maxAnswers bounds the calls that show one clash. Arbitrary: what is read.
const maxAnswers = 4

// showClashes adds to the report's clashes what shows them on go-ethereum. One that cannot be
// shown (no getter, no instance in the World, no World of the base version) stays what was
// read off the compilations.
func (a *assembler) showClashes(ctx context.Context, clashes []clash, show *progress.Log) {
	if len(clashes) == 0 {
		return
	}
	old, err := a.baseOnce(ctx, show)
	if err != nil {
		return
	}
	for i := range clashes {
		c := &a.report.Clashes[i]
		shown, err := a.showClash(old, c.Contracts[0], clashes[i].changes)
		if err != nil || shown == nil {
			continue
		}
		path, err := a.left.AddUpgrade(c.ID, shown.file)
		if err != nil {
			continue
		}
		c.Shown, c.Reproducer = shown.answers, path
	}
}

// shownClash is a clash as it happens.
type shownClash struct {
	file    *replay.Upgrade
	answers []report.ClashShown
}

// showClash upgrades a contract in the base's World, in one instance after the other: some
// may not be initialized. nil: no call tells a difference.
func (a *assembler) showClash(old *baseline, contract string, changes []layout.Change) (*shownClash, error) {
	after := a.instancesOf(contract)
	if len(after) == 0 {
		return nil, nil
	}
	for _, before := range old.instancesOf(contract) {
		if shown, err := a.showIn(old, &before, &after[0], changes); shown != nil || err != nil {
			return shown, err
		}
	}
	return nil, nil
}

// showIn upgrades one instance to the code that another one has in the head's World.
func (a *assembler) showIn(old *baseline, before, after *deployed, changes []layout.Change) (*shownClash, error) {
	getters := gettersOf(changes, before.Contract, after.Contract)
	if len(getters) == 0 {
		return nil, nil
	}
	from := world.User2.Address // deployers may be admins, to whom transparent proxies answer themselves
	replaced, err := implementationAt(old.machine, before, getters[0].data(from, before.Address))
	if err != nil || replaced == nil {
		return nil, err
	}
	running, err := implementationAt(a.machine, after, getters[0].data(from, after.Address))
	if err != nil || running == nil {
		return nil, err
	}
	file := &replay.Upgrade{World: old.world, Address: *replaced, Code: a.world.Accounts[*running].Code}
	for _, g := range getters {
		call := g.data(from, before.Address)
		file.Calls = append(file.Calls, replay.UpgradeCall{Name: before.Name + "." + g.after.Sig, From: from, To: call.To, Data: call.Data})
	}
	answers, err := file.Run()
	if err != nil {
		return nil, err
	}
	shown := &shownClash{file: file}
	var kept []replay.UpgradeCall
	for i, call := range file.Calls {
		call.Before, call.After = answers[i][0], answers[i][1]
		if call.Before.Fails || call.Before.Equal(call.After) || len(kept) == maxAnswers {
			continue
		}
		kept = append(kept, call)
		shown.answers = append(shown.answers, report.ClashShown{Call: call.Name, Before: describeAnswer(&getters[i].before, call.Before), After: describeAnswer(&getters[i].after, call.After)})
	}
	if file.Calls = kept; len(kept) == 0 {
		return nil, nil
	}
	return shown, nil
}

// deployed is an instance of the World, with whether its code is a proxy's.
type deployed struct {
	*evm.Instance
	proxy bool
}

// instancesOf lists the World's instances of a contract that run behind proxies, then
// those that run by themselves: their storage is as a proxy's would be.
func (c *campaign) instancesOf(contract string) []deployed {
	var behind, direct []deployed
	for i := range c.world.Instances {
		in := &c.world.Instances[i]
		account := c.world.Accounts[in.Address]
		if account == nil || in.Contract == nil || in.Contract.Runtime == nil || in.Contract.QualifiedName() != contract {
			continue
		}
		switch front := proxyAt(in.Contract, account.Code, c.table); {
		case front != "" && front != minimalProxy:
			behind = append(behind, deployed{in, true})
		case front == "":
			direct = append(direct, deployed{in, false})
		}
	}
	return append(behind, direct...)
}

// getter is a function that is called as a variable is, in both versions.
type getter struct{ before, after abi.Method }

func (g *getter) data(from, to common.Address) evm.Call {
	return evm.Call{From: from, To: to, Data: g.after.ID}
}

// gettersOf lists the functions without parameters that have the names of the variables
// that changed, or without an underscore in front.
func gettersOf(changes []layout.Change, before, after *bytecode.Contract) []getter {
	var getters []getter
	for i := range changes {
		name := changes[i].Before.Name
		for len(name) > 0 && name[0] == '_' {
			name = name[1:]
		}
		for _, m := range []string{changes[i].Before.Name, name} {
			b, inBase := before.ABI.Methods[m]
			h, inHead := after.ABI.Methods[m]
			known := slices.ContainsFunc(getters, func(g getter) bool { return g.after.Sig == h.Sig })
			if inBase && inHead && !known && len(b.Inputs)+len(h.Inputs) == 0 && b.IsConstant() && h.IsConstant() {
				getters = append(getters, getter{b, h})
			}
		}
	}
	return getters
}

// implementationAt is where the code is that runs when an instance is called; nil where
// a proxy hands the call to none.
func implementationAt(machine evm.Machine, in *deployed, call evm.Call) (*common.Address, error) {
	if !in.proxy {
		return &in.Address, nil
	}
	exec, err := machine.Run(evm.Sequence{call})
	if err != nil {
		return nil, err
	}
	for i := range exec.Frames {
		if f := &exec.Frames[i]; f.Kind == evm.KindDelegateCall && f.Self == in.Address && f.Depth == 1 {
			address := f.CodeAddress
			return &address, nil
		}
	}
	return nil, nil
}

// describeAnswer is an answer for people.
func describeAnswer(m *abi.Method, a replay.UpgradeAnswer) string {
	if a.Fails {
		return "fails"
	}
	if texts, ok := evm.FormatArguments(m.Outputs, a.Output); ok && len(texts) == 1 {
		return texts[0]
	} else if ok {
		return fmt.Sprint(texts)
	}
	return fmt.Sprintf("%#x", a.Output)
}
