package world

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// deployGas is four transactions' worth of gas: code of the debug build is
	// two to three times as long as the release build's, and must be paid for.
	deployGas = 4 * evm.CallGas
	// questionGas is what views, proxies and diamonds get that are asked what they are: most
	// take a hundredth of it, and a fallback function that burns all its gas does so quickly.
	questionGas = 1 << 20
)

// deployer makes a World one call after the other, and keeps the record of what was done. Each
// strategy has one, the same as the others, and acts through it.
type deployer struct {
	machine        *gethvm.Reference
	machineOptions []evm.Option
	table          *bytecode.Table
	from           common.Address            // deploys everything that no set-up does
	nonce          uint64                    // of from, before the first of calls
	limit          int                       // of instances
	places         map[string]common.Address // see [Options.Places]

	build  *build
	namer  *namer
	writer *stepWriter
	// uninitialized contracts keep an instance without initialization.
	uninitialized []*bytecode.Contract

	calls     evm.Sequence // the successful deployments and initializations
	given     []given      // what was made, and with what, by a search
	instances []evm.Instance
	tried     map[*bytecode.Contract]bool
	proxied   map[common.Address]bool // instances that only serve a proxy
	proxies   map[common.Address]bool // and those proxies
	// spares are instances that are left as they were made, next to one that is initialized.
	spares  map[common.Address]bool
	tests   []common.Address // the test contracts of set-ups
	planned []Failure        // steps of a plan
	untold  bool             // a step has put code at an address
	report  *Report
}

// startDeployer makes a deployer that goes on from a World.
func startDeployer(w *evm.World, table *bytecode.Table, options Options) (*deployer, error) {
	machine, err := gethvm.New(w, table, options.Machine...)
	if err != nil {
		return nil, err
	}
	d := newDeployer(machine, table.Contracts(), options.MaxInstances)
	d.table, d.machineOptions, d.places = table, options.Machine, options.Places
	if options.Plan != nil {
		for _, s := range options.Plan.Senders {
			d.report.Senders = append(d.report.Senders, Party{Name: s.Name, Address: s.Address, Why: "the configuration names it"})
		}
	}
	return d, nil
}

func newDeployer(machine *gethvm.Reference, contracts []*bytecode.Contract, limit int) *deployer {
	d := &deployer{
		machine: machine,
		from:    Deployer.Address,
		limit:   limit,
		build:   newBuild(contracts),
		namer:   &namer{labels: map[common.Address]string{}, names: map[common.Address]string{}},
		tried:   map[*bytecode.Contract]bool{},
		proxied: map[common.Address]bool{},
		proxies: map[common.Address]bool{},
		spares:  map[common.Address]bool{},
		report:  &Report{spare: map[string]map[bytecode.Position]bool{}},
	}
	d.writer = &stepWriter{build: d.build, account: d.writtenAddress}
	for _, s := range machine.World().Senders {
		d.namer.labels[s.Address] = s.Name
	}
	return d
}

// moveTo goes on from another World.
func (d *deployer) moveTo(w *evm.World) error {
	machine, err := gethvm.New(w, d.table, d.machineOptions...)
	if err != nil {
		return err
	}
	d.machine, d.calls = machine, nil
	d.nonce = 0
	if a := w.Accounts[d.from]; a != nil {
		d.nonce = a.Nonce
	}
	for d.places != nil && w.Accounts[crypto.CreateAddress(d.from, d.nonce)] != nil {
		d.nonce++ // the account does not count the nonces that passed
	}
	return nil
}

// passNonces lets nonces pass, so that a contract comes to be where the World of another build has it. It stays where it
// would be if that is at a nonce that has been used.
func (d *deployer) passNonces(c *bytecode.Contract) {
	next := d.nonce + uint64(len(d.calls))
	d.nonce += nonceFor(d.places, c, d.from, next, maxPassed) - next
}

// nonceFor is the nonce, one of so many from the next one on, with which an account deploys a contract where another World has it; the next one
// if there is none.
func nonceFor(places map[string]common.Address, c *bytecode.Contract, from common.Address, next, most uint64) uint64 {
	place, ok := places[c.QualifiedName()]
	for n := next; ok && n < next+most; n++ {
		if crypto.CreateAddress(from, n) == place {
			return n
		}
	}
	return next
}

