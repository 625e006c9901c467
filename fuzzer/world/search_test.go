package world

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestVectors(t *testing.T) {
	want := [][]int{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}, {1, 0, 1}, {2, 0, 1}}
	if diff := cmp.Diff(want, vectors([]int{3, 1, 2}, 100)); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:4], vectors([]int{3, 1, 2}, 4)); diff != "" {
		t.Errorf("the first four (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]int{{}}, vectors(nil, 9)); diff != "" {
		t.Errorf("no places (-want +got):\n%s", diff)
	}
	// Many places: bounded work, each vector once.
	widths := make([]int, 300)
	for i := range widths {
		widths[i] = 5
	}
	seen := map[string]bool{}
	for _, v := range vectors(widths, 1000) {
		key := fmt.Sprint(v)
		if seen[key] {
			t.Fatalf("%v is there twice", v)
		}
		seen[key] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d vectors, want 1000", len(seen))
	}
}

// artifact is a contract whose constructor returns one byte of code and takes
// parameters of the given types.
func artifact(t *testing.T, name string, types ...string) *bytecode.Contract {
	t.Helper()
	var inputs []string
	for i, typ := range types {
		inputs = append(inputs, fmt.Sprintf(`{"name":"p%d","type":%q}`, i, typ))
	}
	parsed, err := abi.JSON(strings.NewReader(`[{"type":"constructor","inputs":[` + strings.Join(inputs, ",") + `]}]`))
	if err != nil {
		t.Fatal(err)
	}
	code := append([]byte{0x60, 0x01, 0x5f, 0xf3, 0x00}, name...) // PUSH1 1 PUSH0 RETURN
	return &bytecode.Contract{
		Name: name, Source: "src/A.sol", ABI: parsed, Implements: []string{name},
		Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: code},
		Runtime:  &bytecode.Code{Bytes: []byte{0x00}},
	}
}

// TestEveryType: a constructor of any type deploys, or the failure says why not.
func TestEveryType(t *testing.T) {
	for typ, reason := range map[string]string{
		"bool": "", "string": "", "bytes": "", "address": "", "function": "",
		"uint8": "", "uint64": "", "uint72": "", "uint256": "", "int8": "", "int16": "", "int128": "", "int256": "",
		"bytes1": "", "bytes20": "", "bytes32": "",
		"uint256[]": "", "address[3]": "", "bool[2][]": "", "string[][2][]": "", "uint8[0]": "",
		"uint256[4097]":              "too large",
		"uint256[1000000000]":        "too large",
		"uint8[1024][1024][1024]":    "too large",
		"uint8[][][][][][][][][][]":  "too large",
		"uint8[3][][3][][3][][3][3]": "too large",
	} {
		c := artifact(t, "A", typ)
		w, report, err := Auto(context.Background(), bytecode.NewTable([]*bytecode.Contract{c}), Options{})
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		switch {
		case reason == "" && len(w.Instances) != 1:
			t.Errorf("%s: not deployed: %+v", typ, report.Failures)
		case reason != "" && (len(report.Failures) != 1 || !strings.Contains(report.Failures[0].Reason, reason)):
			t.Errorf("%s: report %+v, want a failure with %q", typ, report, reason)
		}
	}
}

func TestOptions(t *testing.T) {
	a, b, c := artifact(t, "A"), artifact(t, "B"), artifact(t, "C")
	b.Source = "lib/B.sol"
	names := func(o Options) ([]string, error) {
		w, _, err := Auto(context.Background(), bytecode.NewTable([]*bytecode.Contract{a, b, c}), o)
		if err != nil {
			return nil, err
		}
		var out []string
		for _, i := range w.Instances {
			out = append(out, i.Name)
		}
		return out, nil
	}
	for _, tc := range []struct {
		options Options
		want    []string
		err     string
	}{
		{Options{}, []string{"A", "C"}, ""}, // B is somebody else's
		{Options{Targets: []string{"B"}}, []string{"B", "A", "C"}, ""},
		{Options{MaxContracts: 1}, []string{"A"}, ""},
		{Options{MaxContracts: 1, Targets: []string{"C", "B"}}, []string{"C", "B"}, ""},
		{Options{Only: []string{"A"}, Targets: []string{"C"}}, []string{"C", "A"}, ""},
		{Options{Only: []string{"C", "lib/B.sol:B"}}, []string{"B", "C"}, ""},
		{Options{MaxInstances: 1}, []string{"A"}, ""},
		{Options{Only: []string{"D"}}, nil, `no contract named "D"`},
		{Options{Targets: []string{"D"}}, nil, `no contract named "D"`},
		{Options{Uninitialized: []string{"D"}}, nil, `no contract named "D"`},
		{Options{MaxContracts: -1}, nil, "must be positive"},
		{Options{MaxInstances: -1}, nil, "must be positive"},
		{Options{Fork: "homestead"}, nil, "homestead"},
	} {
		got, err := names(tc.options)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%+v: error %v, want %q", tc.options, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", tc.options, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tc.options, diff)
		}
	}
	if _, _, err := Auto(context.Background(), bytecode.NewTable(nil), Options{}); err == nil {
		t.Error("an empty build is accepted")
	}
}

