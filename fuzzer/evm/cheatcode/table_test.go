package cheatcode

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
)

// TestTable: every entry can be read, is there once, and says why it is refused.
func TestTable(t *testing.T) {
	if got := len(index()); got != len(table) {
		t.Errorf("%d selectors of %d cheatcodes", got, len(table))
	}
	for _, f := range table {
		switch {
		case f.Status == supported && f.run == nil:
			t.Errorf("%s is supported by nothing", f.Signature)
		case f.Status != supported && f.run != nil:
			t.Errorf("%s is not supported, and does something", f.Signature)
		case f.Status == refused && f.Note == "":
			t.Errorf("%s is refused without a reason", f.Signature)
		}
	}
}

// TestSelectors: some that other tools print.
func TestSelectors(t *testing.T) {
	for signature, selector := range map[string]string{
		"prank(address)": "ca669fa7", "warp(uint256)": "e5d6bf02", "deal(address,uint256)": "c88a5e6d", "expectRevert()": "f4844814",
		"sign((address,uint256,uint256,uint256),bytes32)": "b25c5a25",
	} {
		hash := crypto.Keccak256([]byte(signature))
		if got := fmt.Sprintf("%x", hash[:4]); got != selector || index()[[4]byte(hash)] == nil {
			t.Errorf("%s is %s, want %s", signature, got, selector)
		}
	}
}

// structs are the types that forge's declarations call by a name, where arguments have
// them.
var structs = map[string]string{
	"Wallet": "(address,uint256,uint256,uint256)", "AccessListItem": "(address,bytes32[])", "PotentialRevert": "(address,bool,bytes)",
	"SignedDelegation": "(uint8,bytes32,bytes32,uint64,address)", "ForgeContext": "uint8", "BroadcastTxType": "uint8",
}

// declaration is a function as forge's program has it for its documentation.
var declaration = regexp.MustCompile(`function (\w+)\(([^()]*)\) external[^;{}]{0,200};`)

// TestTableIsForges: the table has what forge's program declares, and nothing else.
func TestTableIsForges(t *testing.T) {
	program, err := os.ReadFile(testforge.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]bool{}
	name := regexp.MustCompile(`^\w+`)
	for _, m := range declaration.FindAllSubmatch(program, -1) {
		var types []string
		for argument := range strings.SplitSeq(string(m[2]), ",") {
			word, _, _ := strings.Cut(strings.TrimSpace(argument), " ")
			if long, ok := structs[name.FindString(word)]; ok {
				word = long + strings.TrimPrefix(word, name.FindString(word))
			}
			types = append(types, word)
		}
		theirs[string(m[1])+"("+strings.Join(types, ",")+")"] = true
	}
	for _, of := range []string{"increment()", "number()", "setNumber(uint256)"} { // the example of forge init
		delete(theirs, of)
	}
	ours := map[string]bool{}
	for _, f := range table {
		ours[f.Signature] = true
	}
	for _, signature := range slices.Sorted(maps.Keys(theirs)) {
		if !ours[signature] {
			t.Errorf("%s is not in the table", signature)
		}
	}
	for _, signature := range slices.Sorted(maps.Keys(ours)) {
		if !theirs[signature] {
			t.Errorf("%s is not a cheatcode of forge", signature)
		}
	}
	if len(theirs) < 500 { // 1.7.1 has 547
		t.Errorf("only %d declarations in forge's program", len(theirs))
	}
}

// TestDocument: docs/configuration.md has the table.
func TestDocument(t *testing.T) {
	golden.Section(t, "../../../docs/configuration.md", "cheatcodes", documentTable())
}

// statusNames are how the document calls them.
var statusNames = [...]string{supported: "supported", accepted: "accepted", refused: "refused"}

// documentTable lists the cheatcodes by name, those together that differ in their arguments
// alone.
func documentTable() string {
	var b strings.Builder
	b.WriteString("| cheatcode | of | status | |\n| --- | --- | --- | --- |\n")
	functions := slices.Clone(table)
	slices.SortStableFunc(functions, func(x, y function) int { return strings.Compare(x.Name(), y.Name()) })
	for len(functions) > 0 {
		f, rest := functions[0], functions[:0:0]
		var forms []string
		for _, g := range functions {
			if g.Name() == f.Name() && g.Status == f.Status && g.Note == f.Note {
				forms = append(forms, "`"+strings.TrimPrefix(g.Signature, g.Name())+"`")
			} else {
				rest = append(rest, g)
			}
		}
		functions = rest
		fmt.Fprintf(&b, "| `vm.%s` | %s | %s | %s |\n", f.Name(), strings.Join(forms, " "), statusNames[f.Status], f.Note)
	}
	return b.String()
}
