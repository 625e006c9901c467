package cheatcode

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// recordTable: what contracts did.
var recordTable = []Function{
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

func record(on bool) func(*context, []value) ([]value, error) {
	return func(c *context, _ []value) ([]value, error) {
		c.Recording = on
		if on {
			c.Accesses = nil
		}
		return nil, nil
	}
}

func accesses(c *context, a []value) ([]value, error) {
	var reads, writes value
	for i := range c.Accesses {
		access := &c.Accesses[i]
		switch {
		case access.Account != a[0].address():
		case access.Write:
			writes.list = append(writes.list, hashOf(access.Slot))
		default:
			reads.list = append(reads.list, hashOf(access.Slot))
		}
	}
	return []value{reads, writes}, nil
}

func recordLogs(c *context, _ []value) ([]value, error) {
	c.Listening, c.Events = true, nil
	return nil, nil
}

func getRecordedLogs(c *context, _ []value) ([]value, error) {
	var logs value
	for i := range c.Events {
		e := &c.Events[i]
		var topics value
		for _, topic := range e.Topics {
			topics.list = append(topics.list, hashOf(topic))
		}
		logs.list = append(logs.list, listOf(topics, bytesOf(e.Data), addressOf(e.Emitter)))
	}
	for i := range c.Events {
		c.Kept -= len(c.Events[i].Data)
	}
	c.Events = nil
	return []value{logs}, nil
}

// maxHashes bounds the block hashes that are set: BLOCKHASH reaches no further
// (yellow paper, appendix H).
const maxHashes = 256

func setBlockhash(c *context, a []value) ([]value, error) {
	number, err := small(&a[0].word)
	if err != nil {
		return nil, err
	}
	if number > c.Environment().Number {
		return nil, errors.New("block number must be less than or equal to the current block number")
	}
	at := slices.IndexFunc(c.Hashes, func(h BlockHash) bool { return h.Number == number })
	switch {
	case at >= 0:
		c.Hashes[at].Hash = a[1].hash()
	case len(c.Hashes) == maxHashes:
		return nil, errors.New("too many block hashes are set")
	default:
		c.Hashes = append(c.Hashes, BlockHash{number, a[1].hash()})
	}
	return nil, nil
}

// BlockHash is what a cheatcode has made the hash of a block; false when none has.
func (s *State) BlockHash(number uint64) (common.Hash, bool) {
	for i := range s.Hashes {
		if s.Hashes[i].Number == number {
			return s.Hashes[i].Hash, true
		}
	}
	return common.Hash{}, false
}
