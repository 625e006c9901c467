package bytecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
)

// Bounds on an ABI, which is untrusted and from which go-ethereum makes Go
// types. All are far above what a contract that fits into EIP-170's limit can
// have, and otherwise arbitrary.
const (
	MaxABIEntries   = 10_000  // functions, events, errors
	maxABIDepth     = 32      // nested tuples, and array dimensions of one type
	maxABIElements  = 1 << 20 // elements of fixed arrays, dimensions multiplied
	maxABIArguments = 1_000   // parameters of a function, members of a tuple
)

// ParseABI is go-ethereum's reader behind bounds: more entries than [MaxABIEntries],
// types that are none, and what is too deep or too large are errors.
func ParseABI(text []byte) (parsed abi.ABI, err error) {
	if err := checkABI(text); err != nil {
		return abi.ABI{}, err
	}
	// It makes struct types by reflect.StructOf, which panics on what it does
	// not like; checkABI cannot foresee all of that.
	defer func() {
		if fault := recover(); fault != nil {
			parsed, err = abi.ABI{}, errors.New(shortened(fmt.Sprint(fault)))
		}
	}()
	return abi.JSON(bytes.NewReader(text))
}

// abiArgument is a parameter or a tuple's member.
type abiArgument struct {
	Type       string        `json:"type"`
	Components []abiArgument `json:"components"`
}

// checkABI holds the bounds above.
func checkABI(text []byte) error {
	var entries []struct {
		Inputs  []abiArgument `json:"inputs"`
		Outputs []abiArgument `json:"outputs"`
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	if len(entries) > MaxABIEntries {
		return fmt.Errorf("more than %d entries", MaxABIEntries)
	}
	for _, e := range entries {
		for _, arguments := range [][]abiArgument{e.Inputs, e.Outputs} {
			if _, err := checkArguments(arguments, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkArguments counts the elements that the arguments hold together.
func checkArguments(arguments []abiArgument, depth int) (elements int, err error) {
	if len(arguments) > maxABIArguments {
		return 0, fmt.Errorf("more than %d parameters or members", maxABIArguments)
	}
	if depth > maxABIDepth {
		return 0, fmt.Errorf("tuples nest deeper than %d", maxABIDepth)
	}
	for _, a := range arguments {
		n := 1
		if len(a.Components) > 0 {
			if n, err = checkArguments(a.Components, depth+1); err != nil {
				return 0, err
			}
		}
		if n, err = multiply(n, a.Type); err != nil {
			return 0, err
		}
		if elements += n; elements > maxABIElements {
			return 0, fmt.Errorf("more than %d elements", maxABIElements)
		}
	}
	return elements, nil
}

// isElementary reports whether the name is that of a type other than an array
// (ABI specification, "Types"). go-ethereum is less strict and takes "uint257".
func isElementary(name string) bool {
	digits := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz")
	size, err := strconv.Atoi(digits)
	switch family := strings.TrimSuffix(name, digits); family {
	case "uint", "int":
		return digits == "" || err == nil && size > 0 && size <= 256 && size%8 == 0
	case "bytes":
		return digits == "" || err == nil && size > 0 && size <= 32
	case "address", "bool", "string", "function", "tuple":
		return digits == ""
	}
	return false
}

// multiply counts the elements of an array type whose element counts as n.
func multiply(n int, arrayType string) (int, error) {
	element, _, _ := strings.Cut(arrayType, "[")
	if !isElementary(element) {
		return 0, fmt.Errorf("%q is not a type", shortened(arrayType))
	}
	dimensions := strings.Split(arrayType, "[")[1:]
	if len(dimensions) > maxABIDepth {
		return 0, fmt.Errorf("an array of more than %d dimensions", maxABIDepth)
	}
	for _, d := range dimensions {
		length, err := strconv.Atoi(strings.TrimSuffix(d, "]"))
		if err != nil {
			continue // dynamic, or left to go-ethereum to refuse
		}
		if length < 0 || length > maxABIElements {
			return 0, fmt.Errorf("an array of %s elements", shortened(d))
		}
		if n *= length; n > maxABIElements {
			return 0, fmt.Errorf("more than %d elements", maxABIElements)
		}
	}
	return n, nil
}

// shortened bounds a text from outside in a message.
func shortened(s string) string {
	const limit = 60 // arbitrary: half a terminal's line
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
