package pipeline

import (
	"testing"

	"github.com/sightline-evm/sightline/report"
)

// TestOtherName: who is wanted has the name that the condition has for it; a literal is none.
func TestOtherName(t *testing.T) {
	for condition, want := range map[string]string{
		`require(msg.sender == OWNER, "no")`:                                     "OWNER",
		"if (owner() != _msgSender())":                                           "owner",
		"if (msg.sender != address(entryPoint()))":                               "entryPoint",
		"require(msg.sender == 0x0000000071727De22E5E9d8BAf0edAc6f37da032)":      "",
		"require(msg.sender == address(0x0000000071727De22E5E9d8BAf0edAc6f37d))": "",
		"require(msg.sender.code.length > 0)":                                    "",
	} {
		if got := otherName(condition); got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
	}
}

// TestGiving: nobody is told to take a step that no sender may take.
func TestGiving(t *testing.T) {
	const (
		step  = "give it to a sender: in the constructor, in the set-up of a test, or by a step of `after` from who may"
		setUp = "give it to a sender in the constructor or in the set-up of a test"
	)
	does, fails := report.Writer{Function: "Vault.trust", Succeeded: true}, report.Writer{Function: "Vault.give", Fails: "UNAUTHORIZED"}
	for _, test := range []struct {
		known written
		want  string
	}{
		{written{list: []report.Writer{fails, does}}, step},
		{written{list: []report.Writer{fails}}, setUp + ": all calls of Vault.give failed, whoever made them"},
		{written{list: []report.Writer{fails, {Function: "Vault.set"}}}, setUp}, // which was not called, or wrote nothing else
		{written{complete: true}, "give it to a sender in the constructor: no function does"},
		{written{}, setUp},
	} {
		if got := giving(test.known); got != test.want {
			t.Errorf("%v: %s, want %s", test.known.list, got, test.want)
		}
	}
}
