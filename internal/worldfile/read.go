// Package worldfile reads and writes Worlds as YAML: the keys of the configuration that
// describe one, and world.yml, which has the World of a run. The readers of the keys accept
// the output of Write: pasted into sightline.yml, it recreates the same World.
package worldfile

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"go.yaml.in/yaml/v3"
)

// Setting is a key of the configuration that is not a flag, and describes the World.
type Setting struct {
	Key, Help, Example string
	Read               func(p *deploy.Plan, value *yaml.Node) error
}

// Settings are those keys.
var Settings = []Setting{
	{"deploy", "the World, step by step: the contracts to deploy, with their arguments, and the functions to call", `deploy:
  - contract: Token                # or src/Token.sol:Token
    arguments: [Gold, GLD]
  - contract: Vault
    name: logic
  - contract: ERC1967Proxy
    name: vault
    as: Vault                      # whose functions it has
    arguments:
      - logic                      # instances and senders by name
      - {call: Vault.initialize, arguments: [Token, deployer]}
  - call: Token.mint
    arguments: [user1, 1000 ether]
    from: deployer                 # the default
`, readSteps},
	{"after", "steps as those of deploy that run once everything is deployed, whatever made the World (deploy, tests, or the search): calls to make, contracts to add. With arguments, address is where a contract is put if none is there", `after:
  - call: Vault.setGuardian
    arguments: [user1]
  - contract: sightline:TestToken  # where the code under test expects a token
    name: usdc
    address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
    arguments: []
`, readAfter},
	{"senders", "accounts that send calls, in addition to deployer, user1, user2 and attacker, with their addresses. Up to six accounts that contracts compare msg.sender with, or to which a mapping gives a role (an owner that a constructor names, an entry point, the contract itself), are senders without being named, if calls in their name get further than a user's; the report says for each which function asks for it", `senders:
  treasury: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
`, readSenders},
	{"environment", "the block of the first call: number, timestamp, chain-id, basefee, coinbase, prevrandao and gas-limit", `environment:
  number: 21_000_000
  timestamp: 1_735_689_600         # seconds since 1970
`, readEnvironment},
	{"calls", "the functions that sequences may call, as patterns for INSTANCE.FUNCTION: those under include (default: all) except those under exclude", `calls:
  include: [Vault, "Token.transfer*"]
  exclude: ["*.pause"]
`, readCalls},
}

// fields returns the values of a mapping by key; each key must be one of known.
func fields(n *yaml.Node, what string, known ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want %s as `key: value`", n.Line, what)
	}
	out := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if !slices.Contains(known, key.Value) {
			return nil, fmt.Errorf("line %d: %s has no key %q; it may have %s", key.Line, what, human.Printable(key.Value), strings.Join(known, ", "))
		}
		if out[key.Value] != nil {
			return nil, fmt.Errorf("line %d: %q is set twice", key.Line, key.Value)
		}
		out[key.Value] = n.Content[i+1]
	}
	return out, nil
}

// scalar returns the text of a value; empty if the key is missing.
func scalar(n *yaml.Node) (string, error) {
	if n == nil {
		return "", nil
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", fmt.Errorf("line %d: want a single value", n.Line)
	}
	return n.Value, nil
}

func lineOf(n *yaml.Node) string { return fmt.Sprintf("line %d", n.Line) }

// readSteps reads the key deploy.
func readSteps(p *deploy.Plan, n *yaml.Node) (err error) {
	p.World.Steps, err = readList("deploy", p.World.Steps, n)
	return err
}

// readAfter reads the key after.
func readAfter(p *deploy.Plan, n *yaml.Node) (err error) {
	p.World.After, err = readList("after", p.World.After, n)
	return err
}

// readList appends the steps of a key.
func readList(key string, to []world.Step, n *yaml.Node) ([]world.Step, error) {
	if n.Kind != yaml.SequenceNode {
		return to, fmt.Errorf("line %d: %s: want a list of steps, each with a contract or a call", n.Line, key)
	}
	for _, item := range n.Content {
		s, err := readStep(item)
		if err != nil {
			return to, err
		}
		to = append(to, s)
	}
	return to, nil
}

func readStep(n *yaml.Node) (world.Step, error) {
	s := world.Step{Place: lineOf(n)}
	f, err := fields(n, "a step", "contract", "call", "name", "as", "address", "arguments", "from", "value")
	if err != nil {
		return s, err
	}
	for key, to := range map[string]*string{"contract": &s.Contract, "call": &s.Message.Function, "name": &s.Name, "as": &s.As,
		"address": &s.Address, "from": &s.From, "value": &s.Value.Text} {
		text, err := scalar(f[key])
		if err != nil {
			return s, err
		}
		*to = text
	}
	s.Value.Place, s.Message.Place = s.Place, s.Place
	if s.Message.Arguments, err = readArguments(f["arguments"]); err != nil {
		return s, err
	}
	s.Replace = s.Address != "" && f["arguments"] != nil
	return s, checkStep(n, f)
}

// checkStep returns an error if the keys of a step do not go together.
func checkStep(n *yaml.Node, f map[string]*yaml.Node) error {
	if (f["contract"] == nil) == (f["call"] == nil) {
		return fmt.Errorf("line %d: a step needs either contract (to deploy) or call", n.Line)
	}
	with := func(key string, others ...string) error {
		for _, other := range others {
			if f[key] != nil && f[other] != nil {
				return fmt.Errorf("line %d: a step with %s cannot have %s", n.Line, key, other)
			}
		}
		return nil
	}
	if err := with("call", "name", "as", "address"); err != nil {
		return err
	}
	if f["arguments"] == nil { // otherwise the contract's code is replaced
		return with("address", "from", "value")
	}
	return nil
}

