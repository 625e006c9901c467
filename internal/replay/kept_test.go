package replay

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestKeptFile: a test is known by its head, and what was changed in it by its hash, whatever ends lines.
func TestKeptFile(t *testing.T) {
	text := sealed("// SPDX-License-Identifier: UNLICENSED\n// Written by `sightline tests`: Vault_set_0a1b2c, " + noHash + ". Once it is changed by hand, it stays as it is.\n" +
		"pragma solidity >=0.6.2;\n\n// It reaches a line.\n//\n// sightline-sequence v1\n// user1 Vault.set(uint256) args (5)\n// user1 Vault.close()\n\ncontract C {}\n")
	if strings.Contains(text, noHash) {
		t.Fatal(text)
	}
	for name, c := range map[string]struct {
		text   string
		id     string
		byHand bool
	}{
		"as it was":          {text, "Vault_set_0a1b2c", false},
		"other ends":         {strings.ReplaceAll(text, "\n", "\r\n"), "Vault_set_0a1b2c", false},
		"changed":            {strings.Replace(text, "C {}", "D {}", 1), "Vault_set_0a1b2c", true},
		"more":               {text + "\n", "Vault_set_0a1b2c", true},
		"another license":    {strings.Replace(text, "UNLICENSED", "MIT", 1), "Vault_set_0a1b2c", true},
		"another hash":       {strings.Replace(text, keptHashIn(text), strings.Repeat("a", 32), 1), "Vault_set_0a1b2c", true},
		"without its head":   {"contract C {}\n", "", false},
		"head in a sentence": {"// See: Written by `sightline tests`: a, " + noHash + ".\n", "", false},
	} {
		f := readKept(c.text)
		if f.id != c.id || f.byHand != c.byHand {
			t.Errorf("%s: %q, by hand %v", name, f.id, f.byHand)
		}
		if want := "sightline-sequence v1\nuser1 Vault.set(uint256) args (5)\nuser1 Vault.close()\n"; c.id != "" && f.calls() != want {
			t.Errorf("%s: %q", name, f.calls())
		}
	}
}

// keptHashIn is the hash in a test's head.
func keptHashIn(text string) string { return keptLine.FindStringSubmatch(text)[2] }

func FuzzKeptFile(f *testing.F) {
	for _, name := range []string{"keptparts.sol", "foundryparts.sol"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("// Written by `sightline tests`: a, " + noHash + ".\n// sightline-sequence v1\n// user1 Vault.set()")
	f.Fuzz(func(t *testing.T, text string) {
		k := readKept(text)
		if calls := k.calls(); calls != "" && (k.id == "" || !strings.HasPrefix(calls, "sightline-sequence ")) {
			t.Errorf("%q has %q", k.id, calls)
		}
		if k.id != "" && !k.byHand && keptHashIn(text) != keptHash(strings.Replace(text, keptHashIn(text), noHash, 1)) {
			t.Error("it was changed, and nothing says so")
		}
	})
}

// TestCover: few sequences, of equals the short ones, and none for what is shown already or by others.
func TestCover(t *testing.T) {
	all := func(int) bool { return true }
	for name, c := range map[string]struct {
		list   []coverable
		shown  map[int]bool
		usable func(int) bool
		want   []int
	}{
		"none":       {nil, nil, all, nil},
		"one of two": {[]coverable{{1, "b", []int{1}}, {2, "a", []int{1, 2}}}, nil, all, []int{1}},
		"short":      {[]coverable{{2, "a", []int{1}}, {1, "b", []int{1}}}, nil, all, []int{1}},
		"by name":    {[]coverable{{1, "b", []int{1}}, {1, "a", []int{1}}}, nil, all, []int{1}},
		"shown":      {[]coverable{{1, "a", []int{1, 2}}, {1, "b", []int{3}}}, map[int]bool{1: true, 2: true}, all, []int{1}},
		"unusable":   {[]coverable{{1, "a", []int{1, 2, 3}}, {1, "b", []int{1}}, {1, "c", []int{2}}}, nil, func(i int) bool { return i != 0 }, []int{1, 2}},
		"redundant":  {[]coverable{{1, "a", []int{1, 2, 3, 4}}, {1, "b", []int{1, 2, 5}}, {1, "c", []int{3, 4, 6}}}, nil, all, []int{1, 2}},
	} {
		if got := cover(c.list, c.shown, c.usable); len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
