package world

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// stepWriter writes down what is done as the steps of a plan that does the same:
// [Report].Steps.
type stepWriter struct {
	build *build
	// account is what a plan calls an account at this step.
	account func(common.Address) string
	steps   []Step
}

// writeDeployment writes down that a contract was deployed as the instance of a name,
// with the functions of another one where it is a proxy's.
func (w *stepWriter) writeDeployment(c, seen *bytecode.Contract, name string, a *arguments) {
	s := Step{Contract: w.planName(c), Message: PlannedMessage{Arguments: w.written(a)}, Value: weiWritten(a.wei)}
	if a.site != nil {
		s.Address, s.Replace = a.site.Hex(), true
	}
	if seen != c {
		s.As = w.planName(seen)
	}
	if name != s.instanceName() {
		s.Name = name
	}
	w.steps = append(w.steps, s)
}

// writeCall writes down that an instance was called; from is empty for the deployer.
func (w *stepWriter) writeCall(instance string, c *bytecode.Contract, m *abi.Method, a *arguments, from string) {
	w.steps = append(w.steps, Step{
		Message: PlannedMessage{Function: instance + "." + functionName(c, m), Arguments: w.written(a)},
		From:    from, Value: weiWritten(a.wei),
	})
}

// planName is what a plan calls a contract: its name alone where that is enough.
func (w *stepWriter) planName(c *bytecode.Contract) string {
	if d, err := w.build.plannedContract(c.Name, ""); err == nil && d == c {
		return c.Name
	}
	return c.QualifiedName()
}

func weiWritten(wei *uint256.Int) Value {
	if wei.IsZero() {
		return Value{}
	}
	return Value{Text: writtenNumber(wei.ToBig())}
}

// written are arguments as a person would write them.
func (w *stepWriter) written(a *arguments) []Value {
	var list []Value
	for i, v := range a.values {
		list = append(list, w.writtenValue(a.inputs[i].Type, v))
	}
	return list
}

// writtenValue is the inverse of [resolver.value].
func (w *stepWriter) writtenValue(t abi.Type, v reflect.Value) Value {
	switch t.T {
	case abi.SliceTy, abi.ArrayTy:
		list := make([]Value, v.Len())
		for i := range list {
			list[i] = w.writtenValue(*t.Elem, v.Index(i))
		}
		return Value{List: list}
	case abi.TupleTy:
		list := make([]Value, len(t.TupleElems))
		for i, e := range t.TupleElems {
			list[i] = w.writtenValue(*e, v.Field(i))
		}
		return writtenStruct(t.TupleRawNames, list)
	case abi.AddressTy:
		return Value{Text: w.account(v.Interface().(common.Address))} //nolint:errcheck // what an address type's values are
	case abi.UintTy, abi.IntTy:
		n := new(big.Int)
		if _, ok := n.SetString(fmt.Sprint(v.Interface()), 10); !ok {
			panic(fmt.Sprintf("%v is not an integer", v.Interface())) // package abi has integers and *big.Int
		}
		return Value{Text: writtenNumber(n)}
	case abi.BytesTy, abi.FixedBytesTy, abi.FunctionTy:
		data := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(data), v)
		return Value{Text: "0x" + hex.EncodeToString(data)}
	}
	return Value{Text: fmt.Sprint(v.Interface())} // a bool or a string
}

// writtenStruct names the fields of a struct where they have names that tell them
// apart.
func writtenStruct(names []string, list []Value) Value {
	if len(list) == 0 {
		return Value{List: list}
	}
	var fields []NamedValue
	for i, name := range names {
		// "call" means a call, see [Value].
		if name == "" || name == "call" || slices.Contains(names[:i], name) {
			return Value{List: list}
		}
		fields = append(fields, NamedValue{name, list[i]})
	}
	return Value{Fields: fields}
}

// writtenNumber writes a number of whole units of 18 decimals with an exponent, and the
// largest one so that it is known at sight.
func writtenNumber(n *big.Int) string {
	if n.Cmp(math.MaxBig256) == 0 {
		return "0x" + n.Text(16)
	}
	text := n.String()
	if short, ok := strings.CutSuffix(text, strings.Repeat("0", tokenDecimals)); ok && short != "" && short != "-" {
		return fmt.Sprintf("%se%d", short, tokenDecimals)
	}
	return text
}

// senderName is what a plan calls a sender; empty for the one that it need not name.
func senderName(s evm.Sender) string {
	if s.Address == Deployer.Address {
		return ""
	}
	return s.Name
}