func readArguments(n *yaml.Node) ([]world.Value, error) {
	if n == nil {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: arguments: want a list", n.Line)
	}
	v, err := readValue(n)
	return v.List, err
}

// readValue reads an argument. It rejects aliases, which could turn a small file into a
// huge value.
func readValue(n *yaml.Node) (world.Value, error) {
	v := world.Value{Place: lineOf(n)}
	switch n.Kind {
	case yaml.ScalarNode:
		v.Text = n.Value
		return v, nil
	case yaml.SequenceNode:
		v.List = []world.Value{}
		for _, item := range n.Content {
			element, err := readValue(item)
			if err != nil {
				return v, err
			}
			v.List = append(v.List, element)
		}
		return v, nil
	case yaml.MappingNode:
		return readMapping(n)
	}
	return v, fmt.Errorf("line %d: aliases are not supported", n.Line)
}

// readMapping reads a struct by its fields, or a call that is passed as bytes.
func readMapping(n *yaml.Node) (world.Value, error) {
	v := world.Value{Place: lineOf(n), Fields: []world.NamedValue{}}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "call" {
			return readInnerCall(n)
		}
		element, err := readValue(n.Content[i+1])
		if err != nil {
			return v, err
		}
		v.Fields = append(v.Fields, world.NamedValue{Name: n.Content[i].Value, Value: element})
	}
	return v, nil
}

func readInnerCall(n *yaml.Node) (world.Value, error) {
	v := world.Value{Place: lineOf(n)}
	f, err := fields(n, "a call as an argument", "call", "arguments")
	if err != nil {
		return v, err
	}
	m := &world.PlannedMessage{Place: v.Place}
	if m.Function, err = scalar(f["call"]); err != nil {
		return v, err
	}
	m.Arguments, err = readArguments(f["arguments"])
	v.Call = m
	return v, err
}

// MaxSenders bounds the senders that a configuration adds, since a campaign's calls are
// spread over all of them. Arbitrary.
const MaxSenders = 32

// readSenders reads the key senders.
func readSenders(p *deploy.Plan, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*MaxSenders {
		return fmt.Errorf("line %d: senders: want at most %d as `name: \"0x…\"`", n.Line, MaxSenders)
	}
	taken := world.Senders()
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		s := evm.Sender{Name: name.Value, Address: common.HexToAddress(value.Value)}
		if value.Kind != yaml.ScalarNode || !common.IsHexAddress(value.Value) {
			return fmt.Errorf("line %d: senders: %s: %q is not an address", value.Line, human.Printable(name.Value), human.Printable(value.Value))
		}
		if slices.ContainsFunc(taken, func(o evm.Sender) bool { return o.Name == s.Name || o.Address == s.Address }) {
			return fmt.Errorf("line %d: senders: a sender named %s, or with its address, already exists", name.Line, human.Printable(name.Value))
		}
		taken = append(taken, s)
		p.World.Senders = append(p.World.Senders, s)
	}
	return nil
}

// readEnvironment reads the key environment.
func readEnvironment(p *deploy.Plan, n *yaml.Node) error {
	f, err := fields(n, "environment", "number", "timestamp", "chain-id", "basefee", "coinbase", "prevrandao", "gas-limit")
	if err != nil {
		return err
	}
	block := evm.DefaultBlock()
	numbers := map[string]*uint64{"number": &block.Number, "timestamp": &block.Time, "chain-id": &block.ChainID,
		"basefee": &block.BaseFee, "gas-limit": &block.GasLimit}
	for _, key := range []string{"number", "timestamp", "chain-id", "basefee", "gas-limit"} {
		if f[key] == nil {
			continue
		}
		v, ok := new(big.Int).SetString(strings.ReplaceAll(f[key].Value, "_", ""), 0)
		if !ok || !v.IsUint64() {
			return fmt.Errorf("line %d: environment: %s: want a number below 2^64", f[key].Line, key)
		}
		*numbers[key] = v.Uint64()
	}
	if v := f["coinbase"]; v != nil {
		if !common.IsHexAddress(v.Value) {
			return fmt.Errorf("line %d: environment: coinbase: %q is not an address", v.Line, human.Printable(v.Value))
		}
		block.Coinbase = common.HexToAddress(v.Value)
	}
	if v := f["prevrandao"]; v != nil {
		if len(v.Value) != len("0x")+2*common.HashLength || common.HexToHash(v.Value).Hex() != strings.ToLower(v.Value) {
			return fmt.Errorf("line %d: environment: prevrandao: want 0x and 64 hexadecimal digits", v.Line)
		}
		block.PrevRandao = common.HexToHash(v.Value)
	}
	p.World.Block = &block
	return nil
}

// readCalls reads the key calls.
func readCalls(p *deploy.Plan, n *yaml.Node) error {
	f, err := fields(n, "calls", "include", "exclude")
	if err != nil {
		return err
	}
	for key, to := range map[string]*[]string{"include": &p.Include, "exclude": &p.Exclude} {
		list := f[key]
		if list == nil {
			continue
		}
		if list.Kind != yaml.SequenceNode {
			return fmt.Errorf("line %d: calls: %s: want a list of patterns such as Vault or \"*.pause\"", list.Line, key)
		}
		for _, item := range list.Content {
			pattern, err := scalar(item)
			if err != nil {
				return err
			}
			if !strings.Contains(pattern, ".") {
				pattern += ".*"
			}
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("line %d: calls: %s: %q is not a valid pattern", item.Line, key, human.Printable(pattern))
			}
			*to = append(*to, pattern)
		}
	}
	return nil
}
