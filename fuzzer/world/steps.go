package world

import (
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Plan is a World as the user describes it: what is deployed, what is called and by whom,
// in order. Contracts with targets that the plan does not deploy are added automatically.
type Plan struct {
	Steps []Step
	// Block replaces the environment of the first call; nil: [evm.DefaultBlock], or the
	// test's.
	Block *evm.Block
	// Accounts are there to begin with, in addition to the senders.
	Accounts map[common.Address]*evm.Account
	// Origin is the chain that the World goes on from; nil: none.
	Origin evm.Origin
	// ExtraSteps run after whatever else makes the World: they deploy contracts that it
	// lacks, and call what they deployed. A step that does not fit the build is a note.
	ExtraSteps []Step
	// After are steps that run once everything else is deployed and equipped, whatever made
	// it. Lenient makes those that do not fit the build notes: the base may lack what they call.
	After   []Step
	Lenient bool
	// Recorded is a deploy script, which comes before Steps; nil: none.
	Recorded *Recording
	// Senders are added to those of every World, and funded like them. They have no private
	// keys.
	Senders []evm.Sender
}

// Step deploys a contract, names one that is there, or calls one.
type Step struct {
	Contract string // to deploy, "Vault" or "src/Vault.sol:Vault"; empty: a call
	Name     string // of the instance; empty: the contract's
	// As is the contract whose functions the instance has; empty: Contract's. A proxy
	// has those of its implementation.
	As string
	// Address is where the contract is already, for a World that does not begin empty;
	// empty: it is deployed.
	Address string
	// Replace puts the code of the build there, as its constructor returns it, and
	// leaves the storage as it is: what an upgrade in place would be. What runs at
	// Address otherwise is what is there, which hardly ever is the build's.
	Replace bool
	// Message is the constructor's or the called function's; its Function is empty for a
	// constructor.
	Message PlannedMessage
	From    string // sender or instance by name, or an address; empty: the deployer
	Value   Value  // wei; an empty Text is none
	Place   string // where it is written, for people: "line 12"
}

// PlannedMessage is a function with its arguments.
type PlannedMessage struct {
	// Function is "Vault.deposit", or "Vault.deposit(uint256,address)" where there are
	// several of the name. In a [Step] Vault is an instance, within a [Value] a contract.
	Function  string
	Arguments []Value
	// Named are arguments by the names of the parameters, in place of Arguments, where a
	// step is among [Plan.ExtraSteps].
	Named []NamedValue
	Place string
}

// ForScript puts what deploy scripts count on: ether for an account, and the
// deterministic deployment proxy, through which forge and hardhat-deploy deploy with a salt.
// What the plan has already stays.
func (p *Plan) ForScript(a common.Address) {
	accounts := map[common.Address]*evm.Account{a: {Balance: *funds}, Create2Deployer: {Nonce: 1, Code: create2DeployerCode}}
	maps.Copy(accounts, p.Accounts)
	p.Accounts = accounts
}

// on gives a World the environment and the senders of the plan; a nil plan has none.
func (p *Plan) on(w *evm.World) *evm.World {
	if p == nil {
		return w
	}
	if p.Block != nil {
		w.Block = *p.Block
	}
	w.Origin = p.Origin
	for address, a := range p.Accounts {
		if w.Accounts[address] == nil {
			w.Accounts[address] = a
		}
	}
	for _, s := range p.Senders {
		w.Senders = append(w.Senders, s)
		w.Accounts[s.Address] = &evm.Account{Balance: *funds}
	}
	p.fundSteps(w)
	return w
}

// fundSteps adds to what a sender owns what a step of its sends beyond that: the balances that
// other fuzzers' configurations give to contracts, such as 2^120 wei.
func (p *Plan) fundSteps(w *evm.World) {
	for _, s := range slices.Concat(p.Steps, p.ExtraSteps, p.After) {
		n, err := wholeNumber(&s.Value)
		if s.Value.Text == "" || err != nil {
			continue // the step itself says what is wrong
		}
		wei, overflow := uint256.FromBig(n)
		if overflow || wei.Lt(funds) {
			continue
		}
		from := Deployer.Address
		if i := slices.IndexFunc(w.Senders, func(sender evm.Sender) bool { return s.From != "" && sender.Name == s.From }); i >= 0 {
			from = w.Senders[i].Address
		} else if s.From != "" {
			continue
		}
		if a := w.Accounts[from]; a != nil {
			richer := *a
			if _, overflow := richer.Balance.AddOverflow(&a.Balance, wei); !overflow {
				w.Accounts[from] = &richer
			}
		}
	}
}

// Begin is the World that the plan starts from, with nothing deployed.
func (p *Plan) Begin(fork string) *evm.World { return p.on(Empty(fork)) }

// makesWorld reports whether the plan says what is deployed.
func (p *Plan) makesWorld() bool { return p != nil && (len(p.Steps) > 0 || p.Recorded != nil) }

// instanceName is the name of what the step deploys.
func (s *Step) instanceName() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Contract[strings.LastIndexByte(s.Contract, ':')+1:]
}

// lacks is the first name that the step needs and that an earlier one failed to make.
func (s *Step) lacks(missing map[string]string) (name, why string) {
	var names []string
	if instance, _, ok := strings.Cut(s.Message.Function, "."); ok {
		names = append(names, instance)
	}
	names = append(names, s.From)
	for _, v := range s.Message.Arguments {
		names = v.texts(names)
	}
	for _, n := range names {
		if why, ok := missing[n]; ok && n != "" {
			return n, why
		}
	}
	return "", ""
}

// texts appends all texts in a value.
func (v *Value) texts(to []string) []string {
	to = append(to, v.Text)
	for i := range v.List {
		to = v.List[i].texts(to)
	}
	for i := range v.Fields {
		to = v.Fields[i].Value.texts(to)
	}
	if v.Call != nil {
		for i := range v.Call.Arguments {
			to = v.Call.Arguments[i].texts(to)
		}
	}
	return to
}
