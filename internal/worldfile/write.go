package worldfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"go.yaml.in/yaml/v3"
)

// Write returns a deployment's World as settings of sightline.yml that recreate it. Flags
// that only the command line accepts are in its comment.
func Write(d *deploy.Deployment, r *deploy.Recipe, o *deploy.Options) []byte {
	root := &yaml.Node{Kind: yaml.MappingNode, HeadComment: comment(d, r, o)}
	if o.Fork != "" {
		addEntry(root, "evm-version", text(o.Fork))
	}
	plan := &r.Plan.World
	if len(plan.Senders) > 0 {
		senders := &yaml.Node{Kind: yaml.MappingNode}
		for _, s := range plan.Senders {
			addEntry(senders, s.Name, quoted(s.Address.Hex()))
		}
		addEntry(root, "senders", senders)
	}
	used := deploy.UsedTests(d.Setup)
	if o.RPC == "" && (plan.Block != nil || len(used) == 0) {
		addEntry(root, "environment", environmentNode(&d.World.Block))
	}
	if len(used) > 0 {
		tests := &yaml.Node{Kind: yaml.SequenceNode}
		for _, name := range used {
			tests.Content = append(tests.Content, text(name))
		}
		for _, up := range d.Setup.TestSetups {
			for i := range up.Also {
				call := text(up.Also[i].Name(up.Contract))
				if !strings.HasSuffix(call.Value, up.Also[i].Function) {
					call.LineComment = human.Printable(up.Also[i].Function)
				}
				tests.Content = append(tests.Content, call)
			}
		}
		addEntry(root, "setup", tests)
	} else if len(d.Setup.Steps) > 0 {
		addEntry(root, "deploy", stepsNode(d.Setup.Steps))
	}
	if len(plan.After) > 0 {
		addEntry(root, "after", stepsNode(plan.After))
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		panic(err) // nodes of our own, into memory
	}
	return out.Bytes()
}

// comment says what the file is, and which flags it also needs.
func comment(d *deploy.Deployment, r *deploy.Recipe, o *deploy.Options) string {
	lines := []string{"The World of this run as sightline.yml settings: paste them there to recreate it."}
	var besides []string
	if o.State != "" {
		besides = append(besides, "--state "+o.State)
	}
	if o.RPC != "" {
		besides = append(besides, fmt.Sprintf("--rpc URL --block %d", r.Chain.Block().Number))
	}
	if o.Command != "" {
		besides = append(besides, "--setup-command "+fmt.Sprintf("%q", o.Command))
	}
	if len(besides) > 0 {
		lines = append(lines, "It also needs these flags, as in this run: "+strings.Join(besides, " "))
	}
	if len(deploy.UsedTests(d.Setup)) > 0 && len(d.Setup.Steps) > 0 {
		lines = append(lines, "Changed contracts that the set-up does not deploy are deployed in addition, as in this run.")
	}
	for i, l := range lines {
		lines[i] = human.Printable(l)
	}
	return strings.Join(lines, "\n")
}

// environmentNode is a block in the form of the key environment.
func environmentNode(b *evm.Block) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	number := func(key string, v uint64) { addEntry(n, key, &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)}) }
	number("number", b.Number)
	number("timestamp", b.Time)
	number("chain-id", chainID(b))
	number("basefee", b.BaseFee)
	addEntry(n, "coinbase", quoted(b.Coinbase.Hex()))
	addEntry(n, "prevrandao", quoted(b.PrevRandao.Hex()))
	number("gas-limit", b.GasLimit)
	return n
}

// chainID is what the opcode CHAINID returns.
func chainID(b *evm.Block) uint64 {
	if b.ChainID == 0 {
		return evm.ChainID
	}
	return b.ChainID
}

// stepsNode are steps, in order.
func stepsNode(steps []world.Step) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range steps {
		n.Content = append(n.Content, stepNode(&steps[i]))
	}
	return n
}

// stepNode is a step in the form of the key deploy.
func stepNode(s *world.Step) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, e := range []struct{ key, value string }{
		{"contract", s.Contract}, {"call", s.Message.Function}, {"name", s.Name}, {"as", s.As}, {"address", s.Address},
	} {
		if e.value != "" {
			addEntry(n, e.key, text(e.value))
		}
	}
	if len(s.Message.Arguments) > 0 || s.Replace {
		addEntry(n, "arguments", listNode(s.Message.Arguments))
	}
	if s.From != "" {
		addEntry(n, "from", text(s.From))
	}
	if s.Value.Text != "" {
		addEntry(n, "value", text(s.Value.Text))
	}
	return n
}

// listNode is a list on one line.
func listNode(values []world.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for i := range values {
		n.Content = append(n.Content, valueNode(&values[i]))
	}
	return n
}

// valueNode is the inverse of readValue.
func valueNode(v *world.Value) *yaml.Node {
	switch {
	case v.List != nil:
		return listNode(v.List)
	case v.Call != nil:
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		addEntry(n, "call", text(v.Call.Function))
		if len(v.Call.Arguments) > 0 {
			addEntry(n, "arguments", listNode(v.Call.Arguments))
		}
		return n
	case v.Fields != nil:
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for i := range v.Fields {
			addEntry(n, v.Fields[i].Name, valueNode(&v.Fields[i].Value))
		}
		return n
	}
	return text(v.Text)
}

// text is a string, without quotation marks if it is a name, a number or a boolean.
// Hexadecimal digits are quoted, since other tools would take them for a number.
func text(s string) *yaml.Node {
	plain := s != "" && s[0] != '-' && !strings.HasPrefix(s, "0x") && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !slices.Contains([]rune("_.-"), r)
	})
	if !plain {
		return quoted(s)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s}
}

func quoted(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: s}
}

func addEntry(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, text(key), value)
}
