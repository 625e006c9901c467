package replay

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

func TestCompact(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "17": "17", "1000": "1000", "100000000": "100000000", "5000000000": "5e9", "123000000000": "123e9",
		"100000000000000000": "0.1e18", "40100000000000000000": "40.1e18", "40000000000000000000": "40e18",
		"120000000000000000000000": "120000e18", "40100000000000000001": "40100000000000000001",
		"vault": "vault", "": "", "-5000000000": "-5000000000", "[1000000000, 2]": "[1000000000, 2]",
	} {
		if got := compact(number); got != want {
			t.Errorf("compact(%q) = %q, want %q", number, got, want)
		}
	}
}

func TestTopic(t *testing.T) {
	typ := func(name string) abi.Arguments {
		made, err := abi.NewType(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return abi.Arguments{{Type: made, Indexed: true}}
	}
	for name, want := range map[string]string{"uint256": "7", "bool": "hash 0x00000000…000007", "string": "hash 0x00000000…000007", "address": "0x0000000000000000000000000000000000000007"} {
		if got := topic(typ(name), common.Hash{31: 7}); got != want {
			t.Errorf("a topic of %s is shown as %q, want %q", name, got, want)
		}
	}
}

// TestTreeColors: colors are ours alone, and there are none unless they are asked for.
func TestTreeColors(t *testing.T) {
	const hostile = "\x1b[2Jx"
	tree := &callFrame{
		Kind: "call", From: hostile, To: hostile, Function: hostile, Args: []argument{{hostile, hostile}}, Value: hostile, Outcome: "success", Returns: []string{hostile},
		Events: []event{
			{Line: &lineEvent{File: hostile, Line: 1, Changed: true, Text: hostile}}, {Line: &lineEvent{File: hostile, Line: 2}},
			{Store: &storeEvent{Variable: hostile, Before: hostile, After: hostile}}, {Log: &logEvent{Name: hostile, Args: []argument{{hostile, hostile}}}},
			{Call: &callFrame{Kind: hostile, To: hostile, Input: hostile, Outcome: hostile, Reason: hostile}}, {Said: new(hostile)}, {Left: hostile},
		},
	}
	for _, p := range []treePrinter{{}, {colors: true}, {full: true}, {colors: true, full: true}} {
		var out strings.Builder
		p.out = &out
		p.tree(1, tree, hostile, []string{hostile})
		text := out.String()
		for _, ours := range []string{bold + yellow, bold, dim, red, green, yellow, plain} {
			text = strings.ReplaceAll(text, ours, "")
		}
		if strings.Contains(text, "\x1b") || p.colors == (text == out.String()) {
			t.Errorf("colors %t: %q", p.colors, out.String())
		}
		want := 9 // in brief, all source lines are one, and a frame that succeeds has no end
		if p.full {
			want = 11
		}
		if lines := strings.Count(text, "\n"); lines != want {
			t.Errorf("%d lines, not %d:\n%s", lines, want, text)
		}
	}
}

// TestTreeIsBounded: a frame with many writes says that it leaves some out.
func TestTreeIsBounded(t *testing.T) {
	f := &evm.Frame{Storage: make([]evm.StorageAccess, maxTreeStores+2)}
	for i := range f.Storage {
		f.Storage[i] = evm.StorageAccess{Write: true, Slot: *uint256.NewInt(uint64(i))}
	}
	tracer := &tracer{loaded: &loaded{snapshot: &Snapshot{World: &evm.World{}}, space: &input.Space{}}, values: map[storageKey]uint256.Int{}}
	w := &walker{tracer: tracer, frame: f, out: &callFrame{}}
	w.rest()
	if n := len(w.out.Events); n != maxTreeStores+1 || w.out.Events[n-1].Left != "more writes and events" {
		t.Errorf("%d events, the last one %+v", n, w.out.Events[n-1])
	}
}

// TestTraceIsDocumented: docs/report.md says what every field of a trace is.
func TestTraceIsDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, found := strings.Cut(string(data), "## Replays as JSON")
	if !found {
		t.Fatal("no section on replays")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[callFrame](), reflect.TypeFor[event](), reflect.TypeFor[lineEvent](), reflect.TypeFor[storeEvent](), reflect.TypeFor[logEvent](), reflect.TypeFor[argument]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "" || !strings.Contains(doc, "`"+name) && !strings.Contains(doc, "."+name+"`") {
				t.Errorf("%s.%s, %q, is not described", typ.Name(), typ.Field(i).Name, name)
			}
		}
	}
}
