package solc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

func TestRange(t *testing.T) {
	for text, versions := range map[string]struct{ yes, no string }{
		"0.8.17":               {"0.8.17", "0.8.16 0.8.18"},
		"=0.8.17":              {"0.8.17", "0.8.18"},
		"v0.8.17":              {"0.8.17", "0.8.18"},
		"^0.8.0":               {"0.8.0 0.8.30", "0.7.6 0.9.0"},
		"^0.8.20":              {"0.8.20 0.8.30", "0.8.17 0.9.0"},
		"^0.4":                 {"0.4.11 0.4.26", "0.5.0"},
		"^0":                   {"0.4.11 0.8.30", "1.0.0"},
		"^1.2.3":               {"1.2.3 1.9.0", "1.2.2 2.0.0"},
		"~0.8.4":               {"0.8.4 0.8.30", "0.8.3 0.9.0"},
		"~0.8":                 {"0.8.0 0.8.30", "0.9.0"},
		"~0":                   {"0.8.30", "1.0.0"},
		">=0.4.22 <0.9.0":      {"0.4.22 0.8.30", "0.4.21 0.9.0"},
		">= 0.4.22  < 0.9.0":   {"0.8.30", "0.9.0"},
		">0.7.0 <=0.8":         {"0.7.1 0.8.30", "0.7.0 0.9.0"},
		"0.5.17 || ^0.8.0":     {"0.5.17 0.8.1", "0.5.16 0.7.6"},
		"0.5.0 - 0.6.12":       {"0.5.0 0.6.12", "0.4.26 0.7.0"},
		"0.8.x":                {"0.8.0 0.8.30", "0.7.6"},
		"0.*":                  {"0.8.30", "1.0.0"},
		"*":                    {"0.4.11 0.8.30", ""},
		"\t^0.8.0\n":           {"0.8.1", "0.7.0"},
		"^0.5.0||^0.6.0 0.7.6": {"0.5.1", "0.6.1 0.7.6"},
	} {
		r, err := ParseRange(text)
		if err != nil {
			t.Error(err)
			continue
		}
		for want, list := range map[bool]string{true: versions.yes, false: versions.no} {
			for name := range strings.FieldsSeq(list) {
				v, err := ParseVersion(name)
				if err != nil {
					t.Fatal(err)
				}
				if r.Matches(v) != want {
					t.Errorf("%q matches %s: %v", text, name, !want)
				}
			}
		}
	}
	for _, text := range []string{"", "||", "abc", "^", "0.8.", "0.8.0 -", ">=0.5.0 - 0.6.0", "0.99999999999999999999.0", strings.Repeat("0.8.0 ", 500)} {
		if _, err := ParseRange(text); err == nil {
			t.Errorf("%q is taken", reading.Shorten(text))
		}
	}
	// A pre-release does not satisfy a range that starts at its release.
	r, _ := ParseRange(">=0.8.30")
	if v, _ := ParseVersion("0.8.30-nightly.2025.1.1+commit.00000000"); v.Pre == "" || r.Matches(v) {
		t.Errorf("%v satisfies %v", v, r)
	}
}

// TestRangeAgainstSolc asks compilers themselves which pragmas they satisfy.
func TestRangeAgainstSolc(t *testing.T) {
	t.Parallel()
	texts := []string{
		"0.8.30", "=0.8.30", "0.8.17", "^0.8.0", "^0.8.31", "^0.8", "^0", "^0.7.0", "~0.8.0", "~0.8", "~0", "~0.7", ">=0.7.6 <0.8.30",
		">=0.7.6 <=0.8.30", ">0.8.17", ">0.8", ">=0.8", "<0.9", "<=0.8", "<0.8", "0.5.17 || 0.8.30", "0.5.17 || 0.7.6", "0.8.17 - 0.8.30", "0.7 - 0.8",
		"0.7 - 0.7.6", "0.8.x", "0.x", "x", "*", "0.x.30", "^0.x", "^0.0.3", "<x", ">*", "<=*", ">= 0.8.0 < 0.9.0", "^0.8.0 ^0.8.17", "0.8.30 0.8.17",
	}
	for _, version := range []string{"0.8.30", "0.5.17"} {
		c := compiler(t, version)
		sources := map[string]map[string]string{}
		for i, text := range texts {
			sources[fmt.Sprintf("%d.sol", i)] = map[string]string{"content": "pragma solidity " + text + "; contract A {}"}
		}
		input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": sources})
		if err != nil {
			t.Fatal(err)
		}
		output, err := c.Compile(t.Context(), input)
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Errors []struct {
				Message        string
				SourceLocation *struct{ File string }
			}
		}
		if err := json.Unmarshal(output, &out); err != nil {
			t.Fatal(err)
		}
		refused := map[string]bool{}
		for _, d := range out.Errors {
			if d.SourceLocation != nil && strings.Contains(d.Message, "requires different compiler version") {
				refused[d.SourceLocation.File] = true
			}
		}
		for i, text := range texts {
			r, err := ParseRange(text)
			if err != nil {
				t.Error(err)
				continue
			}
			if got, want := r.Matches(c.version), !refused[fmt.Sprintf("%d.sol", i)]; got != want {
				t.Errorf("solc %s: %q matches: we say %v, it says %v", version, text, got, want)
			}
		}
	}
}

func FuzzVersionRange(f *testing.F) {
	for _, text := range []string{"^0.8.0", ">=0.4.22 <0.9.0", "0.5.0 - 0.6.x || ~0.7", "*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRange(text)
		if err != nil {
			return
		}
		again, err := ParseRange(r.String())
		if err != nil {
			t.Fatalf("%q is not taken again: %v", r, err)
		}
		for _, v := range []Version{{0, 4, 26, ""}, {0, 8, 30, ""}, {0, 8, 31, "nightly"}, {1, 2, 3, ""}} {
			if r.Matches(v) != again.Matches(v) {
				t.Errorf("%q and %q differ on %v", text, again, v)
			}
		}
	})
}

// TestNewest: what a run would download is the newest release that the pragmas allow together.
func TestNewest(t *testing.T) {
	for _, test := range []struct {
		pragmas []string
		want    string
	}{
		{[]string{"^0.4.11"}, "0.4.26"},
		{[]string{"^0.8.0", "<0.8.20"}, "0.8.19"},
		{[]string{"0.8.4"}, "0.8.4"},
		{[]string{"^0.4.11", "^0.8.0"}, ""},
		{[]string{"not a range"}, ""},
	} {
		version, found := Newest(test.pragmas, Options{})
		if found != (test.want != "") || found && version.String() != test.want {
			t.Errorf("%q: %s, %v, want %q", test.pragmas, version, found, test.want)
		}
	}
}
