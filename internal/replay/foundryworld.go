package replay

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file writes Foundry tests of Worlds that Sightline deployed: the test makes the
// transactions that made the World, by the same accounts and with the same nonces, so that
// every contract is at the address that the calls name.

// maxTestCode bounds creation code that is written out since no source of the project has
// it (built-in mocks and proxies have at most 8 kB), in bytes of a whole test.
const maxTestCode = 24 << 10

// newWorldTest is a test of a World that Sightline deployed.
func newWorldTest(l *loaded) (*foundryTest, error) {
	t := &foundryTest{loaded: l, names: map[common.Address]string{}, used: map[common.Address]bool{}, imports: &imports{names: map[string]string{}, sources: map[*bytecode.Contract]string{}, harnesses: l.snapshot.Harnesses}}
	for i := range t.sequence {
		if in := &t.space.Instances[t.sequence[i].Instance]; in.Fresh {
			return nil, exit.BadInput("%s: it deploys %s, which such a test cannot", t.path, human.Printable(in.Name))
		}
	}
	taken := map[string]bool{}
	name := func(a common.Address, text string) {
		if t.names[a] != "" {
			return
		}
		const most = 40 // characters; arbitrary
		short := solidityName(text)
		short = strings.ToLower(short[:min(len(short), 1)]) + short[min(len(short), 1):min(len(short), most)] + "_"
		if short[0] >= '0' && short[0] <= '9' {
			short = "_" + short
		}
		unique := short
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s%d", short, n)
		}
		taken[unique], t.names[a] = true, unique
	}
	w := l.snapshot.World
	for _, s := range w.Senders {
		name(s.Address, s.Name)
	}
	for _, in := range w.Instances {
		name(in.Address, in.Name)
	}
	written := 0
	for i := range l.snapshot.Made {
		c := &l.snapshot.Made[i]
		if !c.Create || t.idle(c) {
			continue
		}
		if _, ok := creationNonce(c); !ok {
			return nil, exit.BadInput("%s: the World has a contract at an address that no transaction gives it", t.path)
		}
		if _, _, ok := t.creation(c.Data); ok {
			continue
		}
		// Code that is written out stays as it is when its source is mended.
		if p := t.table.LookupCreation(c.Data); p != nil && p.Contract != nil && !world.IsBuiltInMock(p.Contract) {
			return nil, exit.BadInput("%s: a test cannot import %s: its name or that of its source has unusual characters, or it is in another project than other contracts of the World",
				t.path, human.Printable(p.Contract.QualifiedName()))
		}
		written += len(c.Data)
	}
	if written > maxTestCode {
		return nil, exit.BadInput("%s: the World has contracts that no source of the project has, which are too large for a test", t.path)
	}
	return t, nil
}

// creationNonce is the nonce with which the sender of a deployment gets its address.
func creationNonce(c *evm.Call) (uint64, bool) {
	for nonce := range uint64(maxNonce) {
		if crypto.CreateAddress(c.From, nonce) == c.Address {
			return nonce, true
		}
	}
	return 0, false
}

// creation names the contract that creation code makes, and returns the constructor's
// arguments; false if no source that a test can import has it.
func (t *foundryTest) creation(code []byte) (name string, arguments []byte, ok bool) {
	p := t.table.LookupCreation(code)
	if p == nil || p.Contract == nil || !p.Contract.Deployable() {
		return "", nil, false
	}
	if name, ok = t.imports.name(p.Contract); !ok {
		return "", nil, false
	}
	return name, code[len(p.Bytes):], true
}

// creationText writes creation code: by the contract's name, or as it is.
func (t *foundryTest) creationText(code []byte) string {
	name, arguments, ok := t.creation(code)
	switch {
	case !ok:
		return hexLiteral(code)
	case len(arguments) > 0:
		return fmt.Sprintf("abi.encodePacked(type(%s).creationCode, %s)", name, hexLiteral(arguments))
	}
	return fmt.Sprintf("type(%s).creationCode", name)
}

// imports are the contracts that a test imports, under names that are unique in it.
type imports struct {
	folder  string                        // of the project, relative to the repository; empty: its root
	names   map[string]string             // of contracts by qualified name
	sources map[*bytecode.Contract]string // where each is imported from
	list    []*bytecode.Contract

	harnesses map[string]string // texts of sources that the project lacks, which the test gets
}

