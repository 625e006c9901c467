package upgrade

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/diffmap/layout"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// maxAnswers bounds the calls that show one clash. Arbitrary: as many as readers look at.
const maxAnswers = 4

// Show demonstrates the report's clashes on go-ethereum: in the base's World, the
// implementation of a proxy gets the head's code (or the contract itself does, where the
// World has it without a proxy), and the answers of functions named like the variables are
// compared. A clash without a getter, or without an instance in the World, stays as it was
// detected from compiler output. The calls that show one are added to files.
func Show(clashes []Clash, r *report.Report, head, base *deploy.Deployment, files *replay.Files) error {
	s, err := newShower(head, base)
	if err != nil {
		return err
	}
	for i := range clashes {
		c := &r.Clashes[i]
		shown, err := s.show(c.Contracts[0], clashes[i].changes)
		if err != nil || shown == nil {
			continue
		}
		path, err := files.AddUpgrade(c.ID, shown.file)
		if err != nil {
			continue
		}
		c.Shown, c.Reproducer = shown.answers, path
	}
	return nil
}

// shower has both Worlds with a machine on each.
type shower struct {
	head, base           *deploy.Deployment
	headJudge, baseJudge evm.Machine
}

func newShower(head, base *deploy.Deployment) (*shower, error) {
	s := &shower{head: head, base: base}
	var err error
	if s.headJudge, err = head.NewJudge(); err != nil {
		return nil, err
	}
	s.baseJudge, err = base.NewJudge()
	return s, err
}

// shownClash is a clash with the calls that show it.
type shownClash struct {
	file    *replay.Upgrade
	answers []report.ClashShown
}

// show upgrades a contract in the base's World, in one instance after the other: some
// may not be initialized. nil: no call tells a difference.
func (s *shower) show(contract string, changes []layout.Change) (*shownClash, error) {
	after := instancesOf(s.head, contract)
	if len(after) == 0 {
		return nil, nil
	}
	for _, before := range instancesOf(s.base, contract) {
		if shown, err := s.showIn(&before, &after[0], changes); shown != nil || err != nil {
			return shown, err
		}
	}
	return nil, nil
}

// showIn upgrades one instance to the code that another one has in the head's World.
func (s *shower) showIn(before, after *deployed, changes []layout.Change) (*shownClash, error) {
	getters := gettersOf(changes, before.Contract, after.Contract)
	if len(getters) == 0 {
		return nil, nil
	}
	from := world.User2.Address // deployers may be admins, to whom transparent proxies answer themselves
	replaced, err := implementationAt(s.baseJudge, before, getters[0].data(from, before.Address))
	if err != nil || replaced == nil {
		return nil, err
	}
	running, err := implementationAt(s.headJudge, after, getters[0].data(from, after.Address))
	if err != nil || running == nil {
		return nil, err
	}
	file := &replay.Upgrade{World: s.base.World, Address: *replaced, Code: s.head.World.Accounts[*running].Code}
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

// deployed is an instance of the World.
type deployed struct {
	*evm.Instance
	proxy bool // its code is a proxy's
}

// instancesOf lists the World's instances of a contract that run behind proxies, then
// those that run by themselves: their storage is as a proxy's would be.
func instancesOf(d *deploy.Deployment, contract string) []deployed {
	var behind, direct []deployed
	for i := range d.World.Instances {
		in := &d.World.Instances[i]
		account := d.World.Accounts[in.Address]
		if account == nil || in.Contract == nil || in.Contract.Runtime == nil || in.Contract.QualifiedName() != contract {
			continue
		}
		switch front := proxyAt(in.Contract, account.Code, d.Table); {
		case front != "" && front != minimalProxy:
			behind = append(behind, deployed{in, true})
		case front == "":
			direct = append(direct, deployed{in, false})
		}
	}
	return append(behind, direct...)
}

// getter is a function that has the name of a variable, in both versions.
type getter struct{ before, after abi.Method }

func (g *getter) data(from, to common.Address) evm.Call {
	return evm.Call{From: from, To: to, Data: g.after.ID}
}

// gettersOf lists the functions without parameters that have the names of the variables
// that changed, with or without leading underscores.
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

// implementationAt is the address of the code that runs when an instance is called; nil
// where a proxy delegates to none.
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

// describeAnswer formats an answer for people.
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
