package seeds

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Medusa's files in call_sequences/ and test_results/ hold its type CallSequence
// (fuzzing/calls/call_sequence.go), with the arguments as fuzzing/valuegeneration/abi_values.go
// encodes them: numbers as text, bytes as digits, structs by the names of their fields.

type medusaElement struct {
	Call                *medusaCall `json:"call"`
	BlockNumberDelay    quantity    `json:"blockNumberDelay"`
	BlockTimestampDelay quantity    `json:"blockTimestampDelay"`
}

type medusaCall struct {
	From      string      `json:"from"`
	To        *string     `json:"to"` // null: it deploys a contract
	Value     quantity    `json:"value"`
	Data      string      `json:"data"`
	ABIValues *medusaData `json:"dataAbiValues"` // counts instead of data
}

type medusaData struct {
	MethodSignature string `json:"methodSignature"`
	MethodName      string `json:"methodName"` // in older versions
	InputValues     []any  `json:"inputValues"`
}

// quantity is a number as text, decimal or hexadecimal, or as JSON has it; null is 0.
type quantity struct{ uint256.Int }

// UnmarshalJSON reads a quantity.
func (q *quantity) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" {
		return nil
	}
	x, ok := number(text)
	if !ok {
		return errors.New("it is not a number below 2^256")
	}
	q.Int = x
	return nil
}

// parseMedusa reads a file of Medusa's.
func parseMedusa(data []byte) (sequence, error) {
	var elements []medusaElement
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&elements); err != nil {
		return nil, fmt.Errorf("not a list of calls: %w", err)
	}
	var seq sequence
	for i := range elements {
		e := &elements[i]
		if e.Call == nil {
			return nil, fmt.Errorf("call %d: it has no call", i+1)
		}
		c, err := e.Call.read()
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		c.time = bounded(&e.BlockTimestampDelay.Int, input.MaxTimeAdvance)
		c.blocks = bounded(&e.BlockNumberDelay.Int, input.MaxBlockAdvance)
		seq = append(seq, c)
	}
	return seq, nil
}

func (m *medusaCall) read() (c call, err error) {
	c.value = m.Value.Int
	if c.from, err = account(m.From); err != nil {
		return c, fmt.Errorf("from: %w", err)
	}
	if c.create = m.To == nil; c.create {
		return c, nil
	}
	if c.to, err = account(*m.To); err != nil {
		return c, fmt.Errorf("to: %w", err)
	}
	if v := m.ABIValues; v != nil {
		if c.signature = v.MethodSignature; c.signature == "" {
			c.signature = v.MethodName
		}
		if c.signature == "" {
			return c, errors.New("its function has no name")
		}
		for _, value := range v.InputValues {
			c.arguments = append(c.arguments, medusaValue{value})
		}
		return c, nil
	}
	c.data, err = hexBytes(m.Data)
	return c, err
}

// medusaValue is an argument: text, true or false, a list, or fields by name.
type medusaValue struct{ json any }

func (m medusaValue) as(t *input.Type) (input.Value, error) {
	switch v := m.json.(type) {
	case bool:
		if t.Kind == input.Bool {
			return boolAs(v), nil
		}
	case json.Number:
		if t.Kind == input.Uint || t.Kind == input.Int {
			return numberAs(v.String(), t)
		}
	case string:
		return medusaText(v, t)
	case []any:
		if t.Kind != input.Slice && t.Kind != input.Array {
			break
		}
		arguments := make([]argument, len(v))
		for i := range v {
			arguments[i] = medusaValue{v[i]}
		}
		return elementsAs(arguments, t)
	case map[string]any:
		if t.Kind != input.Tuple || len(v) != len(t.Fields) {
			break
		}
		var arguments []argument
		for _, name := range t.Names {
			if field, ok := v[name]; ok {
				arguments = append(arguments, medusaValue{field})
			}
		}
		return elementsAs(arguments, t)
	}
	return input.Value{}, errMisfit
}

// medusaText is an argument that is written as text.
func medusaText(text string, t *input.Type) (input.Value, error) {
	switch t.Kind {
	case input.Uint, input.Int:
		return numberAs(text, t)
	case input.String:
		return bytesAs([]byte(text), t)
	case input.Bytes, input.FixedBytes:
		data, err := hexBytes(text)
		if err != nil {
			return input.Value{}, errMisfit
		}
		return bytesAs(data, t)
	case input.Address:
		data, err := hexBytes(text)
		if err != nil || len(data) != common.AddressLength {
			return input.Value{}, errMisfit
		}
		return addressAs(common.BytesToAddress(data)), nil
	}
	return input.Value{}, errMisfit
}

// hexBytes reads hexadecimal digits, with or without 0x.
func hexBytes(text string) ([]byte, error) {
	data, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, errors.New("not bytes as hexadecimal digits")
	}
	return data, nil
}
