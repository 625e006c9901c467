package compare

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/human"
)

// carried is a sequence of one version in the other, as far as it fits.
type carried struct {
	sequence input.Sequence
	calls    []int    // the original's, by the carried one's
	takes    []string // functions and contracts of the head that the base did not have
	missing  string   // why other calls do not fit; empty: none
}

// toBase is a sequence of the head on the base: calls of functions with another name or
// other parameters become calls of what they were.
func (b *Base) toBase(head, base *input.Space, seq input.Sequence) carried {
	return carry(head, base, seq, func(in, there *input.Instance, f *input.Function) (*input.Function, string) {
		switch {
		case there == nil && b.code.Contract(in.Contract.QualifiedName()) == nil && !b.leftOut(in.Contract.QualifiedName()):
			return nil, in.Contract.Name
		case there == nil:
			return nil, ""
		}
		if was := b.functionWas(in, there, f); was != nil {
			return was, ""
		}
		return nil, shortSignature(in.Contract.Name, f.Signature)
	})
}

// toHead is a sequence of the base on the head, whose functions were met on the way to the
// base.
func (b *Base) toHead(base, head *input.Space, seq input.Sequence, became map[string]*input.Function) (input.Sequence, bool) {
	c := carry(base, head, seq, func(in, there *input.Instance, f *input.Function) (*input.Function, string) {
		if there == nil {
			return nil, ""
		}
		return became[in.Name+"."+f.Signature], f.Signature
	})
	return c.sequence, len(c.sequence) == len(seq)
}

// formerly finds the function for one that has no equal in another Space, or names what is lacking; empty where something
// else is wrong.
type formerly func(in, there *input.Instance, f *input.Function) (*input.Function, string)

// carry carries a sequence from one Space to another. What the attacker's contract calls in the middle of a call is carried with it, as far
// as it is there: without the rest, it does less.
func carry(from, to *input.Space, seq input.Sequence, was formerly) carried {
	var c carried
	for i := range seq {
		call := seq[i]
		if !c.translate(from, to, &call, was) {
			continue
		}
		if call.Script != nil {
			call.Script = call.Script.Clone()
			for j := range call.Script.Answers {
				a := &call.Script.Answers[j]
				there := a.Calls[:0]
				for _, inner := range a.Calls {
					if c.translate(from, to, &inner, was) {
						there = append(there, inner)
					}
				}
				a.Calls = there
			}
		}
		parsed, err := input.Parse(to, input.Format(from, input.Sequence{call}))
		if err != nil || len(parsed) != 1 {
			c.missing = problemOf(err)
			continue
		}
		c.sequence = append(c.sequence, parsed[0])
		c.calls = append(c.calls, i)
	}
	return c
}

// translate makes a call one of the function that the other Space has for its own; false where that is lacking.
func (c *carried) translate(from, to *input.Space, call *input.Call, was formerly) bool {
	in := &from.Instances[call.Instance]
	var there *input.Instance
	if at := slices.IndexFunc(to.Instances, func(other input.Instance) bool { return other.Name == in.Name }); at >= 0 {
		there = &to.Instances[at]
	}
	if there != nil && there.Callable(call.Function.Signature) != nil {
		return true
	}
	f, lacking := was(in, there, call.Function)
	if f == nil && lacking != "" {
		if !slices.Contains(c.takes, lacking) {
			c.takes = append(c.takes, lacking)
		}
		return false
	}
	if f != nil {
		call.Args, call.Function = convert(call.Function, f, call.Args), f
	}
	return true
}

// problemOf says what does not fit.
func problemOf(err error) string {
	var stale *input.StaleError
	if errors.As(err, &stale) {
		return "its World has no " + stale.Calls[0].Kind + " " + human.Printable(stale.Calls[0].Name)
	}
	if err == nil {
		return "a call is lost"
	}
	return err.Error()
}

// functionWas is the function of the base that one of the head was; nil where there was
// none.
func (b *Base) functionWas(in, there *input.Instance, f *input.Function) *input.Function {
	candidates := slices.Concat(there.Functions, there.Properties)
	if f.Kind != input.Method {
		at := slices.IndexFunc(candidates, func(other *input.Function) bool { return other.Kind == f.Kind })
		if at < 0 {
			return nil
		}
		return candidates[at]
	}
	functions := b.counterpartsOf(in.Contract.QualifiedName())
	if functions == nil {
		return nil
	}
	var definitions []diffmap.Definition // that may be it, the likeliest first
	for _, d := range functions.Functions(in.Contract.Name, f.Name) {
		text := functions.HeadText(diffmap.Range{Source: d.Source, Start: d.Start, End: d.End})
		switch types := diffmap.ParameterTypes(text); {
		case d.Contract != in.Contract.Name && !slices.Contains(in.Contract.Implements, d.Contract), len(types) != len(f.Inputs):
		case f.Name+"("+strings.Join(types, ",")+")" == f.Signature:
			definitions = slices.Insert(definitions, 0, d)
		default:
			definitions = append(definitions, d)
		}
	}
	for _, d := range definitions {
		was, ok := functions.Function(d)
		if !ok {
			continue
		}
		types := diffmap.ParameterTypes(functions.BaseText(diffmap.Range{Source: was.Source, Start: was.Start, End: was.End}))
		var found *input.Function
		for _, other := range candidates {
			if other.Kind != input.Method || other.Name != was.Name || len(other.Inputs) != len(types) {
				continue
			}
			if found == nil || other.Signature == was.Name+"("+strings.Join(types, ",")+")" {
				found = other
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// convert makes the arguments of one function from those of another that it was or
// became: by name, else by type in their order, else zero. The fields of structs are
// arguments of their own.
func convert(from, to *input.Function, args []input.Value) []input.Value {
	out := abi.Zeros(to.Inputs)
	have := argumentsOf(from.Inputs, from.InputNames, args)
	want := argumentsOf(to.Inputs, to.InputNames, out)
	used, given := make([]bool, len(have)), make([]bool, len(want))
	for _, named := range []bool{true, false} {
		for j := range want {
			for i := range have {
				if given[j] || used[i] || named && (have[i].name == "" || have[i].name != want[j].name) || !convertible(have[i].kind, want[j].kind) {
					continue
				}
				*want[j].value, used[i], given[j] = *have[i].value, true, true
			}
		}
	}
	return out
}

// argument is one of an elementary type or an array, or such a field of a struct.
type argument struct {
	name  string
	kind  *input.Type
	value *input.Value
}

// argumentsOf lists the arguments of a function, the fields of structs one by one.
func argumentsOf(types []input.Type, names []string, values []input.Value) []argument {
	var list []argument
	for i := range values {
		name := ""
		if i < len(names) {
			name = names[i]
		}
		if t := &types[i]; t.Kind == input.Tuple {
			list = append(list, argumentsOf(t.Fields, t.Names, values[i].Elems)...)
		} else {
			list = append(list, argument{name, t, &values[i]})
		}
	}
	return list
}

// convertible reports whether a value of one type may be one of the other: integers of
// different sizes, if the number fits.
func convertible(a, b *input.Type) bool {
	if a.Kind == b.Kind && (a.Kind == input.Uint || a.Kind == input.Int) {
		return true
	}
	return reflect.DeepEqual(a, b)
}
