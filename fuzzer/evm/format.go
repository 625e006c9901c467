package evm

import (
	"fmt"
	"slices"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// sortedErrors lists a contract's custom errors by signature.
func sortedErrors(c *bytecode.Contract) []gethabi.Error {
	errors := make([]gethabi.Error, 0, len(c.ABI.Errors))
	for _, e := range c.ABI.Errors {
		errors = append(errors, e)
	}
	slices.SortFunc(errors, func(a, b gethabi.Error) int { return strings.Compare(a.Sig, b.Sig) })
	return errors
}

// solidity writes values as a Solidity programmer does; structs with the names of their
// members.
var solidity = abi.Style{Named: true}

// FormatValue renders a value that go-ethereum's package abi would pack, as a Solidity
// programmer writes it.
func FormatValue(t gethabi.Type, value any) string {
	arguments := gethabi.Arguments{{Type: t}}
	if data, err := arguments.Pack(value); err == nil {
		if texts, err := format(arguments, data); err == nil {
			return texts[0]
		}
	}
	return fmt.Sprint(value)
}

// FormatArguments decodes arguments, or what a function returned, and renders them as
// [FormatValue] does. It is false for data that does not fit, or is longer than some
// kilobytes.
func FormatArguments(arguments gethabi.Arguments, data []byte) ([]string, bool) {
	if len(data) > maxReasonData {
		return nil, false
	}
	texts, err := format(arguments, data)
	if err != nil {
		return nil, false
	}
	for i := range texts {
		texts[i] = shorten(texts[i])
	}
	return texts, true
}

// format renders each value of an encoding.
func format(arguments gethabi.Arguments, data []byte) ([]string, error) {
	types, err := abi.OfArguments(arguments)
	if err != nil {
		return nil, err
	}
	values, err := abi.Decode(types, data, abi.Honest(data))
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = solidity.Format(&types[i], &values[i])
	}
	return texts, nil
}

// FormatRevert says for people what a frame reverted with. It knows the errors of the
// contract, which may be nil, and those of the language.
func FormatRevert(contract *bytecode.Contract, data []byte) string {
	return (*Reasons)(nil).decode(contract, data)
}
