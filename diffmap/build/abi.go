package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
)

// Bounds on an ABI, which is untrusted and from which go-ethereum makes Go
// types. All are far above what a contract that fits into EIP-170's limit can
// have, and otherwise arbitrary.
const (
	maxABIEntries   = 10_000  // functions, events, errors
	maxABIDepth     = 32      // nested tuples, and array dimensions of one type
	maxABIElements  = 1 << 20 // elements of fixed arrays, dimensions multiplied
	maxABIArguments = 1_000   // parameters of a function, members of a tuple
)

// parseABI reads a contract's ABI. The text says why it could not be read: the
// contract is then listed without functions.
func parseABI(text json.RawMessage) (parsed abi.ABI, reason string) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return abi.ABI{}, `the output has no "abi"`
	}
	if err := checkABI(text); err != nil {
		return abi.ABI{}, "its ABI is refused: " + err.Error()
	}
	// go-ethereum makes struct types by reflect.StructOf, which panics on what
	// it does not like; checkABI can't foresee all of that.
	defer func() {
		if fault := recover(); fault != nil {
			parsed, reason = abi.ABI{}, shorten(fmt.Sprintf("its ABI is refused: %v", fault))
		}
	}()
	parsed, err := abi.JSON(bytes.NewReader(text))
	if err != nil {
		return abi.ABI{}, "its ABI is refused: " + err.Error()
	}
	return parsed, ""
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
	if len(entries) > maxABIEntries {
		return fmt.Errorf("more than %d entries", maxABIEntries)
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

// multiply counts the elements of an array type whose element counts as n.
func multiply(n int, arrayType string) (int, error) {
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
			return 0, fmt.Errorf("an array of %s elements", shorten(d))
		}
		if n *= length; n > maxABIElements {
			return 0, fmt.Errorf("more than %d elements", maxABIElements)
		}
	}
	return n, nil
}