// name is the name of a contract in the test; false if it cannot be imported: it is in
// another project, or its name or source is not one that solc could have made of a file.
func (i *imports) name(c *bytecode.Contract) (string, bool) {
	if name, ok := i.names[c.QualifiedName()]; ok {
		return name, name != ""
	}
	i.names[c.QualifiedName()] = ""
	source, ok := importable(c.Source)
	if c.Generated && (i.harnesses[c.Source] == "" || slices.Contains(slices.Collect(maps.Values(i.names)), c.Name)) {
		return "", false
	}
	if !ok || c.Name == "" || c.Name != solidityName(c.Name) || c.Name[0] >= '0' && c.Name[0] <= '9' || len(i.list) > 0 && c.Folder != i.folder {
		return "", false
	}
	i.folder = c.Folder
	name := c.Name
	for n := 2; slices.Contains(slices.Collect(maps.Values(i.names)), name); n++ {
		name = fmt.Sprintf("%s_%d", c.Name, n)
	}
	i.names[c.QualifiedName()], i.sources[c] = name, source
	i.list = append(i.list, c)
	return name, true
}

// write writes the imports, and the texts of what cannot be imported.
func (i *imports) write(b *strings.Builder) {
	for _, c := range i.list {
		switch name := i.names[c.QualifiedName()]; {
		case c.Generated:
		case name != c.Name:
			fmt.Fprintf(b, "import {%s as %s} from \"%s\";\n", c.Name, name, i.sources[c])
		default:
			fmt.Fprintf(b, "import {%s} from \"%s\";\n", c.Name, i.sources[c])
		}
	}
	for _, text := range i.written() {
		b.WriteString(text)
	}
}

// written are the texts of harnesses among the contracts, each with imports as a test makes them.
func (i *imports) written() []string {
	var texts []string
	done := map[string]bool{}
	for _, c := range i.list {
		if !c.Generated || done[c.Source] {
			continue
		}
		done[c.Source] = true
		var kept []string
		for _, line := range strings.Split(i.harnesses[c.Source], "\n") {
			before, rest, quoted := strings.Cut(line, "\"")
			name, after, ended := strings.Cut(rest, "\"")
			switch {
			case strings.HasPrefix(line, "// SPDX-License-Identifier:"), strings.HasPrefix(line, "pragma solidity"):
				continue // the test has its own
			case strings.HasPrefix(line, "import ") && quoted && ended:
				if source, ok := importable(name); ok {
					line = before + "\"" + source + "\"" + after
				}
			}
			kept = append(kept, line)
		}
		texts = append(texts, strings.Join(kept, "\n"))
	}
	return texts
}

// idle reports whether a transaction deploys a harness that no call of the sequence, and none that
// made the World, has anything to do with.
func (t *foundryTest) idle(c *evm.Call) bool {
	p := t.table.LookupCreation(c.Data)
	if !c.Create || p == nil || p.Contract == nil || !p.Contract.Generated {
		return false
	}
	mentions := func(o *evm.Call) bool { return o.To == c.Address || bytes.Contains(o.Data, c.Address[:]) }
	return !slices.ContainsFunc(t.snapshot.Made, func(o evm.Call) bool { return mentions(&o) }) &&
		!slices.ContainsFunc(t.space.Encode(t.sequence, nil), func(o evm.Call) bool { return mentions(&o) })
}

// importable is how a test in the folder test imports a source of its project; false if its
// name has characters that do not occur in those of sources, or leads out of the project.
func importable(source string) (string, bool) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/@ "
	if !strings.HasSuffix(source, ".sol") || strings.Trim(source, allowed) != "" || path.IsAbs(source) || path.Clean(source) != source || strings.HasPrefix(source, "../") {
		return "", false
	}
	if strings.HasPrefix(source, "@") { // a package, which the project's remappings or node_modules lead to
		return source, true
	}
	return "../" + source, true
}

// worldCheatcodes are what makes a World in addition to [cheatcodes].
const worldCheatcodes = `    function chainId(uint256 id) external;
    function fee(uint256 wei_) external;
    function coinbase(address account) external;
    function prevrandao(bytes32 value) external;
    function setNonce(address account, uint64 nonce) external;
`

