package world

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// parties are the accounts that the making of the World made special.
type parties struct {
	*deployer
	met []party
}

// Party is an account that a set-up made special, and that sends calls therefore.
type Party struct {
	Name    string
	Address common.Address
	Why     string // for people: [Pranked], "owner of Vault"
}

// Pranked is why an account sends calls in whose name a test has called.
const Pranked = "pranked"

// maxParties bounds the senders that a World gets from set-ups besides the test
// contracts: calls are spread over all senders. Arbitrary; tests seldom name more
// than alice, bob, carol, an owner and a keeper.
const maxParties = 8

// party is what is known of such an account, from the strongest sign on.
type party struct {
	address common.Address
	sign    sign
	why     string
	key     *ecdsa.PrivateKey
}

// sign says how sure it is that an account is meant to send calls.
type sign uint8

const (
	targeted sign = iota // the invariants of a test are about its calls, and no others but of its kind
	pranked              // it has sent calls in the set-up
	owning               // a contract names it as owner, admin, keeper …
	known                // its private key is known
	funded               // it was given ether or a name
	holding              // it was given tokens
	compared             // msg.sender is compared with it, see addCallers
)

// The cheatcodes that make accounts special.
var (
	cheatAddr  = selector("addr(uint256)")
	cheatSign  = selector("sign(uint256,bytes32)")
	cheatDeal  = selector("deal(address,uint256)")
	cheatPrank = [][]byte{
		selector("prank(address)"), selector("prank(address,address)"),
		selector("startPrank(address)"), selector("startPrank(address,address)"),
		selector("prank(address,bool)"), selector("startPrank(address,bool)"),
		selector("prank(address,address,bool)"), selector("startPrank(address,address,bool)"),
	}
)

// The events that do, with the place of the account among their topics.
var eventSigns = []struct {
	topic common.Hash
	place int
	sign  sign
	why   string
}{
	{crypto.Keccak256Hash([]byte("OwnershipTransferred(address,address)")), 2, owning, "owner"},
	{crypto.Keccak256Hash([]byte("RoleGranted(bytes32,address,address)")), 2, owning, "granted a role"},
	{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), 2, holding, "given tokens"},
}

// meet notes the accounts that an execution made special.
func (ps *parties) meet(exec *evm.Execution) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.CodeAddress == cheatcode.Address && f.Outcome == evm.Success {
			ps.meetCheat(f)
		}
		for _, l := range f.Logs {
			for _, e := range eventSigns {
				if len(l.Topics) > e.place && l.Topics[0] == e.topic {
					ps.addParty(party{address: common.BytesToAddress(l.Topics[e.place][:]), sign: e.sign, why: e.why})
				}
			}
		}
	}
}

// meetCheat notes what a cheatcode says of an account.
func (ps *parties) meetCheat(f *evm.Frame) {
	if len(f.Input) < 4+32 {
		return
	}
	id, word := f.Input[:4], f.Input[4:36]
	address := common.BytesToAddress(word)
	switch {
	case slices.ContainsFunc(cheatPrank, func(s []byte) bool { return bytes.Equal(s, id) }):
		ps.addParty(party{address: address, sign: pranked, why: Pranked})
	case bytes.Equal(id, cheatDeal):
		ps.addParty(party{address: address, sign: funded, why: "given ether"})
	case bytes.Equal(id, cheatAddr), bytes.Equal(id, cheatSign):
		if key, err := crypto.ToECDSA(word); err == nil {
			ps.addParty(party{address: crypto.PubkeyToAddress(key.PublicKey), sign: known, why: "private key known", key: key})
		}
	}
}

// meetLabeled notes the accounts that a set-up gave a name.
func (ps *parties) meetLabeled(labels map[common.Address]string) {
	addresses := slices.SortedFunc(maps.Keys(labels), func(x, y common.Address) int { return x.Cmp(y) })
	for _, a := range addresses {
		if isName(labels[a]) {
			ps.namer.names[a] = labels[a]
			ps.addParty(party{address: a, sign: funded, why: "labeled"})
		}
	}
}

