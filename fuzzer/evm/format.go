package evm

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// sortedErrors lists a contract's custom errors by signature.
func sortedErrors(c *bytecode.Contract) []abi.Error {
	errors := make([]abi.Error, 0, len(c.ABI.Errors))
	for _, e := range c.ABI.Errors {
		errors = append(errors, e)
	}
	slices.SortFunc(errors, func(a, b abi.Error) int { return strings.Compare(a.Sig, b.Sig) })
	return errors
}

// FormatValue renders a value that package abi unpacked, or would pack, as a
// Solidity programmer writes it.
func FormatValue(t abi.Type, value any) string {
	v := reflect.ValueOf(value)
	switch t.T {
	case abi.StringTy:
		return strconv.Quote(fmt.Sprint(value))
	case abi.AddressTy, abi.IntTy, abi.UintTy, abi.BoolTy:
		return fmt.Sprint(value)
	case abi.BytesTy, abi.FixedBytesTy, abi.FunctionTy:
		return fmt.Sprintf("0x%x", value)
	case abi.SliceTy, abi.ArrayTy:
		if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
			break
		}
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = FormatValue(*t.Elem, v.Index(i).Interface())
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case abi.TupleTy:
		if v.Kind() != reflect.Struct || v.NumField() != len(t.TupleElems) {
			break
		}
		texts := make([]string, v.NumField())
		for i := range texts {
			texts[i] = t.TupleRawNames[i] + ": " + FormatValue(*t.TupleElems[i], v.Field(i).Interface())
		}
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return fmt.Sprint(value)
}

// FormatArguments decodes what package abi packed, value by value as [FormatValue]
// renders them. It is false for data that does not fit, is longer than some
// kilobytes, or whose types nest lists so deeply that a few bytes could stand for
// any amount of values.
func FormatArguments(arguments abi.Arguments, data []byte) ([]string, bool) {
	if len(data) > maxReasonData {
		return nil, false
	}
	for i := range arguments {
		if nesting(&arguments[i].Type) > maxNesting {
			return nil, false
		}
	}
	values, err := arguments.Unpack(data)
	if err != nil {
		return nil, false
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = shorten(FormatValue(arguments[i].Type, v))
	}
	return texts, true
}

// FormatRevert tells people what a frame reverted with. Errors are those of the
// contract, which may be nil, and those that the language has.
func FormatRevert(contract *bytecode.Contract, data []byte) string {
	return (*reasons)(nil).decode(contract, data)
}
