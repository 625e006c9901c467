package world

import (
	"context"
	"encoding/binary"
	"math/big"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// entruster gives contracts the rights over others that they need, as deployment scripts do: a token lets an engine mint, a treasury lets a vault pay.
//
//	grantRole(MINTER_ROLE, vault)
//	addMinter(vault), setKeeper(vault, true)
//
// A call counts if a function that the contract's code names, and that refuses the contract, no longer does so, or refuses it later. Ownership is left where it is: the
// owner would lose it.
type entruster struct {
	*deployer
	wiring    *wiring
	attempts  int
	selectors map[*bytecode.Contract]map[uint32]bool // by contract, see selectorsIn
}

// Bounds of what is tried. Arbitrary: a protocol with a dozen contracts of which each calls two others needs some fifty tries.
const (
	maxEntrustTries = 512
	maxRefusals     = 8 // functions of one contract that refuse another one
	maxRights       = 8 // calls that may give rights, of one contract
)

// right is a call by which the deployer may give an account a right.
type right struct {
	signature string
	arguments func(whom common.Address) []reflect.Value
}

// refusal is what a call that fails leaves.
type refusal struct {
	output string
	lastPC uint32
}

// entrust gives contracts under test, of the instances from first on, rights over the instances that they know.
func (e *entruster) entrust(ctx context.Context, first int) error {
	for _, of := range slices.Clone(e.instances[first:]) {
		if of.Contract == nil || of.Contract.Generated || IsBuiltInMock(of.Contract) || IsHarness(of.Contract) || e.spares[of.Address] {
			continue
		}
		rights, err := e.rightsOf(&of)
		if err != nil {
			return err
		}
		if len(rights) == 0 {
			continue
		}
		for _, to := range slices.Clone(e.instances[first:]) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if to.Address == of.Address || to.Contract == nil || role(to.Contract) != UnderTest || IsHarness(to.Contract) || e.spares[to.Address] {
				continue
			}
			if rights, err = e.entrustTo(&to, &of, rights); err != nil {
				return err
			}
		}
	}
	return nil
}

// entrustTo gives one contract what rights over another one it needs, if it knows that one. The result are the rights that are left for others.
func (e *entruster) entrustTo(to, of *evm.Instance, rights []right) ([]right, error) {
	methods := e.calledMethods(to.Contract, of.Contract)
	if len(methods) == 0 {
		return rights, nil
	}
	if knows, err := e.knows(to, of.Address); err != nil || !knows {
		return rights, err
	}
	refused, err := e.refusals(to, of, methods)
	if err != nil {
		return rights, err
	}
	for i := 0; i < len(rights) && len(refused) > 0 && e.attempts < maxEntrustTries; i++ {
		e.attempts++
		mark := e.mark()
		given, err := e.perform(of, rights[i].signature, Deployer, nil, rights[i].arguments(to.Address)...)
		if err != nil {
			return rights, err
		}
		if !given {
			continue
		}
		now, err := e.refusals(to, of, methods)
		if err != nil {
			return rights, err
		}
		if !fewer(refused, now) {
			e.undo(mark)
			continue
		}
		refused = now
		if replaces(rights[i].signature) { // the next one would take it from this one
			rights = slices.Delete(slices.Clone(rights), i, i+1)
			i--
		}
	}
	return rights, nil
}

// refusals are how functions of a contract fail for another one that calls them with zeros, by their signatures; without those that do not.
func (e *entruster) refusals(by, of *evm.Instance, methods []abi.Method) (map[string]refusal, error) {
	const wordSize = 32
	refused := map[string]refusal{}
	for i := range methods {
		m := &methods[i]
		call := evm.Call{From: by.Address, To: of.Address, Data: slices.Concat(m.ID, make([]byte, wordSize*(len(m.Inputs)+1))), Gas: questionGas}
		exec, err := e.machine.Run(append(slices.Clip(e.calls), call))
		if err != nil {
			return nil, err
		}
		if result := &exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
			refused[m.Sig] = refusal{string(result.Output), exec.Frames[result.Frames[0]].LastPC}
		}
	}
	return refused, nil
}

// fewer reports whether a function that failed before no longer does so, or fails for another reason.
func fewer(before, now map[string]refusal) bool {
	for method, was := range before {
		if is, fails := now[method]; !fails || is != was {
			return true
		}
	}
	return false
}

