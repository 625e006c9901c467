package cheatcode

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// prankTable: whose calls are whose.
var prankTable = []function{
	{Signature: "prank(address)", run: prank(true)},
	{Signature: "prank(address,address)", run: prank(true)},
	{Signature: "prank(address,bool)", run: prankDelegate(true)},
	{Signature: "prank(address,address,bool)", run: prankDelegate(true)},
	{Signature: "startPrank(address)", run: prank(false)},
	{Signature: "startPrank(address,address)", run: prank(false)},
	{Signature: "startPrank(address,bool)", run: prankDelegate(false)},
	{Signature: "startPrank(address,address,bool)", run: prankDelegate(false)},
	{Signature: "stopPrank()", run: stopPrank},
	{Signature: "readCallers()", Returns: "uint8,address,address", run: readCallers},
	{Signature: "broadcast()", run: broadcast(true)},
	{Signature: "broadcast(address)", run: broadcast(true)},
	{Signature: "broadcast(uint256)", run: broadcastKey(true), curve: true},
	{Signature: "startBroadcast()", run: broadcast(false)},
	{Signature: "startBroadcast(address)", run: broadcast(false)},
	{Signature: "startBroadcast(uint256)", run: broadcastKey(false), curve: true},
	{Signature: "stopBroadcast()", run: stopBroadcast},
}

// maxPranks bounds the pranks that are open at different depths; arbitrary.
const maxPranks = 64

// begin opens a prank, at the place of its depth.
func (c *context) begin(p Prank) error {
	p.By, p.Depth = c.by, c.depth
	if open := c.prank(c.depth); open != nil {
		switch {
		case !open.Used:
			return errors.New("cannot overwrite a prank until it is applied at least once")
		case open.Once != p.Once:
			return errors.New("cannot override an ongoing prank with a single vm.prank; use vm.startPrank to override the current prank")
		}
	}
	if c.Broadcast != nil {
		return errors.New("cannot `prank` for a broadcasted transaction; pass the desired `tx.origin` into the `broadcast` cheatcode call")
	}
	at, found := slices.BinarySearchFunc(c.Pranks, p.Depth, func(p Prank, depth int) int { return p.Depth - depth })
	switch {
	case found:
		c.Pranks[at] = p
	case len(c.Pranks) == maxPranks:
		return errors.New("too many pranks are open")
	default:
		c.Pranks = slices.Insert(c.Pranks, at, p)
	}
	return nil
}

func prank(once bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		p := Prank{Sender: a[0].Address(), Once: once}
		if len(a) > 1 {
			origin := a[1].Address()
			p.Origin = &origin
		}
		return nil, c.begin(p)
	}
}

func prankDelegate(once bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		last := len(a) - 1
		p := Prank{Sender: a[0].Address(), Once: once, Delegated: a[last].Bool()}
		if p.Delegated && len(c.Account(p.Sender).Code) == 0 {
			return nil, errors.New("cannot `prank` delegate call from an EOA")
		}
		if last > 1 {
			origin := a[1].Address()
			p.Origin = &origin
		}
		return nil, c.begin(p)
	}
}

func stopPrank(c *context, _ []abi.Value) ([]abi.Value, error) {
	c.Pranks = slices.DeleteFunc(c.Pranks, func(p Prank) bool { return p.Depth == c.depth })
	return nil, nil
}

// send opens a broadcast.
func (c *context) send(sender common.Address, once bool) error {
	switch {
	case c.prank(c.depth) != nil:
		return errors.New("you have an active prank; broadcasting and pranks are not compatible")
	case c.Broadcast != nil:
		return errors.New("a broadcast is active already")
	}
	c.Broadcast = &Prank{By: c.by, Depth: c.depth, Sender: sender, Origin: &sender, Once: once}
	return nil
}

// broadcast changes the sender as in a script; without arguments to the only one whose
// key is known, or else to the transaction's.
func broadcast(once bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		sender := c.Environment().Origin
		if len(a) > 0 {
			sender = a[0].Address()
		} else if len(c.Keys) == 1 {
			sender = c.Keys[0].Address
		}
		return nil, c.send(sender, once)
	}
}

func broadcastKey(once bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		key, err := keyOf(&a[0].Word)
		if err != nil {
			return nil, err
		}
		if err := c.send(addressOfKey(key), once); err != nil {
			return nil, err
		}
		return nil, c.remember(Key{addressOfKey(key), a[0].Word})
	}
}

func stopBroadcast(c *context, _ []abi.Value) ([]abi.Value, error) {
	if c.Broadcast == nil {
		return nil, errors.New("no broadcast in progress to stop")
	}
	c.Broadcast = nil
	return nil, nil
}

// The modes of VmSafe.CallerMode.
const (
	callerNone = iota
	callerBroadcast
	callerRecurrentBroadcast
	callerPrank
	callerRecurrentPrank
)

func readCallers(c *context, _ []abi.Value) ([]abi.Value, error) {
	origin := c.Environment().Origin
	open, mode := c.Broadcast, uint64(callerBroadcast)
	if p := c.prank(c.depth); p != nil {
		open, mode = p, callerPrank
	}
	sender := origin
	switch {
	case open == nil:
		mode = callerNone
	default:
		sender = open.Sender
		if !open.Once {
			mode++
		}
		if open.Origin != nil {
			origin = *open.Origin
		}
	}
	return []abi.Value{uintOf(mode), addressOf(sender), addressOf(origin)}, nil
}
