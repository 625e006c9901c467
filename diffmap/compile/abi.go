package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// parseABI reads a contract's ABI. Entries that are refused are left out, and
// the text says why: a library's functions may take types that have no ABI
// encoding, such as storage pointers. used is the text without them.
func parseABI(text json.RawMessage) (parsed abi.ABI, used []byte, reason string) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return abi.ABI{}, nil, `the output has no "abi"`
	}
	parsed, err := bytecode.ParseABI(text)
	if err == nil {
		return parsed, text, ""
	}
	var entries, good []json.RawMessage
	if json.Unmarshal(text, &entries) != nil || len(entries) > bytecode.MaxABIEntries {
		return abi.ABI{}, nil, "its ABI is refused: " + err.Error()
	}
	for _, entry := range entries {
		if _, err := bytecode.ParseABI(slices.Concat([]byte("["), entry, []byte("]"))); err == nil {
			good = append(good, entry)
		}
	}
	reason = fmt.Sprintf("%d of %d entries of its ABI are refused: %v", len(entries)-len(good), len(entries), err)
	text = slices.Concat([]byte("["), bytes.Join(rawBytes(good), []byte(",")), []byte("]"))
	if parsed, err = bytecode.ParseABI(text); err != nil {
		return abi.ABI{}, nil, "its ABI is refused: " + err.Error()
	}
	return parsed, text, reason
}

func rawBytes(texts []json.RawMessage) [][]byte {
	raw := make([][]byte, len(texts))
	for i, text := range texts {
		raw[i] = text
	}
	return raw
}
