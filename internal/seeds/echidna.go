package seeds

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/human"
)

// maxQuoted bounds a word of a stranger's file in an error, in characters; arbitrary.
const maxQuoted = 40

// Echidna's files in coverage/ and reproducers/ hold a list of transactions as Haskell's aeson
// writes its type Tx (lib/Echidna/Types/Tx.hs), and the arguments as it writes hevm's AbiValue:
// constructors as tag and contents, byte strings as Haskell shows them.

// echidnaTx is a transaction. Before Echidna 2.1, names had underscores.
type echidnaTx struct {
	Call  *echidnaTagged  `json:"call"`
	Src   string          `json:"src"`
	Dst   string          `json:"dst"`
	Value string          `json:"value"`
	Delay json.RawMessage `json:"delay"`

	OldCall  *echidnaTagged  `json:"_call"`
	OldSrc   string          `json:"_src"`
	OldDst   string          `json:"_dst"`
	OldValue string          `json:"_value"`
	OldDelay json.RawMessage `json:"_delay"`
}

// echidnaTagged is a value of a type with several constructors.
type echidnaTagged struct {
	Tag      string          `json:"tag"`
	Contents json.RawMessage `json:"contents"`
}

// parseEchidna reads a file of Echidna's.
func parseEchidna(data []byte) (sequence, error) {
	var list []echidnaTx
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("not a list of transactions: %w", err)
	}
	var seq sequence
	var time, blocks uint256.Int // of those that only wait
	for i := range list {
		t := &list[i]
		if t.Call == nil {
			t.Call, t.Src, t.Dst, t.Value, t.Delay = t.OldCall, t.OldSrc, t.OldDst, t.OldValue, t.OldDelay
		}
		c, err := t.read(&time, &blocks)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i+1, err)
		}
		if t.Call.Tag == "NoCall" {
			continue
		}
		seq = append(seq, c)
		time.Clear()
		blocks.Clear()
	}
	return seq, nil
}

// read reads a transaction, and adds its delay to time and blocks.
func (t *echidnaTx) read(time, blocks *uint256.Int) (c call, err error) {
	if t.Call == nil {
		return c, errors.New("it has no call")
	}
	if err := addDelay(t.Delay, time, blocks); err != nil {
		return c, err
	}
	c.time, c.blocks = bounded(time, input.MaxTimeAdvance), bounded(blocks, input.MaxBlockAdvance)
	if c.from, err = account(t.Src); err != nil {
		return c, fmt.Errorf("src: %w", err)
	}
	if c.to, err = account(t.Dst); err != nil {
		return c, fmt.Errorf("dst: %w", err)
	}
	if t.Value != "" {
		var ok bool
		if c.value, ok = number(t.Value); !ok {
			return c, errors.New("value: it is not a number")
		}
	}
	return c, t.Call.into(&c)
}

// into reads what is called.
func (t *echidnaTagged) into(c *call) error {
	switch t.Tag {
	case "SolCall":
		parts, err := list(t.Contents, 2)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(parts[0], &c.signature); err != nil {
			return fmt.Errorf("the function's name: %w", err)
		}
		var arguments []echidnaTagged
		if err := json.Unmarshal(parts[1], &arguments); err != nil {
			return fmt.Errorf("the arguments: %w", err)
		}
		for i := range arguments {
			c.arguments = append(c.arguments, &arguments[i])
		}
	case "SolCalldata":
		data, err := shown(t.Contents)
		if err != nil {
			return err
		}
		c.data = data
	case "SolCreate":
		c.create = true
	case "NoCall":
	default:
		return fmt.Errorf("a call of the unknown kind %q", human.Clean(t.Tag, maxQuoted))
	}
	return nil
}

// addDelay adds a delay, a pair of seconds and blocks.
func addDelay(data json.RawMessage, time, blocks *uint256.Int) error {
	if len(data) == 0 {
		return nil
	}
	var parts []string
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 2 {
		return errors.New("delay: want two numbers as text")
	}
	for i, to := range []*uint256.Int{time, blocks} {
		x, ok := number(parts[i])
		if !ok {
			return errors.New("delay: it is not a number")
		}
		if _, overflow := to.AddOverflow(to, &x); overflow {
			to.SetAllOne()
		}
	}
	return nil
}