// deployHelper and callHelper do what the transactions that made the World did.
const deployHelper = `
    function sightlineDeploy(address from, uint64 nonce, uint256 value, bytes memory code) private returns (address made) {
        sightline.setNonce(from, nonce);
        sightline.prank(from, from);
        assembly { made := create(value, add(code, 32), mload(code)) }
        require(made != address(0), "a constructor fails, unlike when the World was made");
    }
`

const callHelper = `
    function sightlineCall(address from, address to, uint256 value, bytes memory data) private {
        sightline.prank(from, from);
        (bool ok, ) = to.call{value: value}(data);
        require(ok, "a call fails, unlike when the World was made");
    }
`

// writeWorld writes imports, the contract's beginning and its setUp(). calls is the text of the
// calls that follow.
func (t *foundryTest) writeWorld(b *strings.Builder, contract, calls string) {
	s := t.snapshot
	var made, body strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&body, "        "+format+"\n", args...) }
	block := &s.World.Block
	chain := block.ChainID
	if chain == 0 {
		chain = evm.ChainID
	}
	line("sightline.warp(%d);", block.Time)
	line("sightline.roll(%d);", block.Number)
	line("sightline.chainId(%d);", chain)
	line("sightline.fee(%d);", block.BaseFee)
	line("sightline.coinbase(%s);", block.Coinbase.Hex())
	line("sightline.prevrandao(%s);", block.PrevRandao.Hex())
	helpers := deployHelper
	transaction := func(format string, args ...any) { fmt.Fprintf(&made, "        "+format+"\n", args...) }
	for i := range s.Made {
		c := &s.Made[i]
		if t.idle(c) {
			continue
		}
		if !c.Create {
			helpers = deployHelper + callHelper
			transaction("sightlineCall(%s, %s, %s, %s);", t.address(c.From), t.address(c.To), c.Value.Dec(), hexLiteral(c.Data))
			continue
		}
		nonce, _ := creationNonce(c)
		transaction("sightlineDeploy(%s, %d, %s, %s); // %s", t.address(c.From), nonce, c.Value.Dec(), t.creationText(c.Data), t.address(c.Address))
	}
	// What does not occur has no need of ether.
	text := strings.ToLower(made.String() + calls)
	funded := slices.DeleteFunc(t.funded(), func(a common.Address) bool { return !t.used[a] && !strings.Contains(text, fmt.Sprintf("%x", a[:])) })
	funds := world.Funds()
	for _, a := range funded {
		line("sightline.deal(%s, %s);", t.address(a), funds.Dec())
	}
	body.WriteString(made.String())
	for _, a := range funded {
		if left := t.funds(a); left.Cmp(funds) != 0 {
			line("sightline.deal(%s, %s);", t.address(a), left.Dec())
		}
	}
	t.imports.write(b)
	fmt.Fprintf(b, cheatcodes+"contract %s {\n%s", worldCheatcodes, contract, vmConstant)
	var accounts []common.Address
	for _, s := range s.World.Senders {
		accounts = append(accounts, s.Address)
	}
	for _, in := range s.World.Instances {
		accounts = append(accounts, in.Address)
	}
	for i, a := range accounts {
		if t.used[a] && !slices.Contains(accounts[:i], a) {
			fmt.Fprintf(b, "    address private constant %s = %s;\n", t.names[a], a.Hex())
		}
	}
	fmt.Fprintf(b, "%s\n    function setUp() public {\n%s    }\n", helpers, body.String())
}

// funded are the accounts that had ether before anything was deployed.
func (t *foundryTest) funded() []common.Address {
	var list []common.Address
	for _, s := range t.snapshot.World.Senders {
		if a := t.snapshot.World.Accounts[s.Address]; a == nil || len(a.Code) == 0 {
			list = append(list, s.Address)
		}
	}
	for i := range t.snapshot.Made {
		if from := t.snapshot.Made[i].From; !slices.Contains(list, from) {
			if a := t.snapshot.World.Accounts[from]; a == nil || len(a.Code) == 0 {
				list = append(list, from)
			}
		}
	}
	return list
}
