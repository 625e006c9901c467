package evm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Difference is the first place where two machines disagree about what a sequence
// does.
type Difference struct {
	Where       string // "Frames[3].Storage[2].Value", "state of 0x… slot 0x…"
	Left, Right string // what is there
}

func (d *Difference) String() string {
	return fmt.Sprintf("%s is %s and %s", d.Where, d.Left, d.Right)
}

// Differ finds the first difference between two executions of one sequence; nil
// when there is none. Empty and missing lists are the same. Executions of machines
// with different tables are compared by the code of their programs.
func Differ(a, b *Execution) *Difference {
	if equalExecutions(a, b) {
		return nil
	}
	return firstDifference("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// equalExecutions is Differ without the question where: it is asked once in a
// thousand calls of a campaign.
func equalExecutions(a, b *Execution) bool {
	return a.Truncated == b.Truncated && slices.Equal(a.Covered, b.Covered) &&
		slices.EqualFunc(a.Calls, b.Calls, equalResults) && slices.EqualFunc(a.Frames, b.Frames, equalFrames)
}

func equalResults(a, b CallResult) bool {
	return a.Frames == b.Frames && a.Outcome == b.Outcome && bytes.Equal(a.Output, b.Output) && a.GasUsed == b.GasUsed && a.Reason() == b.Reason() && a.ID == b.ID
}

func equalFrames(a, b Frame) bool {
	return a.Call == b.Call && a.Parent == b.Parent && a.Depth == b.Depth && a.Kind == b.Kind && a.CallPC == b.CallPC && a.CallAt == b.CallAt &&
		sameProgram(a.Program, b.Program) &&
		a.CodeAddress == b.CodeAddress && a.Self == b.Self && a.Caller == b.Caller && a.Value == b.Value &&
		bytes.Equal(a.Input, b.Input) && bytes.Equal(a.Output, b.Output) &&
		a.Outcome == b.Outcome && a.LastPC == b.LastPC && a.Decision == b.Decision && a.Decided == b.Decided && a.GasUsed == b.GasUsed &&
		slices.Equal(a.Path, b.Path) && a.PathTruncated == b.PathTruncated && slices.Equal(a.Tail, b.Tail) &&
		slices.Equal(a.Comparisons, b.Comparisons) && slices.Equal(a.Storage, b.Storage) && slices.EqualFunc(a.Logs, b.Logs, equalLogs)
}

func equalLogs(a, b Log) bool {
	return a.PC == b.PC && a.Address == b.Address && slices.Equal(a.Topics, b.Topics) && bytes.Equal(a.Data, b.Data)
}

// sameProgram: a table gives unknown code beyond a bound a new program each time.
func sameProgram(a, b *bytecode.Program) bool {
	return a == b || a != nil && b != nil && a.Key == b.Key && bytes.Equal(a.Bytes, b.Bytes)
}

// firstDifference walks two values of one type.
func firstDifference(where string, a, b reflect.Value) *Difference {
	if p, ok := a.Interface().(*bytecode.Program); ok {
		q, _ := b.Interface().(*bytecode.Program)
		if sameProgram(p, q) {
			return nil
		}
		return &Difference{where, describeProgram(p), describeProgram(q)}
	}
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 || reflect.DeepEqual(a.Interface(), b.Interface()) {
		return nil
	}
	switch a.Kind() {
	case reflect.Struct:
		return differInFields(where, a, b)
	case reflect.Slice:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			break // bytes, as a whole
		}
		for i := range min(a.Len(), b.Len()) {
			if d := firstDifference(fmt.Sprintf("%s[%d]", where, i), a.Index(i), b.Index(i)); d != nil {
				return d
			}
		}
		if a.Len() == b.Len() {
			return nil
		}
		return &Difference{"the length of " + where, fmt.Sprint(a.Len()), fmt.Sprint(b.Len())}
	}
	return &Difference{where, show(a), show(b)}
}

func differInFields(where string, a, b reflect.Value) *Difference {
	for i := range a.NumField() {
		if !a.Type().Field(i).IsExported() {
			continue // what exported methods tell of it is compared below
		}
		if a.Type().Field(i).Type == reflect.TypeFor[*Trace]() {
			continue // only one machine makes it
		}
		field := a.Type().Field(i).Name
		if where != "" {
			field = where + "." + field
		}
		if d := firstDifference(field, a.Field(i), b.Field(i)); d != nil {
			return d
		}
	}
	return differInReason(where, a, b)
}

// differInReason looks at what a call result's own fields do not show.
func differInReason(where string, a, b reflect.Value) *Difference {
	x, ok := a.Addr().Interface().(*CallResult)
	y, too := b.Addr().Interface().(*CallResult)
	if !ok || !too || x.Reason() == y.Reason() {
		return nil
	}
	return &Difference{where + ".Reason", strconv.Quote(x.Reason()), strconv.Quote(y.Reason())}
}

// maxShown bounds what is shown of one value, bytes; arbitrary.
const maxShown = 512

func show(v reflect.Value) string {
	var text string
	switch x := v.Interface().(type) {
	case []byte:
		text = fmt.Sprintf("0x%x", x)
	case fmt.Stringer:
		text = x.String()
	default:
		text = fmt.Sprint(x)
		if v.CanAddr() {
			if s, ok := v.Addr().Interface().(fmt.Stringer); ok { // a word
				text = s.String()
			}
		}
	}
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return text
}

func describeProgram(p *bytecode.Program) string {
	if p == nil {
		return "no program"
	}
	return fmt.Sprintf("program %d of %d bytes", p.ID, len(p.Bytes))
}

// DifferWorlds finds the first difference between the states that machines export:
// accounts in order of address, and the block; nil when there is none.
func DifferWorlds(a, b *World) *Difference {
	if a.Block != b.Block {
		return firstDifference("block", reflect.ValueOf(&a.Block).Elem(), reflect.ValueOf(&b.Block).Elem())
	}
	if d := differCheats(a.Cheats, b.Cheats); d != nil {
		return d
	}
	same := func(x, y *Account) bool { return differAccounts(x, y) == nil }
	if maps.EqualFunc(a.Accounts, b.Accounts, same) { // most are: those that nothing changed are the World's in both
		return nil
	}
	for _, address := range unionKeys(a.Accounts, b.Accounts, common.Address.Cmp) {
		if d := differAccounts(a.Accounts[address], b.Accounts[address]); d != nil {
			d.Where = fmt.Sprintf("state of %s: %s", address, d.Where)
			return d
		}
	}
	return nil
}

// differCheats compares what cheatcodes left behind, as files have it.
func differCheats(a, b *Cheats) *Difference {
	if a == nil && b == nil {
		return nil
	}
	left, leftErr := json.Marshal(a)
	right, rightErr := json.Marshal(b)
	if err := errors.Join(leftErr, rightErr); err != nil {
		panic(fmt.Sprintf("evm: cheatcodes that cannot be written: %v", err))
	}
	if bytes.Equal(left, right) {
		return nil
	}
	at := 0
	for at < len(left) && at < len(right) && left[at] == right[at] {
		at++
	}
	// What is different, and what is called so.
	around := func(text []byte) string { return string(text[max(0, at-80):min(len(text), at+80)]) }
	return &Difference{"what cheatcodes left behind", around(left), around(right)}
}

func differAccounts(a, b *Account) *Difference {
	switch {
	case a == b: // both the World's
		return nil
	case a == nil || b == nil:
		return &Difference{"whether it exists", fmt.Sprint(a != nil), fmt.Sprint(b != nil)}
	case !a.Balance.Eq(&b.Balance):
		return &Difference{"balance", a.Balance.Dec(), b.Balance.Dec()}
	case a.Nonce != b.Nonce:
		return &Difference{"nonce", fmt.Sprint(a.Nonce), fmt.Sprint(b.Nonce)}
	case !bytes.Equal(a.Code, b.Code):
		return &Difference{"code", fmt.Sprintf("%d bytes", len(a.Code)), fmt.Sprintf("%d other bytes", len(b.Code))}
	}
	if maps.Equal(a.Storage, b.Storage) {
		return nil
	}
	for _, key := range unionKeys(a.Storage, b.Storage, common.Hash.Cmp) {
		if v, w := a.Storage[key], b.Storage[key]; v != w {
			return &Difference{"slot " + key.Hex(), v.Hex(), w.Hex()}
		}
	}
	return nil // zeros that one of them holds
}

// unionKeys lists the keys of both maps in order.
func unionKeys[K comparable, V any](a, b map[K]V, order func(K, K) int) []K {
	keys := slices.Collect(maps.Keys(a)) // sorted below
	for k := range b {                   // likewise
		if _, known := a[k]; !known {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, order)
	return keys
}