func TestNamesAreUnique(t *testing.T) {
	a, b := artifact(t, "A"), artifact(t, "A")
	b.Source = "src/B.sol"
	w, _, err := Auto(context.Background(), bytecode.NewTable([]*bytecode.Contract{a, b}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Instances[0].Name != "A" || w.Instances[1].Name != "A#2" {
		t.Errorf("instances %+v", w.Instances)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Auto(ctx, bytecode.NewTable([]*bytecode.Contract{artifact(t, "A")}), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestAgain: a deployment of the report, moved to a fresh address, runs the same
// constructor code on the finished World.
func TestAgain(t *testing.T) {
	table := bytecode.NewTable([]*bytecode.Contract{artifact(t, "A", "uint256"), artifact(t, "B", "address")})
	w, report, err := Auto(context.Background(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := gethvm.New(w, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Deployments {
		call := d.Call
		call.Address = common.Address{0xff}
		exec, err := machine.Run(evm.Sequence{call})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Covered, exec.Clone().Covered); diff != "" {
			t.Errorf("%s again covers (-first +again):\n%s", d.Name, diff)
		}
	}
}

// TestDamagedLink: a link behind the end of the code is a failure, not a panic.
func TestDamagedLink(t *testing.T) {
	for _, offset := range []uint32{1, 1 << 20, ^uint32(0)} {
		library, a := artifact(t, "L"), artifact(t, "A")
		library.Library = true
		a.Creation.Links = []bytecode.Link{{Library: "src/A.sol:L", Offset: offset}}
		_, report, err := Auto(context.Background(), bytecode.NewTable([]*bytecode.Contract{library, a}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Failures) != 1 || !strings.Contains(report.Failures[0].Reason, "damaged") {
			t.Errorf("offset %d: report %+v", offset, report.Failures)
		}
	}
	// And libraries that need each other.
	l, m := artifact(t, "L"), artifact(t, "M")
	l.Library, m.Library = true, true
	l.Creation.Bytes = append(l.Creation.Bytes, make([]byte, 20)...)
	m.Creation.Bytes = append(m.Creation.Bytes, make([]byte, 20)...)
	l.Creation.Links = []bytecode.Link{{Library: "src/A.sol:M", Offset: 6}}
	m.Creation.Links = []bytecode.Link{{Library: "src/A.sol:L", Offset: 6}}
	a := artifact(t, "A")
	a.Creation.Links = []bytecode.Link{{Library: "src/A.sol:L", Offset: 6}}
	_, report, err := Auto(context.Background(), bytecode.NewTable([]*bytecode.Contract{l, m, a}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Failures {
		if !strings.Contains(f.Reason, "circle") {
			t.Errorf("%s: %s", f.Contract.Name, f.Reason)
		}
	}
}

// TestTriedLeaves: an array of any size has proposals for few of its elements.
func TestTriedLeaves(t *testing.T) {
	c := artifact(t, "Large", "uint256[4000]", "uint256")
	array := reflect.New(c.ABI.Constructor.Inputs[0].Type.GetType()).Elem()
	for i := range array.Len() {
		array.Index(i).Set(reflect.ValueOf(big.NewInt(1)))
	}
	a := &arguments{inputs: c.ABI.Constructor.Inputs, values: []reflect.Value{array, reflect.ValueOf(big.NewInt(1))}, wei: new(uint256.Int)}
	if n := len(a.leaves()); n != 4001 {
		t.Errorf("%d leaves", n)
	}
	s := &search{inputs: a.inputs, wei: payments[:1]}
	proposals := s.compared(a, &evm.Comparison{Left: *uint256.NewInt(1), Right: *uint256.NewInt(9)})
	if len(proposals) != 3*maxTriedLeaves {
		t.Fatalf("%d proposals", len(proposals))
	}
	if got := proposals[0].values[0].Index(0).Interface().(*big.Int); got.Int64() != 9 {
		t.Errorf("the first element becomes %s", got)
	}
	if got := array.Index(0).Interface().(*big.Int); got.Int64() != 1 {
		t.Errorf("the arguments were written to: %s", got)
	}
}
