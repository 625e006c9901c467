package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// abiEntries are the entries of ABIs that were read before, by their text: most of a contract's are those of its bases.
type abiEntries struct {
	mutex sync.Mutex
	known map[string]*abi.ABI // of the entry alone; nil where it is refused
}

// entry is an ABI that has one entry; nil where that is refused.
func (e *abiEntries) entry(text []byte) *abi.ABI {
	e.mutex.Lock()
	known, ok := e.known[string(text)]
	e.mutex.Unlock()
	if ok {
		return known
	}
	if parsed, err := bytecode.ParseABI(slices.Concat([]byte("["), text, []byte("]"))); err == nil {
		known = &parsed
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.known == nil {
		e.known = map[string]*abi.ABI{}
	}
	e.known[string(text)] = known
	return known
}

// parse puts an ABI together from its entries, as [bytecode.ParseABI] reads it; false where that has to say what is wrong.
func (e *abiEntries) parse(text []byte) (whole abi.ABI, ok bool) {
	whole = abi.ABI{Methods: map[string]abi.Method{}, Events: map[string]abi.Event{}, Errors: map[string]abi.Error{}}
	entries := 0
	ok = jsontext.Elements(text, func(text []byte) bool {
		entry := e.entry(text)
		if entries++; entry == nil || entries > bytecode.MaxABIEntries {
			return false
		}
		return join(&whole, entry)
	})
	return whole, ok
}

// join adds an ABI of one entry to another, as go-ethereum's reader does.
func join(to, entry *abi.ABI) bool {
	for _, m := range entry.Methods {
		m.Name = abi.ResolveNameConflict(m.RawName, func(name string) bool { _, taken := to.Methods[name]; return taken })
		to.Methods[m.Name] = m
		return true
	}
	for _, event := range entry.Events {
		event.Name = abi.ResolveNameConflict(event.RawName, func(name string) bool { _, taken := to.Events[name]; return taken })
		to.Events[event.Name] = event
		return true
	}
	for name, fault := range entry.Errors {
		to.Errors[name] = fault
		return true
	}
	switch {
	case entry.HasFallback():
		if to.HasFallback() {
			return false
		}
		to.Fallback = entry.Fallback
	case entry.HasReceive():
		if to.HasReceive() {
			return false
		}
		to.Receive = entry.Receive
	default:
		to.Constructor = entry.Constructor
	}
	return true
}

// parseABI reads a contract's ABI. Entries that are refused are left out, and
// the text says why: a library's functions may take types that have no ABI
// encoding, such as storage pointers. used is the text without them.
func (e *abiEntries) parseABI(text json.RawMessage) (parsed abi.ABI, used []byte, reason string) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return abi.ABI{}, nil, `the output has no "abi"`
	}
	if parsed, ok := e.parse(text); ok {
		return parsed, text, ""
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
