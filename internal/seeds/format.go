package seeds

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// The fuzzers whose files are read.
const (
	Echidna   = "echidna"
	Medusa    = "medusa"
	Forge     = "forge"
	Sightline = "sightline"
)

// formatOf says whose file it is by what it begins with; empty: it has no sequence.
func formatOf(data []byte) string {
	if bytes.HasPrefix(data, []byte("sightline-sequence ")) {
		return Sightline
	}
	keys, err := firstKeys(data)
	if err != nil { // it is not whole: it counts as one that cannot be read
		for _, w := range words {
			if bytes.Contains(data, []byte(w.word)) {
				return w.tool
			}
		}
		return ""
	}
	switch {
	case keys["_call"] != nil:
		return Echidna
	case keys["call"] != nil:
		var call map[string]json.RawMessage
		if json.Unmarshal(keys["call"], &call) == nil && call["tag"] != nil {
			return Echidna
		}
		return Medusa
	case keys["calldata"] != nil, keys["call_details"] != nil, keys["call_sequence"] != nil:
		return Forge
	}
	return ""
}

// words are those by which files that are not whole are known.
var words = []struct{ word, tool string }{{`"SolCall"`, Echidna}, {`"dataAbiValues"`, Medusa}, {`"calldata":`, Forge}}

// firstKeys are the values of a JSON object, or of the first element of a list, by key.
func firstKeys(data []byte) (keys map[string]json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	switch firstByte(data) {
	case '[':
		if _, _ = d.Token(); !d.More() { // the bracket, which is there
			return nil, nil
		}
	case '{':
	default:
		return nil, nil
	}
	if err = d.Decode(&keys); errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil, nil // a list of something else
	}
	return keys, err
}

// firstByte is the first byte that is not white space; 0: there is none.
func firstByte(data []byte) byte {
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) > 0 {
		return data[0]
	}
	return 0
}

// parse reads a file of another fuzzer's.
func parse(tool string, f *found) (sequence, error) {
	switch tool {
	case Echidna:
		return parseEchidna(f.data)
	case Medusa:
		return parseMedusa(f.data)
	case Forge:
		test := ""
		if folder := path.Dir(f.name); folder != "." {
			test = path.Base(folder)
		}
		return parseForge(f.data, test)
	}
	return nil, errors.New("it has no sequence of Echidna, Medusa or forge")
}

// parseOwn reads an input of Sightline's own, as far as it fits; part tells that not all of it does.
func parseOwn(space *input.Space, data []byte) (seq input.Sequence, part bool, err error) {
	seq, err = input.Parse(space, strings.TrimSuffix(string(data), "\n")+"\n")
	var stale *input.StaleError
	if errors.As(err, &stale) {
		return seq, true, nil
	}
	return seq, false, err
}
