package world

import (
	"context"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// funder gives senders tokens, and the deployer its roles: what a project's own tests would do
// once everything is deployed.
type funder struct {
	*deployer
	deps   *dependencies
	wiring *wiring
}

// Bounds on funding, arbitrary: a protocol of three tokens and two contracts that take
// each of them makes 36 calls.
const (
	maxFunded   = 8  // tokens that senders are funded with
	maxSpenders = 4  // contracts that take one of them
	maxGranted  = 32 // roles
)

// funding is what each sender gets of a token: so little that four of them stay below a
// cap or within a supply of a million, the value that searches propose for these.
func funding() *uint256.Int { return uint256.MustFromBig(units(10_000)) }

// fund gives every sender some of each token among the instances from first on, and
// approves its spenders: the instances that were given the token as an argument, or those
// under test where a token that is not under test was given to none. It leaves
// alone tokens without a spender, and those that were themselves given a token, such as the
// shares of a vault: who holds them first is for the campaign to find out. Calls that fail
// are dropped.
func (f *funder) fund(ctx context.Context, first int) error {
	funded := 0
	for _, in := range slices.Clone(f.instances[first:]) {
		p, spenders := payment(in.Contract), f.spendersOf(in.Address)
		if len(spenders) == 0 {
			spenders = f.likelySpenders(&in)
		}
		if p == nil || len(spenders) == 0 || funded == maxFunded || f.deps.unmintable[in.Address] || hasProperties(in.Contract) || f.takesPayment(in.Address) {
			continue
		}
		funded++
		for n, sender := range Senders() {
			if err := ctx.Err(); err != nil {
				return err
			}
			has, err := f.give(&in, p, sender, n)
			if err != nil {
				return err
			}
			if !has {
				continue
			}
			for _, spender := range spenders {
				if _, err := f.perform(&in, p.approve, sender, nil, reflect.ValueOf(spender), p.approved); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// spendersOf lists the instances that were given an address as an argument, each once and
// without the one at that address.
func (f *funder) spendersOf(address common.Address) []common.Address {
	var spenders []common.Address
	for _, h := range f.wiring.handed {
		if h.token == address && len(spenders) < maxSpenders && !slices.Contains(spenders, h.account) {
			spenders = append(spenders, h.account)
		}
	}
	for _, g := range f.given {
		if g.address != address && len(spenders) < maxSpenders && !slices.Contains(spenders, g.address) && slices.Contains(g.arguments.addresses(), address) {
			spenders = append(spenders, g.address)
		}
	}
	return spenders
}

// likelySpenders lists the instances under test that a token may be used with which no
// constructor was given: a function of theirs may name it. Of a token that is under test itself, and of a built-in one, it
// has to ask for a contract of that kind.
func (f *funder) likelySpenders(token *evm.Instance) []common.Address {
	var spenders []common.Address
	other := role(token.Contract) != UnderTest && !IsBuiltInMock(token.Contract)
	for _, in := range f.instances {
		if in.Contract == nil || IsBuiltInMock(in.Contract) || role(in.Contract) != UnderTest || payment(in.Contract) != nil || len(spenders) == maxSpenders {
			continue
		}
		if other || f.isToldOf(in.Contract, token.Contract) {
			spenders = append(spenders, in.Address)
		}
	}
	return spenders
}

// isToldOf reports whether a function of a contract that changes something takes a contract such as a token.
func (f *funder) isToldOf(c, token *bytecode.Contract) bool {
	return slices.ContainsFunc(sortedMethods(c), func(m abi.Method) bool {
		return !m.IsConstant() && slices.ContainsFunc(methodParameters(c, &m), func(p parameter) bool {
			kind := p.asksFor()
			if kind == "" || p.typ.T != abi.AddressTy {
				return false
			}
			need := f.deps.needOf(kind)
			return need.meets(token)
		})
	})
}

// takesPayment reports whether an instance was given one that is paid with.
func (f *funder) takesPayment(address common.Address) bool {
	for _, g := range f.given {
		if g.address != address {
			continue
		}
		among := g.arguments.addresses()
		if slices.ContainsFunc(f.instances, func(in evm.Instance) bool {
			return in.Address != address && payment(in.Contract) != nil && slices.Contains(among, in.Address)
		}) {
			return true
		}
	}
	return false
}

// way is a call by which an account may obtain a token.
type way struct {
	signature string
	from      evm.Sender
	wei       *uint256.Int // nil: none
	values    []reflect.Value
}

// ways lists the calls that may give a token to the nth sender, the likeliest first.
func (f *funder) ways(in *evm.Instance, p *paid, to evm.Sender, n int) ([]way, error) {
	whom, amount := reflect.ValueOf(to.Address), funding()
	much, one := reflect.ValueOf(amount.ToBig()), reflect.ValueOf(big.NewInt(1))
	if !isToken(in.Contract) {
		id := uint256.NewInt(uint64(n + 1)).ToBig() // of an ERC-721: one for each
		list := []way{
			{"mint(address,uint256)", Deployer, nil, []reflect.Value{whom, reflect.ValueOf(id)}},
			{"safeMint(address,uint256)", Deployer, nil, []reflect.Value{whom, reflect.ValueOf(id)}},
			{"mint(address,uint256,uint256)", Deployer, nil, []reflect.Value{whom, one, much}},
			{"mint(address,uint256,uint256,bytes)", Deployer, nil, []reflect.Value{whom, one, much, reflect.ValueOf([]byte{})}},
		}
		if isNFT(in.Contract) {
			list = append(list, faucets(in.Contract, to, id, uint256.MustFromBig(units(1)))...)
		}
		return list, nil
	}
	list := []way{
		{"mint(address,uint256)", Deployer, nil, []reflect.Value{whom, much}},
		{"deposit()", to, amount, nil},
	}
	list = append(list, faucets(in.Contract, to, amount.ToBig(), amount)...)
	supply, err := f.balance(in, p, Deployer)
	if err != nil || supply == nil || supply.IsZero() || to.Address == Deployer.Address {
		return list, err
	}
	share := new(uint256.Int).Rsh(supply, 3) // an eighth: three of them leave the deployer most
	if share.Gt(amount) {
		share = amount
	}
	return append(list, way{"transfer(address,uint256)", Deployer, nil, []reflect.Value{whom, reflect.ValueOf(share.ToBig())}}), nil
}

// faucets lists the calls by which an account may obtain an amount of a token, or one of a number, from one that has a function
// for it of its own: mint(uint256), drip(), faucet(address), and safeMint(address), which numbers what it makes itself … Those that are paid get a price.
func faucets(c *bytecode.Contract, to evm.Sender, amount *big.Int, price *uint256.Int) []way {
	whom, much := reflect.ValueOf(to.Address), reflect.ValueOf(amount)
	forms := map[string][]reflect.Value{
		"": nil, "uint256": {much}, "address": {whom}, "address,uint256": {whom, much}, "uint256,address": {much, whom},
	}
	var list []way
	for _, m := range sortedMethods(c) {
		name, form, _ := strings.Cut(strings.TrimSuffix(m.Sig, ")"), "(")
		values, known := forms[form]
		first := slices.DeleteFunc(words(name), func(w string) bool { return w == "safe" })
		if !known || m.IsConstant() || len(first) == 0 || first[0] == "initialize" || !slices.Contains(makingWords, first[0]) {
			continue
		}
		var wei *uint256.Int
		if m.IsPayable() {
			wei = price
		}
		list = append(list, way{m.Sig, to, wei, values})
		if strings.Contains(form, "address") { // only its owner may call it
			list = append(list, way{m.Sig, Deployer, wei, values})
		}
	}
	return list
}

// balance is how much of a token a sender has; nil when that is not known.
func (f *funder) balance(in *evm.Instance, p *paid, of evm.Sender) (*uint256.Int, error) {
	m := methodOf(in.Contract, p.balance)
	if m == nil {
		return nil, nil
	}
	arguments := []any{of.Address}
	for _, v := range p.id {
		arguments = append(arguments, v.Interface())
	}
	packed, err := m.Inputs.Pack(arguments...)
	if err != nil {
		return nil, nil //nolint:nilerr // not the function that it looked like
	}
	return f.word(in, m.Sig, packed)
}

// give lets the nth sender have some of a token, if it has none and there is a way, and
// reports whether it has some.
func (f *funder) give(in *evm.Instance, p *paid, to evm.Sender, n int) (bool, error) {
	has, err := f.holds(in, p, to)
	if has || err != nil {
		return has, err
	}
	ways, err := f.ways(in, p, to, n)
	if err != nil {
		return false, err
	}
	for _, w := range ways {
		before := f.mark()
		done, err := f.perform(in, w.signature, w.from, w.wei, w.values...)
		if err != nil {
			return false, err
		}
		if !done {
			continue
		}
		if has, err = f.holds(in, p, to); has || err != nil {
			return has, err
		}
		f.undo(before)
	}
	return false, nil
}

// holds reports whether a sender has some of a token.
func (f *funder) holds(in *evm.Instance, p *paid, who evm.Sender) (bool, error) {
	has, err := f.balance(in, p, who)
	return has != nil && !has.IsZero(), err
}

// grantRoles gives the deployer all roles that it may grant, of the instances from first
// on (OpenZeppelin's AccessControl, and contracts with the same functions). Other senders
// get none: a sequence in which a user does what requires a role would read as if any user
// could.
func (f *funder) grantRoles(ctx context.Context, first int) error {
	granted := 0
	for _, in := range slices.Clone(f.instances[first:]) {
		if methodOf(in.Contract, hasRole) == nil {
			continue
		}
		for _, m := range roleGetters(in.Contract) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if granted == maxGranted {
				return nil
			}
			done, err := f.grant(&in, m.Sig)
			if err != nil {
				return err
			}
			if done {
				granted++
			}
		}
	}
	return nil
}

// roleGetters lists the functions that name the roles of a contract that grants some.
func roleGetters(c *bytecode.Contract) []abi.Method {
	if methodOf(c, grantRole) == nil {
		return nil
	}
	return slices.DeleteFunc(sortedMethods(c), func(m abi.Method) bool {
		return !strings.HasSuffix(m.RawName, "_ROLE") || len(m.Inputs) > 0 || !m.IsConstant()
	})
}

// The functions that grant a role, and ask for it.
const (
	grantRole = "grantRole(bytes32,address)"
	hasRole   = "hasRole(bytes32,address)"
)

// grant lets the deployer have the role that a view function names, if it lacks it.
func (f *funder) grant(in *evm.Instance, name string) (bool, error) {
	answer, err := f.word(in, name, nil)
	if err != nil || answer == nil {
		return false, err
	}
	whom := common.LeftPadBytes(Deployer.Address[:], 32)
	id := answer.Bytes32()
	has, err := f.word(in, hasRole, slices.Concat(id[:], whom))
	if err != nil || has == nil || !has.IsZero() {
		return false, err
	}
	return f.perform(in, grantRole, Deployer, nil, reflect.ValueOf(id), reflect.ValueOf(Deployer.Address))
}
