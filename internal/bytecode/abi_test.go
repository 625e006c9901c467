package bytecode_test

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestParseABI(t *testing.T) {
	function := func(typ string) string {
		return `[{"type":"function","name":"f","inputs":[{"name":"x","type":"` + typ + `"}]}]`
	}
	parsed, err := bytecode.ParseABI([]byte(function("uint256[3][]")))
	if err != nil || len(parsed.Methods) != 1 {
		t.Errorf("%d methods, %v", len(parsed.Methods), err)
	}
	for _, typ := range []string{
		"uint257", "uint2777777777777", "int0", "bytes33", "uint256[99999999999999]", "uint256[9999][9999]",
		"uint256" + strings.Repeat("[]", 100), "Set.Data storage", "",
	} {
		if _, err := bytecode.ParseABI([]byte(function(typ))); err == nil {
			t.Errorf("the type %.40q is taken", typ)
		}
	}
}
