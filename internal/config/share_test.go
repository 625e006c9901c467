package config

import "testing"

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"50%": 0.5, "0.8": 0.8, " 12.5 % ": 0.125, "0": 0, "100%": 1} {
		if got, err := parseShare(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "50", "-1%", "NaN", "many", "101%", "%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}
