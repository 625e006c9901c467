package jsontext_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sightline-evm/sightline/internal/jsontext"
)

// FuzzMarshal: members are written as encoding/json writes them.
func FuzzMarshal(f *testing.F) {
	for _, seed := range seeds {
		f.Add("a", []byte(seed), "b")
	}
	f.Add("<&>\"\u2028", []byte("{ \"<a>\" :\t\"\\\"&\\\\\" , \"\u2028\u2029\": [ 1 , \"x y\u2027\xe2\x80\" ] }\n"), "\xff")
	f.Fuzz(func(t *testing.T, first string, value []byte, second string) {
		if !json.Valid(value) {
			return
		}
		members := map[string]json.RawMessage{first: value, second: nil}
		want, err := json.Marshal(members)
		if got := jsontext.Marshal(members); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %q is written as %q, want %q, %v", first, value, got, want, err)
		}
	})
}