// maxPassed bounds the nonces that pass at once: what is deployed, and the calls that initialize it, are hardly more. Arbitrary.
const maxPassed = DefaultMaxInstances

// creation is the deployment call. The address is the one that a chain would
// derive from the deployer's nonce, or the one that the constructor demands.
func (d *deployer) creation(code []byte, arguments *arguments) evm.Call {
	call := evm.Call{
		From:    d.from,
		Create:  true,
		Address: crypto.CreateAddress(d.from, d.nonce+uint64(len(d.calls))),
		Data:    slices.Concat(code, arguments.packed),
		Gas:     deployGas,
	}
	if arguments.site != nil {
		call.Address = *arguments.site
	}
	call.Value.Set(arguments.wei)
	return call
}

// keep adds a successful deployment to the World; the result is the instance's
// index.
func (d *deployer) keep(c *bytecode.Contract, tries int, code []byte, found *outcome) int {
	d.report.Deployments = append(d.report.Deployments, Deployment{
		Name:      d.add(c.Name, found.call.Address, c),
		Contract:  c,
		Address:   found.call.Address,
		Arguments: d.namer.describe(found.arguments),
		Notes:     append(originOf(c), siteOf(found.arguments)...),
		Tries:     tries,
		Code:      code,
		Call:      found.call,
		Covered:   coveredBy(found.exec, len(found.exec.Calls)-1),
	})
	d.calls = append(d.calls, found.call)
	return len(d.instances) - 1
}

// originOf says of a contract that the build does not hold where it comes from.
func originOf(c *bytecode.Contract) []string {
	if IsIdle(c) {
		return []string{"stands in for " + c.Name + ", which nothing implements: it does nothing, and refuses what would act"}
	}
	if isStandIn(c) {
		return []string{"stands in for " + c.Name + ", which nothing implements: it answers what the deployer sets"}
	}
	if IsBuiltInMock(c) {
		return []string{"built-in mock"}
	}
	return nil
}

// siteOf says where a contract is that is made for a certain address.
func siteOf(a *arguments) []string {
	if a.site == nil {
		return nil
	}
	return []string{"at " + a.site.Hex() + ", which its constructor accepts"}
}

// coveredBy is what one call of an execution entered; call 0 in a sequence of
// its own.
func coveredBy(exec *evm.Execution, call int) []evm.Coverage {
	var covered []evm.Coverage
	for _, c := range exec.Covered {
		if c.Call == call {
			c.Call = 0
			covered = append(covered, c)
		}
	}
	return covered
}

// perform calls a function of an instance by its signature, and keeps the call if it
// succeeds. A token that answers false counts as a failure.
func (d *deployer) perform(in *evm.Instance, signature string, from evm.Sender, wei *uint256.Int, values ...reflect.Value) (bool, error) {
	m := methodOf(in.Contract, signature)
	if m == nil || wei != nil && !m.IsPayable() {
		return false, nil
	}
	a := &arguments{inputs: m.Inputs, values: values, wei: payments[0]}
	if wei != nil {
		a.wei = wei
	}
	packed := make([]any, len(values))
	for i, v := range values {
		packed[i] = v.Interface()
	}
	var err error
	if a.packed, err = m.Inputs.Pack(packed...); err != nil {
		return false, nil //nolint:nilerr // not the function that it looked like
	}
	call := evm.Call{From: from.Address, To: in.Address, Data: slices.Concat(m.ID, a.packed), Gas: deployGas, Value: *a.wei}
	exec, err := d.machine.Run(append(slices.Clip(d.calls), call))
	if err != nil {
		return false, err
	}
	result := &exec.Calls[len(exec.Calls)-1]
	refuses := len(m.Outputs) == 1 && m.Outputs[0].Type.T == abi.BoolTy // a zero of another type is a number, the first that is given
	if result.Outcome != evm.Success || refuses && len(result.Output) == 32 && new(uint256.Int).SetBytes(result.Output).IsZero() {
		return false, nil
	}
	d.calls = append(d.calls, call)
	d.report.Calls = append(d.report.Calls, d.namer.callText(in.Name+"."+functionName(in.Contract, m), a, from.Address))
	d.writer.writeCall(in.Name, in.Contract, m, a, senderName(from))
	return true, nil
}

