package cheatcode

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
)

// forkTable: forks of a chain. The state goes on from one chain at one block, and every fork
// is that one.
var forkTable = []function{
	{Signature: "createFork(string)", Returns: "uint256", run: makeFork, Note: withRPC},
	{Signature: "createFork(string,uint256)", Returns: "uint256", run: makeFork, Note: withRPC},
	{Signature: "createSelectFork(string)", Returns: "uint256", run: makeSelectFork, Note: withRPC},
	{Signature: "createSelectFork(string,uint256)", Returns: "uint256", run: makeSelectFork, Note: withRPC},
	{Signature: "selectFork(uint256)", run: selectFork, Note: withRPC},
	{Signature: "activeFork()", Returns: "uint256", run: activeFork, Note: withRPC},
	{Signature: "rollFork(uint256)", run: rollFork, Note: withRPC},
	{Signature: "rollFork(uint256,uint256)", run: rollFork, Note: withRPC},
	{Signature: "rpcUrl(string)", Returns: "string", run: rpcURL, Note: withRPC + ", and then the name itself: what foundry.toml has for it may be a secret"},
}

// withRPC is the note of every cheatcode for forks.
const withRPC = "with --rpc: all forks are that chain at that block"

// errNoFork is the error of tests that fork a chain where there is none.
var errNoFork = errors.New("forks are of the chain that --rpc URL names, at the block of --block N, and none is named: give both, or make the state with vm.etch, vm.store and vm.deal")

// Fork is the chain that a state goes on from.
type Fork struct {
	Environment Environment // at its block
	// Check says why a test cannot fork the chain that it names, by its address or an
	// alias, at a block; nil: any block. An empty name is the chain itself.
	Check func(name string, block *uint64) error
}

// Forks are those that tests have made.
type Forks struct {
	Name   string  // of the chain that they fork, in the test's words
	Made   uint64  // their ids are the numbers below this one
	Active *uint64 `json:",omitempty"` // nil: none was selected
}

// maxForkName bounds a test's name for a chain; arbitrary, addresses have about a hundred
// characters.
const maxForkName = 1 << 12

// newFork makes a fork, which changes nothing before it is selected.
func (c *context) newFork(a []abi.Value) (id uint64, err error) {
	if c.edge.Fork == nil {
		return 0, errNoFork
	}
	name := a[0].Text()
	if len(name) > maxForkName {
		return 0, errors.New("the chain's name is too long")
	}
	if c.Forks.Name != "" && c.Forks.Name != name {
		return 0, fmt.Errorf("%q is the second chain that is forked: --rpc names one, which stands for %q already", name, c.Forks.Name)
	}
	var block *uint64
	if len(a) > 1 {
		number, err := small(&a[1].Word)
		if err != nil {
			return 0, err
		}
		block = &number
	}
	if err := c.edge.Fork.Check(name, block); err != nil {
		return 0, err
	}
	c.Forks.Name = name
	c.Forks.Made++
	return c.Forks.Made - 1, nil
}

// selectFork makes block and chain look as at the fork's block, unless it is the active
// one already.
func (c *context) selectFork(id uint64) error {
	if c.edge.Fork == nil {
		return errNoFork
	}
	if id >= c.Forks.Made {
		return fmt.Errorf("no fork has the id %d", id)
	}
	if c.Forks.Active != nil && *c.Forks.Active == id {
		return nil
	}
	c.Forks.Active = &id
	c.Settings = Settings{}
	e := c.edge.Fork.Environment
	e.Origin = c.Environment().Origin
	c.SetEnvironment(e)
	return nil
}

func makeFork(c *context, a []abi.Value) ([]abi.Value, error) {
	id, err := c.newFork(a)
	return []abi.Value{uintOf(id)}, err
}

func makeSelectFork(c *context, a []abi.Value) ([]abi.Value, error) {
	id, err := c.newFork(a)
	if err == nil {
		err = c.selectFork(id)
	}
	return []abi.Value{uintOf(id)}, err
}

func selectFork(c *context, a []abi.Value) ([]abi.Value, error) {
	id, err := small(&a[0].Word)
	if err == nil {
		err = c.selectFork(id)
	}
	return nil, err
}

func activeFork(c *context, _ []abi.Value) ([]abi.Value, error) {
	switch {
	case c.edge.Fork == nil:
		return nil, errNoFork
	case c.Forks.Active == nil:
		return nil, errors.New("no fork is active")
	}
	return []abi.Value{uintOf(*c.Forks.Active)}, nil
}

// rollFork goes to a block of the fork, which has to be the one that it is at.
func rollFork(c *context, a []abi.Value) ([]abi.Value, error) {
	if c.edge.Fork == nil {
		return nil, errNoFork
	}
	if len(a) == 1 && c.Forks.Active == nil || len(a) == 2 && !a[0].Word.LtUint64(c.Forks.Made) {
		return nil, errors.New("no such fork is active")
	}
	block, err := small(&a[len(a)-1].Word)
	if err != nil {
		return nil, err
	}
	return nil, c.edge.Fork.Check("", &block)
}

func rpcURL(c *context, a []abi.Value) ([]abi.Value, error) {
	if c.edge.Fork == nil {
		return nil, errNoFork
	}
	return []abi.Value{a[0]}, c.edge.Fork.Check(a[0].Text(), nil)
}

// endpointWords are in the names of environment variables that hold an endpoint's address.
var endpointWords = []string{"RPC", "URL", "URI", "NODE", "ENDPOINT"}

// namesEndpoint reports whether an environment variable is read as a text, and has the name of
// one that holds an endpoint's address.
func (c *context) namesEndpoint(variable string) bool {
	return c.fn.Returns == "string" && slices.ContainsFunc(endpointWords, func(word string) bool { return strings.Contains(strings.ToUpper(variable), word) })
}

// endpoint is the value of such a variable: its name in foundry.toml's notation, since the
// address is private.
func (c *context) endpoint(variable string) (text string, ok bool) {
	if c.edge.Fork == nil || !c.namesEndpoint(variable) {
		return "", false
	}
	return "${" + variable + "}", true
}
