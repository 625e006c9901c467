package cheatcode

import (
	"errors"

	"github.com/sightline-evm/sightline/internal/abi"
)

// snapshotTable: states to return to.
var snapshotTable = []function{
	{Signature: "snapshot()", Returns: "uint256", run: snapshot},
	{Signature: "snapshotState()", Returns: "uint256", run: snapshot},
	{Signature: "revertTo(uint256)", Returns: "bool", run: revertTo(false)},
	{Signature: "revertToState(uint256)", Returns: "bool", run: revertTo(false)},
	{Signature: "revertToAndDelete(uint256)", Returns: "bool", run: revertTo(true)},
	{Signature: "revertToStateAndDelete(uint256)", Returns: "bool", run: revertTo(true)},
	{Signature: "deleteSnapshot(uint256)", Returns: "bool", run: deleteSnapshot},
	{Signature: "deleteStateSnapshot(uint256)", Returns: "bool", run: deleteSnapshot},
	{Signature: "deleteSnapshots()", run: deleteSnapshots},
	{Signature: "deleteStateSnapshots()", run: deleteSnapshots},
}

// maxSnapshots bounds the snapshots of a run; arbitrary.
const maxSnapshots = 1 << 10

func snapshot(c *context, _ []abi.Value) ([]abi.Value, error) {
	if len(c.Marks) == maxSnapshots {
		return nil, errors.New("too many snapshots")
	}
	n := len(c.Marks)
	c.Mark(n)
	c.Marks = append(c.Marks, Snapshot{Environment: c.Environment(), Settings: c.Settings})
	return []abi.Value{uintOf(uint64(n))}, nil
}

// snapshot is the one with a number; nil when there is none.
func (c *context) snapshot(v *abi.Value) *Snapshot {
	if n, err := small(&v.Word); err == nil && n < uint64(len(c.Marks)) && !c.Marks[n].Gone {
		return &c.Marks[n]
	}
	return nil
}

// revertTo undoes all changes since a snapshot, and deletes all later ones. A snapshot taken
// in a frame that failed is gone with it.
func revertTo(remove bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		s := c.snapshot(&a[0])
		if s == nil {
			return []abi.Value{boolOf(false)}, nil
		}
		n := int(a[0].Word.Uint64())
		if !c.Restore(n) {
			s.Gone = true
			return []abi.Value{boolOf(false)}, nil
		}
		environment := s.Environment
		environment.Origin = c.Environment().Origin
		c.SetEnvironment(environment)
		c.Settings = s.Settings
		for i := n + 1; i < len(c.Marks); i++ {
			c.Marks[i].Gone = true
		}
		s.Gone = remove
		return []abi.Value{boolOf(true)}, nil
	}
}

func deleteSnapshot(c *context, a []abi.Value) ([]abi.Value, error) {
	s := c.snapshot(&a[0])
	if s == nil {
		return []abi.Value{boolOf(false)}, nil
	}
	s.Gone = true
	return []abi.Value{boolOf(true)}, nil
}

func deleteSnapshots(c *context, _ []abi.Value) ([]abi.Value, error) {
	for i := range c.Marks {
		c.Marks[i].Gone = true
	}
	return nil, nil
}
