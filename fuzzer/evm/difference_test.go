package evm

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// full is an execution with something in every list.
func full() *Execution {
	return &Execution{
		Calls:   []CallResult{{Output: []byte{1}}},
		Covered: []Coverage{{}},
		Frames: []Frame{{
			Path: bytecode.Path{1}, Tail: bytecode.Path{1}, Comparisons: []Comparison{{}}, Storage: []StorageAccess{{}},
			Logs: []Log{{Topics: []common.Hash{{}}, Data: []byte{1}}}, Input: []byte{1}, Output: []byte{2},
		}},
	}
}

// leaves calls do with every field below a value that is no list or struct of
// fields itself, and with every list.
func leaves(where string, v reflect.Value, do func(where string, v reflect.Value)) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Type != reflect.TypeFor[*Trace]() { // which machines may leave out
				leaves(where+"."+v.Type().Field(i).Name, v.Field(i), do)
			}
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		do(where, v)
		leaves(where+"[0]", v.Index(0), do)
	default:
		do(where, v)
	}
}

// alter makes a value another one.
func alter(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.AppendSlice(v, v))
	case reflect.Array:
		alter(v.Index(0))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Pointer: // a program
		v.Set(reflect.ValueOf(&bytecode.Program{}))
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	default:
		v.SetUint(v.Uint() + 1)
	}
}

// TestDiffer: every field of an execution is compared, also those that are added
// one day.
func TestDiffer(t *testing.T) {
	if d := Differ(full(), full()); d != nil {
		t.Fatalf("equal executions differ: %v", d)
	}
	var places []string
	leaves("", reflect.ValueOf(full()).Elem(), func(where string, _ reflect.Value) { places = append(places, where) })
	for i, place := range places {
		changed := full()
		n := 0
		leaves("", reflect.ValueOf(changed).Elem(), func(_ string, v reflect.Value) {
			if n == i {
				alter(v)
			}
			n++
		})
		d := Differ(full(), changed)
		if d == nil {
			t.Errorf("a change of %s is not seen", place)
			continue
		}
		if want := strings.TrimPrefix(place, "."); !strings.HasSuffix(strings.Split(d.Where, "the length of ")[len(strings.Split(d.Where, "the length of "))-1], want) {
			t.Errorf("a change of %s is seen as %s", place, d)
		}
	}
	if len(places) < 40 {
		t.Errorf("only %d places were tried: %v", len(places), places)
	}
}

func TestDifferWorlds(t *testing.T) {
	world := func(change func(*World)) *World {
		w := &World{Accounts: map[common.Address]*Account{{1}: {Balance: *uint256.NewInt(1), Nonce: 2, Code: []byte{3}, Storage: map[common.Hash]common.Hash{{4}: {5}}}}}
		change(w)
		return w
	}
	same := func(*World) {}
	for _, c := range []struct {
		want   string
		change func(*World)
	}{
		{"block.Number is 0 and 1", func(w *World) { w.Block.Number = 1 }},
		{"whether it exists is true and false", func(w *World) { delete(w.Accounts, common.Address{1}) }},
		{"whether it exists is false and true", func(w *World) { w.Accounts[common.Address{}] = &Account{} }},
		{"balance is 1 and 0", func(w *World) { w.Accounts[common.Address{1}].Balance.Clear() }},
		{"nonce is 2 and 0", func(w *World) { w.Accounts[common.Address{1}].Nonce = 0 }},
		{"code is 1 bytes and 1 other bytes", func(w *World) { w.Accounts[common.Address{1}].Code = []byte{4} }},
		{"slot 0x04", func(w *World) { w.Accounts[common.Address{1}].Storage[common.Hash{4}] = common.Hash{6} }},
		{"slot 0x07", func(w *World) { w.Accounts[common.Address{1}].Storage[common.Hash{7}] = common.Hash{6} }},
	} {
		d := DifferWorlds(world(same), world(c.change))
		if d == nil || !strings.Contains(d.String(), c.want) {
			t.Errorf("difference %v, want %q", d, c.want)
		}
	}
	if d := DifferWorlds(world(same), world(func(w *World) { w.Accounts[common.Address{1}].Storage[common.Hash{9}] = common.Hash{} })); d != nil {
		t.Errorf("a zero that is held is a difference: %v", d)
	}
}
