package cheatcode

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Selectors of the errors that have a text: Solidity's Error(string), and
// CheatcodeError(string), which cheatcodes fail with.
var (
	errorSelector = [4]byte{0x08, 0xc3, 0x79, 0xa0}
	cheatSelector = [4]byte{0xee, 0xaa, 0x9e, 0x6f}
)

var oneString = []abi.Type{stringType}

// failure is what a cheatcode returns that fails.
func failure(text string) []byte {
	return append(cheatSelector[:len(cheatSelector):len(cheatSelector)], abi.Append(nil, oneString, []abi.Value{textOf(text)})...)
}

// bare is what a call returns whose events were not those that were expected: a text
// without a selector, as Foundry has it.
func bare(text string) []byte { return abi.Append(nil, oneString, []abi.Value{textOf(text)}) }

// reasonText is the text of an error that has one; else all of it.
func reasonText(output []byte) []byte {
	if len(output) < 4 {
		return output
	}
	if s := [4]byte(output); s != errorSelector && s != cheatSelector {
		return output
	}
	values, err := decode(oneString, output[4:])
	if err != nil {
		return output
	}
	return values[0].Bytes
}

// Reason is the text of a failed cheatcode's output; false when it is none.
func Reason(output []byte) (string, bool) {
	if len(output) < 4 || [4]byte(output) != cheatSelector {
		return "", false
	}
	values, err := decode(oneString, output[4:])
	if err != nil {
		return "", false
	}
	return values[0].Text(), true
}

// The outputs by which a test says that it does not count.
var (
	// Assume: the arguments are none that the test is about (vm.assume).
	Assume = []byte("FOUNDRY::ASSUME")
	// Skip: the test is not to be run (vm.skip); a reason may follow.
	Skip = []byte("FOUNDRY::SKIP")
)

// maxPrinted bounds how much of a reason messages show; arbitrary.
const maxPrinted = 256

// printable is a reason for people: its text, or its bytes.
func printable(reason []byte) string {
	if len(reason) > maxPrinted {
		return fmt.Sprintf("%d bytes", len(reason))
	}
	if utf8.Valid(reason) && strings.IndexFunc(string(reason), func(r rune) bool { return r < ' ' }) < 0 {
		return string(reason)
	}
	return fmt.Sprintf("custom error 0x%x", reason)
}
