package input

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

const suiteABI = `[
 {"type":"function","name":"testFuzz_deposit","inputs":[{"name":"amount","type":"uint256"},{"name":"data","type":"bytes"}],"outputs":[],"stateMutability":"payable"},
 {"type":"function","name":"testOther","inputs":[{"name":"n","type":"uint8"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"testFailOld","inputs":[{"name":"n","type":"uint8"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"testUnit","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"failed","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"}
]`

// testsSpace has a test contract, beside others or alone, of which one fuzz test is run.
func testsSpace(t *testing.T, alone bool) *Space {
	t.Helper()
	world := testWorld(t)
	if alone {
		world.Instances = nil
	}
	world.Instances = append(world.Instances, evm.Instance{Name: "Suite", Address: account(19), Contract: testContract(t, "Suite", suiteABI, []byte{0x01}),
		Asked: true, Tests: []string{"testFuzz_deposit(uint256,bytes)"}})
	world.Senders = append(world.Senders, evm.Sender{Name: "forge", Address: account(9), TestsOnly: true})
	world.Cheats = &evm.Cheats{Tester: account(9)}
	space, err := NewSpace(world, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestTestsAreRunAlone: whatever mutation does, a fuzz test is the only call, of forge's sender,
// and no other call is of that sender.
func TestTestsAreRunAlone(t *testing.T) {
	for _, alone := range []bool{false, true} {
		space := testsSpace(t, alone)
		m := NewMutator(space, NewDictionary(nil), Options{})
		r := testRand(5)
		suite := m.Seeds()
		test, ordinary, changed := 0, 0, 0
		for i := range 20_000 {
			parent := suite[r.IntN(len(suite))]
			child := m.Mutate(r, parent)
			mustValid(t, space, child, i)
			if IsTest(parent) != IsTest(child) {
				t.Fatalf("%s became %s", Format(space, parent), Format(space, child))
			}
			if IsTest(child) {
				if test++; !child.Equal(parent) {
					changed++
				}
				if f := child[0].Function; f.Name != "testFuzz_deposit" || f.Payable {
					t.Fatalf("%s is called", f.Signature)
				}
			} else {
				ordinary++
			}
			for j := range child {
				if space.Senders[child[j].Sender].TestsOnly != child[j].Function.Test {
					t.Fatalf("%s calls %s", space.Senders[child[j].Sender].Name, child[j].Function.Signature)
				}
			}
			if oneIn(r, 10) {
				suite = append(suite, child)
			}
		}
		if test == 0 || (ordinary == 0) != alone || changed < test*9/10 {
			t.Errorf("alone %v: %d tests, of which %d changed, and %d others", alone, test, changed, ordinary)
		}
	}
}

// TestTestsInText: what is no run of a test as forge makes it is refused.
func TestTestsInText(t *testing.T) {
	space := testsSpace(t, false)
	const test = "forge Suite.testFuzz_deposit(uint256,bytes) args (5, 0x)"
	seq, err := Parse(space, textVersion+"\n"+test+"\n")
	if err != nil || !IsTest(seq) || !strings.Contains(Format(space, seq), test) {
		t.Fatalf("%v, %v", seq, err)
	}
	if back, err := space.Read(&space.Encode(seq, nil)[0]); err != nil || !back.Equal(&seq[0]) {
		t.Errorf("read back as %v, %v", back, err)
	}
	for text, want := range map[string]string{
		test + "\nuser1 Vault.pause()":             "a test is run alone",
		"user1 Vault.pause()\n" + test:             "a test is run alone",
		test + "\n" + test:                         "a test is run alone",
		strings.Replace(test, "forge", "user1", 1): "called by forge",
		test + " time +5":                          "at once",
		test + " value 5":                          "line 2",
		"forge Suite.testOther(uint8) args (5)":    "no function",
		"forge Suite.testUnit()":                   "no function",
		"forge Suite.testFailOld(uint8) args (5)":  "no function",
		"forge Suite.testFuzz_withdraw() args (5)": "no function",
	} {
		if _, err := Parse(space, textVersion+"\n"+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
