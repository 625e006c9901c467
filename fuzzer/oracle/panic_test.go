package oracle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// TestPanicCodes: codes are numbers in either notation, each once, and others are refused.
func TestPanicCodes(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  []byte
		err   string
	}{
		{nil, nil, ""},
		{[]string{"0x12", "17", " 0x11"}, []byte{0x11, 0x12}, ""},
		{[]string{"0x01"}, nil, "a failing assert"},
		{[]string{"1"}, nil, "a failing assert"},
		{[]string{"0x13"}, nil, `"0x13" is not a code`},
		{[]string{"0x111"}, nil, `"0x111" is not a code`},
		{[]string{"overflow"}, nil, `"overflow" is not a code of the compiler's checks: want 0x11 (overflow)`},
		{[]string{""}, nil, `"" is not a code`},
	} {
		got, err := oracle.PanicCodes(c.texts)
		if !slices.Equal(got, c.want) || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v", c.texts, got, err)
		}
	}
}
