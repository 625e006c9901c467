package input

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxDescribed bounds what is shown of what bytes hold, in characters: about a line. Arbitrary.
const maxDescribed = 120

// describer shows what bytes hold that a contract is given, as Solidity would make them: abi.encode(…) where they are spelled as the World's
// contracts decode bytes, and abi.encodeCall(…) where they are the calldata of a function of theirs.
type describer struct {
	*Space
	contract *bytecode.Contract
	depth    int // so many byte strings deep
}

// describe shows bytes: those that fit a word as they are.
func (d describer) describe(data []byte) string {
	if len(data) <= describedBytes || d.depth == maxEncodedDepth {
		return describeBytes(data)
	}
	for _, depth := range []int{d.depth + 1, maxEncodedDepth} { // what is too long is shown without what bytes in it hold
		inner := describer{d.Space, d.contract, depth}
		if text := inner.encoded(data); text != "" && len(text) <= maxDescribed {
			return text
		}
	}
	return describeBytes(data)
}

// encoded is what makes bytes, as an expression; empty where nothing is known that does.
func (d describer) encoded(data []byte) string {
	if one, values := d.encodings.first(d.contract, data); one != nil {
		return "abi.encode(" + d.list(one.types, values) + ")"
	}
	if f, values := d.calldata(data); f != nil {
		return "abi.encodeCall(" + quoteName(f.Contract.Name) + "." + quoteName(f.Name) + ", (" + d.list(f.Inputs, values) + "))"
	}
	return ""
}

func (d describer) list(types []Type, values []Value) string {
	var b strings.Builder
	for i := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		d.value(&b, &values[i], &types[i])
	}
	return b.String()
}

// calldata reads bytes as a call of a function of the World's; nil where they are none.
func (s *Space) calldata(data []byte) (*Function, []Value) {
	if len(data)%chunkBytes != selectorBytes {
		return nil, nil
	}
	for i := range s.Instances {
		for _, f := range s.Instances[i].Functions {
			if f.Kind != Method || !bytes.Equal(f.Selector[:], data[:selectorBytes]) {
				continue
			}
			args := data[selectorBytes:]
			if values, err := Decode(f.Inputs, args); err == nil && bytes.Equal(abi.Append(nil, f.Inputs, values), args) {
				return f, values
			}
		}
	}
	return nil, nil
}

const selectorBytes = 4

// first is the first encoding with which bytes are spelled like that, a contract's own before others, and what they hold by it; nil where there is none.
func (e *encodings) first(c *bytecode.Contract, data []byte) (*encoding, []Value) {
	fitting, decoded := e.fitting(c, data)
	if len(fitting) == 0 {
		return nil, nil
	}
	return fitting[0], decoded[0]
}

func describeBytes(data []byte) string {
	if len(data) == 0 {
		return `""`
	}
	if len(data) <= describedBytes {
		return "0x" + hex.EncodeToString(data)
	}
	return fmt.Sprintf("0x%s… %d bytes", hex.EncodeToString(data[:describedBytes/2]), len(data))
}
