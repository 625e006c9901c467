package cheatcode

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
)

// variableTable: environment variables.
var variableTable = variables()

// noVariables is the note of every cheatcode that reads the environment.
const noVariables = "knows what vm.setEnv has set, and nothing else: contracts are given no environment"

// variables makes the table: most exist for several types.
func variables() []function {
	table := []function{
		{Signature: "setEnv(string,string)", run: setEnv, Note: "for contracts alone"},
		{Signature: "envExists(string)", Returns: "bool", run: envExists, Note: noVariables},
	}
	for _, t := range []struct{ name, kind string }{
		{"Bool", "bool"}, {"Uint", "uint256"}, {"Int", "int256"}, {"Address", "address"}, {"Bytes32", "bytes32"}, {"String", "string"}, {"Bytes", "bytes"},
	} {
		table = append(table,
			function{Signature: "env" + t.name + "(string)", Returns: t.kind, run: variable, Note: noVariables},
			function{Signature: "env" + t.name + "(string,string)", Returns: t.kind + "[]", run: variable, Note: noVariables},
			function{Signature: "envOr(string," + t.kind + ")", Returns: t.kind, run: variableOr, Note: noVariables},
			function{Signature: "envOr(string,string," + t.kind + "[])", Returns: t.kind + "[]", run: variableOr, Note: noVariables},
		)
	}
	return table
}

// maxVariables bounds the variables that are set; arbitrary.
const maxVariables = 1 << 8

func setEnv(c *context, a []abi.Value) ([]abi.Value, error) {
	name := a[0].Text()
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return nil, errors.New("the name of an environment variable is neither empty nor has \"=\" in it")
	}
	if c.Variables == nil {
		c.Variables = map[string]string{}
	}
	if len(c.Variables) == maxVariables {
		return nil, errors.New("too many environment variables")
	}
	if !c.keep(a[0].Bytes, a[1].Bytes) {
		return nil, errFull
	}
	c.Variables[name] = a[1].Text()
	return nil, nil
}

func envExists(c *context, a []abi.Value) ([]abi.Value, error) {
	_, ok := c.Variables[a[0].Text()]
	return []abi.Value{boolOf(ok)}, nil
}

// variable reads one of the type of the result, or several with what separates them.
func variable(c *context, a []abi.Value) ([]abi.Value, error) {
	text, ok := c.Variables[a[0].Text()]
	if !ok {
		text, ok = c.endpoint(a[0].Text())
	}
	if !ok {
		text := "use vm.envOr with a default"
		if c.edge.Fork == nil && c.namesEndpoint(a[0].Text()) {
			text += ", or if it is a chain's endpoint, give that with --rpc URL"
		}
		return nil, fmt.Errorf("environment variable not found: %q. Contracts are given no environment: %s", a[0].Text(), text)
	}
	t := &c.fn.result[0]
	if t.Kind != abi.Slice {
		v, err := parse(t, text)
		return []abi.Value{v}, err
	}
	var list abi.Value
	for _, part := range strings.Split(text, a[1].Text()) {
		v, err := parse(t.Elem, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list.Elems = append(list.Elems, v)
	}
	return []abi.Value{list}, nil
}

// variableOr returns the default if the variable is missing or invalid.
func variableOr(c *context, a []abi.Value) ([]abi.Value, error) {
	if _, ok := c.Variables[a[0].Text()]; !ok {
		return []abi.Value{a[len(a)-1]}, nil
	}
	if v, err := variable(c, a); err == nil {
		return v, nil
	}
	return []abi.Value{a[len(a)-1]}, nil
}
