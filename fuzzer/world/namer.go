package world

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// namer knows what accounts are called, and writes calls for people.
type namer struct {
	labels map[common.Address]string // instances, libraries, senders and test contracts
	names  map[common.Address]string // what set-ups call accounts
}

// describe renders arguments for people.
func (n *namer) describe(a *arguments) []string {
	texts := n.describeValues(a.inputs, a.values)
	if !a.wei.IsZero() {
		texts = append(texts, "value: "+a.wei.Dec()+" wei")
	}
	return texts
}

func (n *namer) describeValues(inputs abi.Arguments, values []reflect.Value) []string {
	var texts []string
	for i, v := range values {
		text := n.format(inputs[i].Type, v)
		if name := inputs[i].Name; name != "" {
			text = name + ": " + text
		}
		texts = append(texts, text)
	}
	return texts
}

// describeRaw renders encoded arguments for people; none where they cannot be
// read.
func (n *namer) describeRaw(inputs abi.Arguments, data []byte) []string {
	if len(inputs) == 0 {
		return nil
	}
	decoded, err := inputs.UnpackValues(data)
	if err != nil {
		return nil
	}
	values := make([]reflect.Value, len(decoded))
	for i, v := range decoded {
		values[i] = reflect.ValueOf(v)
	}
	return n.describeValues(inputs, values)
}

// format names addresses that have a name.
func (n *namer) format(t abi.Type, v reflect.Value) string {
	switch {
	case t.T == abi.AddressTy:
		address := v.Interface().(common.Address) //nolint:errcheck // what an address type's values are
		if label := cmp.Or(n.labels[address], n.names[address]); label != "" {
			return label
		}
	case t.Elem != nil && t.Elem.T == abi.AddressTy:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = n.format(*t.Elem, v.Index(i))
		}
		return "[" + join(texts) + "]"
	}
	return evm.FormatValue(t, v.Interface())
}

// callText is a call for people; function is "Token.mint".
func (n *namer) callText(function string, a *arguments, from common.Address) string {
	text := function + "(" + join(n.describe(a)) + ")"
	if label := n.labels[from]; from != Deployer.Address && label != "" {
		text += " by " + label
	}
	return text
}

// nameOf is an account's name, or otherwise what it is called in a report where
// only the test contract can be meant.
func (n *namer) nameOf(a common.Address, otherwise string) string {
	if name := n.labels[a]; name != "" {
		return name
	}
	return otherwise
}

// withNames writes accounts that have a name by it.
func (n *namer) withNames(texts []string) []string {
	for i := range texts {
		if common.IsHexAddress(texts[i]) {
			texts[i] = n.nameOf(common.HexToAddress(texts[i]), texts[i])
		}
	}
	return texts
}

func join(texts []string) string { return strings.Join(texts, ", ") }