// given is something that was deployed, and the arguments that it was deployed with.
type given struct {
	address   common.Address
	arguments *arguments
}

// mark is how much was done and written down at some moment.
type mark struct{ calls, steps, texts int }

func (d *deployer) mark() mark { return mark{len(d.calls), len(d.writer.steps), len(d.report.Calls)} }

// undo takes back what came after a mark.
func (d *deployer) undo(m mark) {
	d.calls, d.writer.steps, d.report.Calls = d.calls[:m.calls], d.writer.steps[:m.steps], d.report.Calls[:m.texts]
}

// add adds an instance and returns its name.
func (d *deployer) add(name string, address common.Address, c *bytecode.Contract) string {
	name = d.instanceName(name)
	d.instances = append(d.instances, evm.Instance{Name: name, Address: address, Contract: c})
	d.namer.labels[address] = name
	return name
}

// addition adds an instance that no constructor search of its own made, and returns
// its name.
func (d *deployer) addition(name string, address common.Address, c *bytecode.Contract, origin, initialization string) string {
	name = d.add(name, address, c)
	d.report.Additions = append(d.report.Additions, Addition{Name: name, Contract: c, Address: address, Origin: origin, Initialization: initialization})
	return name
}

// instanceName makes a contract's name unique: "Vault", "Vault#2".
func (d *deployer) instanceName(name string) string {
	unique := name
	for n := 2; slices.ContainsFunc(d.instances, func(i evm.Instance) bool { return i.Name == unique }); n++ {
		unique = fmt.Sprintf("%s#%d", name, n)
	}
	return unique
}

func (d *deployer) hasInstance(c *bytecode.Contract) bool {
	return slices.ContainsFunc(d.instances, func(in evm.Instance) bool { return in.Contract == c })
}

// addressOf is the address of an instance or a sender by its name.
func (d *deployer) addressOf(name string) (common.Address, bool) {
	for _, in := range d.instances {
		if in.Name == name {
			return in.Address, true
		}
	}
	for _, s := range d.machine.World().Senders {
		if s.Name == name {
			return s.Address, true
		}
	}
	return common.Address{}, false
}

// knownNames lists what an address may be called.
func (d *deployer) knownNames() []string {
	var names []string
	for _, s := range d.machine.World().Senders {
		names = append(names, s.Name)
	}
	return append(names, d.instanceNames()...)
}

func (d *deployer) instanceNames() []string {
	var names []string
	for _, in := range d.instances {
		names = append(names, in.Name)
	}
	return names
}

// writtenAddress names an account that a plan knows at this step by its name.
func (d *deployer) writtenAddress(a common.Address) string {
	for _, name := range d.knownNames() {
		if known, ok := d.addressOf(name); ok && known == a {
			return name
		}
	}
	return a.Hex()
}

// word is the word that a view function answers; nil when it does not.
func (d *deployer) word(in *evm.Instance, signature string, packed []byte) (*uint256.Int, error) {
	call := evm.Call{From: User2.Address, To: in.Address, Data: slices.Concat(selector(signature), packed), Gas: questionGas}
	exec, err := d.machine.Run(append(slices.Clip(d.calls), call))
	if err != nil {
		return nil, err
	}
	result := &exec.Calls[len(exec.Calls)-1]
	if result.Outcome != evm.Success || len(result.Output) != 32 {
		return nil, nil
	}
	return new(uint256.Int).SetBytes(result.Output), nil
}

// children lists what the calls so far created, in order, at most as many as
// there may be instances.
func (d *deployer) children() ([]child, error) {
	exec, err := d.machine.Run(d.calls)
	if err != nil {
		return nil, err
	}
	var children []child
	for i := range exec.Frames {
		f := &exec.Frames[i]
		created := f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2
		if created && f.Outcome == evm.Success && exec.Calls[f.Call].Outcome == evm.Success && len(children) < d.limit {
			children = append(children, child{f.Self, f.Caller, bytes.Clone(f.Output)})
		}
	}
	return children, nil
}

// child is a contract that another one created.
type child struct {
	address, creator common.Address
	code             []byte
}