// isName reports whether a label can name an account in reports and sequences.
func isName(label string) bool {
	const most = 32 // bytes: longer ones are descriptions, not names
	return label != "" && len(label) <= most &&
		!strings.ContainsFunc(label, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// addParty adds an account; of several signs the strongest counts.
func (ps *parties) addParty(p party) {
	i := slices.IndexFunc(ps.met, func(q party) bool { return q.address == p.address })
	if i < 0 {
		ps.met = append(ps.met, p)
		return
	}
	q := &ps.met[i]
	if p.sign < q.sign {
		q.sign, q.why = p.sign, p.why
	}
	if q.key == nil {
		q.key = p.key
	}
}

// maxOwnerCalls bounds the questions about owners. Arbitrary.
const maxOwnerCalls = 256

// meetOwners asks every instance for its owner, admin, keeper and so on.
func (ps *parties) meetOwners() error {
	asked := 0
	for _, in := range ps.instances {
		var methods []string
		for _, m := range in.Contract.ABI.Methods {
			if len(m.Inputs) == 0 && len(m.Outputs) == 1 && m.Outputs[0].Type.String() == "address" && m.IsConstant() &&
				slices.ContainsFunc(accountRoles, func(r accountRole) bool { return nameHas(m.RawName, r.words...) }) {
				methods = append(methods, m.Sig)
			}
		}
		slices.Sort(methods)
		for _, signature := range methods {
			if asked++; asked > maxOwnerCalls {
				return nil
			}
			call := evm.Call{From: User2.Address, To: in.Address, Data: selector(signature), Gas: questionGas}
			exec, err := ps.machine.Run(append(slices.Clip(ps.calls), call))
			if err != nil {
				return err
			}
			result := &exec.Calls[len(exec.Calls)-1]
			if result.Outcome == evm.Success && len(result.Output) == 32 {
				name, _, _ := strings.Cut(signature, "(")
				ps.addParty(party{address: common.BytesToAddress(result.Output), sign: owning, why: name + " of " + in.Name})
			}
		}
	}
	return nil
}

// addParties adds up to maxParties accounts that were made special, the strongest sign
// first.
func (ps *parties) addParties(c *cast) error {
	if err := ps.meetOwners(); err != nil {
		return err
	}
	slices.SortStableFunc(ps.met, func(p, q party) int { return cmp.Compare(p.sign, q.sign) })
	room := len(c.list) + maxParties
	for _, p := range ps.met {
		a, err := c.world.Account(p.address)
		if err != nil {
			return err
		}
		if len(c.list) >= room || c.sending[p.address] || !isParty(&p, a != nil && len(a.Code) > 0) {
			continue
		}
		name := cmp.Or(ps.namer.names[p.address], shortName(p.address))
		if i := slices.IndexFunc(ps.instances, func(in evm.Instance) bool { return in.Address == p.address }); i >= 0 {
			name = ps.instances[i].Name // one name for one account, whether it calls or is called
		}
		if err := c.add(name, p); err != nil {
			return err
		}
	}
	return nil
}

// cast is the senders of a World while they are chosen.
type cast struct {
	world   *evm.World
	report  *Report
	list    []evm.Sender
	taken   map[string]common.Address
	sending map[common.Address]bool
}

func newCast(w *evm.World, r *Report) *cast {
	c := &cast{world: w, report: r, list: slices.Clone(w.Senders), taken: map[string]common.Address{}, sending: map[common.Address]bool{}}
	for _, in := range w.Instances {
		c.taken[in.Name] = in.Address
	}
	for _, sender := range c.list {
		c.taken[sender.Name], c.sending[sender.Address] = sender.Address, true
	}
	return c
}

// add adds a sender, and gives it something to send where it has nothing.
func (c *cast) add(name string, p party) error {
	a, err := c.world.Account(p.address)
	if err != nil {
		return err
	}
	name = uniqueName(name, p.address, c.taken)
	c.taken[name], c.sending[p.address] = p.address, true
	c.list = append(c.list, evm.Sender{Name: name, Address: p.address, Key: p.key})
	c.report.Senders = append(c.report.Senders, Party{Name: name, Address: p.address, Why: p.why})
	if a == nil {
		c.world.Accounts[p.address] = &evm.Account{Balance: *funds}
	} else if a.Balance.IsZero() && (p.sign != compared || len(a.Code) == 0) { // what a contract owns, its code counts on
		rich := *a
		rich.Balance = *funds
		c.world.Accounts[p.address] = &rich
	}
	return nil
}

// isParty reports whether an account may send calls: one with code does so only
// where a test made it, or asks for it.
func isParty(p *party, code bool) bool {
	const reserved = 0x200 // precompiles are below it, on every chain so far
	small := p.address == common.BytesToAddress(p.address[18:]) && binary.BigEndian.Uint16(p.address[18:]) < reserved && p.sign > pranked
	return !small && p.address != (common.Address{}) && p.address != cheatcode.Address && p.address != cheatcode.Console &&
		(!code || p.sign <= pranked)
}

// shortName is made of an address without leading zeros, cut to its first digits: tests
// often make accounts of small numbers, 0xBEEF.
func shortName(a common.Address) string {
	const digits = 8
	text := strings.TrimLeft(hex.EncodeToString(a[:]), "0")
	return "account-" + text[:min(digits, len(text))]
}

// uniqueName makes a name that no other account has: "alice", "alice#2".
func uniqueName(name string, a common.Address, taken map[string]common.Address) string {
	unique := name
	for n := 2; ; n++ {
		if other, ok := taken[unique]; !ok || other == a {
			return unique
		}
		unique = fmt.Sprintf("%s#%d", name, n)
	}
}