// calledMethods lists the functions of a contract that change something and that the code of another one names, without those of tokens that everyone may call.
func (e *entruster) calledMethods(by, of *bytecode.Contract) (list []abi.Method) {
	names := e.selectorsIn(by)
	for _, m := range sortedMethods(of) {
		if !m.IsConstant() && len(list) < maxRefusals && names[shortest(binary.BigEndian.Uint32(m.ID))] && !slices.Contains(openFunctions, m.Sig) {
			list = append(list, m)
		}
	}
	return list
}

// selectorsIn are the constants in a contract's code that may be selectors, as shortest has them.
func (e *entruster) selectorsIn(c *bytecode.Contract) map[uint32]bool {
	if e.selectors[c] == nil {
		found := map[uint32]bool{}
		if c.Runtime != nil {
			code := bytecode.Program{Bytes: c.Runtime.Bytes}
			for _, constant := range code.PushConstants() {
				if len(constant) <= 4 {
					found[shortest(uint32(new(big.Int).SetBytes(constant).Uint64()))] = true
				}
			}
		}
		e.selectors[c] = found
	}
	return e.selectors[c]
}

// shortest is a selector without the zero bits at its end, which optimizers shift in.
func shortest(selector uint32) uint32 {
	if selector == 0 {
		return 0
	}
	return selector >> bits.TrailingZeros32(selector)
}

// openFunctions of tokens are for everyone who has or may spend some.
var openFunctions = []string{"transfer(address,uint256)", "transferFrom(address,address,uint256)", "approve(address,uint256)"}

// knows reports whether a contract was given an address when it was made, set up or wired, or answers with it.
func (e *entruster) knows(in *evm.Instance, address common.Address) (bool, error) {
	if slices.Contains(e.wiring.handed, handed{in.Address, address}) ||
		slices.ContainsFunc(e.given, func(g given) bool {
			return g.address == in.Address && slices.Contains(g.arguments.addresses(), address)
		}) {
		return true, nil
	}
	answers, err := e.wiring.addressesOf(in)
	return slices.Contains(answers, address), err
}

// rightsOf lists the calls by which an instance may give a contract a right, roles first, and those last that only one account has.
func (e *entruster) rightsOf(of *evm.Instance) ([]right, error) {
	var list, single []right
	for _, m := range roleGetters(of.Contract) {
		if strings.Contains(m.RawName, "ADMIN") {
			continue
		}
		answer, err := e.word(of, m.Sig, nil)
		if err != nil {
			return nil, err
		}
		if answer != nil {
			id := answer.Bytes32()
			list = append(list, right{grantRole, func(whom common.Address) []reflect.Value { return valuesOf(id, whom) }})
		}
	}
	for _, m := range sortedMethods(of.Contract) {
		if m.IsConstant() || !givesRight(m.RawName) {
			continue
		}
		alone := right{m.Sig, func(whom common.Address) []reflect.Value { return valuesOf(whom) }}
		switch form := strings.TrimPrefix(m.Sig, m.RawName); {
		case form == "(address,bool)":
			list = append(list, right{m.Sig, func(whom common.Address) []reflect.Value { return valuesOf(whom, true) }})
		case form == "(address)" && !replaces(m.Sig):
			list = append(list, alone)
		case form == "(address)":
			single = append(single, alone)
		}
	}
	list = append(list, single...)
	return list[:min(len(list), maxRights)], nil
}

func valuesOf(list ...any) (values []reflect.Value) {
	for _, v := range list {
		values = append(values, reflect.ValueOf(v))
	}
	return values
}

// givesRight reports whether a function by its name may give an account a right, and is not about who owns the contract.
func givesRight(function string) bool {
	name := words(function)
	return len(name) > 0 && slices.Contains(givingWords, name[0]) && !isOwner(name) &&
		!slices.ContainsFunc(name, func(w string) bool { return slices.Contains(otherWords, w) })
}

// givingWords begin the names of functions that give an account a right.
var givingWords = []string{"set", "add", "allow", "authorize", "authorise", "enable", "grant", "permit", "register", "rely", "trust", "update", "whitelist", "configure"}

// otherWords are of names of functions by which a contract is given away, or an account shut out.
var otherWords = []string{"owner", "ownership", "admin", "governance", "governor", "implementation", "pending", "paused", "blacklist", "blacklisted", "blocked", "denied", "frozen"}

// replaces reports whether a function by its name sets the only account that has a right.
func replaces(signature string) bool {
	name := words(signature[:strings.Index(signature, "(")])
	return strings.HasSuffix(signature, "(address)") && (name[0] == "set" || name[0] == "update" || name[0] == "configure")
}
