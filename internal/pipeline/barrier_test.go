package pipeline

import (
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/pipeline/deploy"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestConditionText: of a statement only its condition is shown.
func TestConditionText(t *testing.T) {
	for text, want := range map[string]string{
		`require(x > 0, "low")`:                     `require(x > 0, "low")`,
		"if (f(x) && (y)) { g(); } else { h(); }":   "if (f(x) && (y))",
		"for (uint256 i; i < n; ++i) { sum += i; }": "for (uint256 i; i < n; ++i)",
		"while (x > (1)) x--;":                      "while (x > (1))",
		"function f(uint256 x) external { g(x); }":  "function f(uint256 x) external",
		"if or(a, shl(96, b)) { revert(0, 0) }":     "if or(a, shl(96, b))",
		"if x { revert(0, 0) }":                     "if x",
		"if(":                                       "if(",
		"ifs(x)":                                    "ifs(x)",
		strings.Repeat("é", 100):                    strings.Repeat("é", 40) + "…",
	} {
		if got := conditionText(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestWordText: numbers are short, accounts have names.
func TestWordText(t *testing.T) {
	d := &describer{head: &deploy.Deployment{World: &evm.World{}}}
	for text, want := range map[string]string{
		"5": "5", "1000000000000000000": "1e18", "86400": "86400", "1500000": "1500000", "15000000": "15e6",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935": "0xffffffff…",
	} {
		if got := d.wordText(uint256.MustFromDecimal(text), false); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	minus := new(uint256.Int).Neg(uint256.NewInt(7))
	if got := d.wordText(minus, true); got != "-7" {
		t.Errorf("-7: %s", got)
	}
	least := new(uint256.Int).Lsh(uint256.NewInt(1), 255) // has no positive counterpart
	if got := d.wordText(least, true); got == "" {
		t.Error("the least signed number has no text")
	}
}

func TestSameError(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"the same text":      {"too large", "too large", true},
		"another text":       {"too large", "too small", false},
		"another value":      {"NotFound(7)", "NotFound(990809986831444)", true},
		"another error":      {"NotFound(7)", "Closed(7)", false},
		"one without values": {"Closed", "Closed(7)", false},
		"nothing":            {"", "NotFound(7)", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameError(test.a, test.b); got != test.want {
				t.Errorf("sameError(%q, %q) = %v", test.a, test.b, got)
			}
		})
	}
}
