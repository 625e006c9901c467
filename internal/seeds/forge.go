package seeds

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// forge keeps what failed in cache/invariant/failures (its type InvariantPersistedFailure) and in
// cache/fuzz/failures (BaseCounterExample), and with corpus_dir, what reached something new
// (a list of BasicTxDetails), compressed if it is long. This is how forge 1.7 writes them.

// forgeCall is a call of any of these.
type forgeCall struct {
	Warp         *quantity `json:"warp"`
	Roll         *quantity `json:"roll"`
	Sender       *string   `json:"sender"`
	Addr         *string   `json:"addr"`   // of a failure
	Target       *string   `json:"target"` // of a corpus
	Calldata     *string   `json:"calldata"`
	Value        *quantity `json:"value"`
	ContractName *string   `json:"contract_name"`
	// CallDetails has target, calldata and value in versions that do not write them flat.
	CallDetails *forgeCall `json:"call_details"`
}

// parseForge reads a file of forge's. test is the contract whose test it is of, as the file's path
// says; empty: it does not.
func parseForge(data []byte, test string) (sequence, error) {
	var calls []forgeCall
	if firstByte(data) == '[' {
		if err := json.Unmarshal(data, &calls); err != nil {
			return nil, fmt.Errorf("not a list of calls: %w", err)
		}
	} else {
		var failure struct {
			CallSequence []forgeCall `json:"call_sequence"`
			forgeCall
		}
		if err := json.Unmarshal(data, &failure); err != nil {
			return nil, fmt.Errorf("not a failure: %w", err)
		}
		if calls = failure.CallSequence; calls == nil {
			calls = []forgeCall{failure.forgeCall}
		}
	}
	var seq sequence
	for i := range calls {
		c, err := calls[i].read(test)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		seq = append(seq, c)
	}
	return seq, nil
}

func (f *forgeCall) read(test string) (c call, err error) {
	if d := f.CallDetails; d != nil {
		f.Target, f.Calldata, f.Value = d.Target, d.Calldata, d.Value
	}
	if f.Calldata == nil {
		return c, errors.New("it has no calldata")
	}
	if c.data, err = hexBytes(*f.Calldata); err != nil {
		return c, err
	}
	if f.Sender != nil {
		if c.from, err = account(*f.Sender); err != nil {
			return c, fmt.Errorf("sender: %w", err)
		}
	}
	if f.Addr == nil {
		f.Addr = f.Target
	}
	if f.Addr != nil {
		if c.to, err = account(*f.Addr); err != nil {
			return c, fmt.Errorf("target: %w", err)
		}
	}
	switch {
	case f.ContractName != nil:
		c.contract = *f.ContractName
	case f.Addr == nil:
		c.contract = test
	}
	if f.Value != nil {
		c.value = f.Value.Int
	}
	if f.Warp != nil {
		c.time = bounded(&f.Warp.Int, input.MaxTimeAdvance)
	}
	if f.Roll != nil {
		c.blocks = bounded(&f.Roll.Int, input.MaxBlockAdvance)
	}
	return c, nil
}
