package cheatcode

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// recordTable: records of what contracts did.
var recordTable = []function{
	{Signature: "record()", run: record(true)},
	{Signature: "stopRecord()", run: record(false)},
	{Signature: "accesses(address)", Returns: "bytes32[],bytes32[]", run: accesses},
	{Signature: "recordLogs()", run: recordLogs},
	{Signature: "getRecordedLogs()", Returns: "(bytes32[],bytes,address)[]", run: getRecordedLogs},
	{Signature: "setBlockhash(uint256,bytes32)", run: setBlockhash},
}

// Accessed takes a read or a write into account. A write counts as a read, too, since
// SSTORE looks at what is there.
func (s *State) Accessed(a Access) {
	if !s.Recording || len(s.Accesses)+2 > maxAccesses {
		return
	}
	if a.Write {
		s.Accesses = append(s.Accesses, Access{Account: a.Account, Slot: a.Slot})
	}
	s.Accesses = append(s.Accesses, a)
}

func record(on bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, _ []abi.Value) ([]abi.Value, error) {
		c.Recording = on
		if on {
			c.Accesses = nil
		}
		return nil, nil
	}
}

func accesses(c *context, a []abi.Value) ([]abi.Value, error) {
	var reads, writes abi.Value
	for i := range c.Accesses {
		access := &c.Accesses[i]
		switch {
		case access.Account != a[0].Address():
		case access.Write:
			writes.Elems = append(writes.Elems, hashOf(access.Slot))
		default:
			reads.Elems = append(reads.Elems, hashOf(access.Slot))
		}
	}
	return []abi.Value{reads, writes}, nil
}

func recordLogs(c *context, _ []abi.Value) ([]abi.Value, error) {
	c.Listening, c.Events = true, nil
	return nil, nil
}

func getRecordedLogs(c *context, _ []abi.Value) ([]abi.Value, error) {
	var logs abi.Value
	for i := range c.Events {
		e := &c.Events[i]
		var topics abi.Value
		for _, topic := range e.Topics {
			topics.Elems = append(topics.Elems, hashOf(topic))
		}
		logs.Elems = append(logs.Elems, listOf(topics, bytesOf(e.Data), addressOf(e.Emitter)))
	}
	for i := range c.Events {
		c.Kept -= len(c.Events[i].Data)
	}
	c.Events = nil
	return []abi.Value{logs}, nil
}

// maxHashes bounds the block hashes that are set: BLOCKHASH reaches no further
// (yellow paper, appendix H).
const maxHashes = 256

func setBlockhash(c *context, a []abi.Value) ([]abi.Value, error) {
	number, err := small(&a[0].Word)
	if err != nil {
		return nil, err
	}
	if number > c.Environment().Number {
		return nil, errors.New("block number must be less than or equal to the current block number")
	}
	at := slices.IndexFunc(c.Hashes, func(h BlockHash) bool { return h.Number == number })
	switch {
	case at >= 0:
		c.Hashes[at].Hash = a[1].Hash()
	case len(c.Hashes) == maxHashes:
		return nil, errors.New("too many block hashes are set")
	default:
		c.Hashes = append(c.Hashes, BlockHash{number, a[1].Hash()})
	}
	return nil, nil
}

// BlockHash is the hash that a cheatcode has set for a block; false if none has.
func (s *State) BlockHash(number uint64) (common.Hash, bool) {
	for i := range s.Hashes {
		if s.Hashes[i].Number == number {
			return s.Hashes[i].Hash, true
		}
	}
	return common.Hash{}, false
}