// list reads a list of so many elements.
func list(data json.RawMessage, n int) ([]json.RawMessage, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != n {
		return nil, fmt.Errorf("want a list of %d", n)
	}
	return parts, nil
}

// as is an AbiValue as a value of a type. Widths must agree: they tell overloads apart.
func (t *echidnaTagged) as(typ *input.Type) (input.Value, error) {
	if t.Tag != echidnaTags[typ.Kind] && (t.Tag != "AbiFunction" || typ.Kind != input.FixedBytes) {
		return input.Value{}, errMisfit
	}
	switch typ.Kind {
	case input.Uint, input.Int:
		var text string
		if err := t.sized(typ.Bits, &text); err != nil {
			return input.Value{}, err
		}
		return numberAs(text, typ)
	case input.FixedBytes:
		contents := t.Contents
		if t.Tag == "AbiBytes" {
			if err := t.sized(typ.Bits/8, &contents); err != nil {
				return input.Value{}, err
			}
		}
		return shownAs(contents, typ)
	case input.Bytes, input.String:
		return shownAs(t.Contents, typ)
	case input.Address:
		var text string
		if json.Unmarshal(t.Contents, &text) != nil {
			return input.Value{}, errMisfit
		}
		a, err := account(text)
		return addressAs(a), err
	case input.Bool:
		var is bool
		if json.Unmarshal(t.Contents, &is) != nil {
			return input.Value{}, errMisfit
		}
		return boolAs(is), nil
	}
	return t.elements(typ)
}

// echidnaTags are the constructors of AbiValue by the kinds of types.
var echidnaTags = map[input.Kind]string{
	input.Uint: "AbiUInt", input.Int: "AbiInt", input.Address: "AbiAddress", input.Bool: "AbiBool", input.FixedBytes: "AbiBytes",
	input.Bytes: "AbiBytesDynamic", input.String: "AbiString", input.Slice: "AbiArrayDynamic", input.Array: "AbiArray", input.Tuple: "AbiTuple",
}

// sized reads the contents of a value with a width.
func (t *echidnaTagged) sized(want int, value any) error {
	parts, err := list(t.Contents, 2)
	var size int
	if err != nil || json.Unmarshal(parts[0], &size) != nil || size != want || json.Unmarshal(parts[1], value) != nil {
		return errMisfit
	}
	return nil
}

// elements are those of an array, which come after its type, or the fields of a struct.
func (t *echidnaTagged) elements(typ *input.Type) (input.Value, error) {
	contents := t.Contents
	if before := map[input.Kind]int{input.Slice: 1, input.Array: 2}[typ.Kind]; before > 0 {
		parts, err := list(contents, before+1)
		if err != nil {
			return input.Value{}, errMisfit
		}
		contents = parts[before]
	}
	var tagged []echidnaTagged
	if json.Unmarshal(contents, &tagged) != nil {
		return input.Value{}, errMisfit
	}
	arguments := make([]argument, len(tagged))
	for i := range tagged {
		arguments[i] = &tagged[i]
	}
	return elementsAs(arguments, typ)
}

// shown reads a byte string that Haskell shows in a JSON string.
func shown(data json.RawMessage) ([]byte, error) {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return nil, errors.New("want bytes as text")
	}
	return haskellBytes(text)
}

func shownAs(data json.RawMessage, t *input.Type) (input.Value, error) {
	content, err := shown(data)
	if err != nil {
		return input.Value{}, errMisfit
	}
	return bytesAs(content, t)
}

// account reads an address, of which fuzzers leave out leading zeros; empty is the zero address.
func account(text string) (common.Address, error) {
	if text == "" {
		return common.Address{}, nil
	}
	x, ok := number(text)
	if !ok || !strings.HasPrefix(text, "0x") || x.BitLen() > 8*common.AddressLength {
		return common.Address{}, errors.New("it is not an address")
	}
	return x.Bytes20(), nil
}
