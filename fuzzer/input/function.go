package input

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// FunctionKind tells how a call's data is made from its arguments.
type FunctionKind uint8

// The kinds of functions.
const (
	Method      FunctionKind = iota // selector and ABI-encoded arguments
	Fallback                        // one argument of type bytes, sent as it is
	Receive                         // empty calldata
	Constructor                     // creation code and ABI-encoded arguments
)

// Function is something of a contract that a call can enter.
type Function struct {
	Kind       FunctionKind
	Contract   *bytecode.Contract
	Name       string   // "deposit"; "fallback", "receive", "constructor"
	Signature  string   // "deposit(uint256)", "constructor(address)"; bare "fallback" and "receive", which no method's is
	Selector   [4]byte  // of a Method
	Inputs     []Type   // parameter types
	InputNames []string // parameter names, "" where there is none
	Payable    bool
	View       bool // view, pure, or constant in ABIs before 0.5

	// Property marks an invariant that the oracles call after every sequence: a function
	// echidna_* or property_* that returns a bool, or invariant_*, without parameters.
	// Generation leaves it out.
	Property bool
	// Reverts marks a property that holds if it reverts: Echidna's echidna_revert_*.
	Reverts bool
	// Noted marks failed() of a test in the way of ds-test: whether an assertion of an
	// earlier call failed.
	Noted bool
	// Test marks a fuzz test that is run as forge does: a sequence that calls it has no other
	// call, it comes from the Space's tester, and brings nothing but its arguments.
	Test bool

	code []byte // creation code of a Constructor, linked
}

// Skipped is a function that sequences cannot call.
type Skipped struct {
	Contract  *bytecode.Contract
	Signature string
	Reason    string
}

// Functions lists what a contract's ABI offers to callers of a deployed
// instance, ordered by signature with fallback and receive last, and what had to
// be left out. An ABI that lists a signature twice gets it once.
func Functions(c *bytecode.Contract) ([]*Function, []Skipped) {
	var functions []*Function
	var skipped []Skipped
	for _, name := range slices.Sorted(maps.Keys(c.ABI.Methods)) { // the ABI's order is lost in the map
		m := c.ABI.Methods[name]
		f := newFunction(c, Method, &m)
		var err error
		if f.Inputs, err = compileTypes(m.Inputs); err != nil {
			skipped = append(skipped, Skipped{c, m.Sig, err.Error()})
			continue
		}
		functions = append(functions, f)
	}
	slices.SortStableFunc(functions, func(a, b *Function) int { return strings.Compare(a.Signature, b.Signature) })
	functions = slices.CompactFunc(functions, func(a, b *Function) bool { return a.Signature == b.Signature })
	slices.SortStableFunc(skipped, func(a, b Skipped) int { return strings.Compare(a.Signature, b.Signature) })
	if c.ABI.HasFallback() {
		f := newFunction(c, Fallback, &c.ABI.Fallback)
		f.Inputs = abi.MustParse("(bytes)")
		f.InputNames = []string{""}
		functions = append(functions, f)
	}
	if c.ABI.HasReceive() {
		functions = append(functions, newFunction(c, Receive, &c.ABI.Receive))
	}
	return functions, skipped
}

// NewConstructor is the constructor of a deployable contract; code is its linked
// creation code.
func NewConstructor(c *bytecode.Contract, code []byte) (*Function, error) {
	if len(code) == 0 {
		return nil, fmt.Errorf("constructor of %s: no creation code", c.Name)
	}
	f := newFunction(c, Constructor, &c.ABI.Constructor)
	f.code = code
	var err error
	if f.Inputs, err = compileTypes(c.ABI.Constructor.Inputs); err != nil {
		return nil, fmt.Errorf("constructor of %s: %w", c.Name, err)
	}
	f.Signature = "constructor" + abi.TupleName(f.Inputs)
	return f, nil
}

// newFunction fills in everything but the parameter types.
func newFunction(c *bytecode.Contract, kind FunctionKind, m *gethabi.Method) *Function {
	f := &Function{
		Kind:     kind,
		Contract: c,
		Name:     m.RawName,
		Payable:  m.IsPayable() || kind == Receive,
		View:     m.IsConstant(),
	}
	for _, in := range m.Inputs {
		f.InputNames = append(f.InputNames, in.Name)
	}
	switch kind {
	case Method:
		f.Signature = m.Sig
		copy(f.Selector[:], m.ID)
		f.Property = isProperty(m, "echidna_", "property_") || len(m.Inputs) == 0 && strings.HasPrefix(f.Name, "invariant_")
		f.Reverts = f.Property && strings.HasPrefix(f.Name, "echidna_revert_")
		f.Noted = f.Signature == "failed()" && returnsBool(m)
	case Fallback:
		f.Name, f.Signature = "fallback", "fallback"
	case Receive:
		f.Name, f.Signature = "receive", "receive"
	case Constructor:
		f.Name = "constructor"
	}
	return f
}

// fuzzed is the function as a test that forge would fuzz, one with parameters; nil where it
// would not. testFail… ones forge has not run since its version 1.0.
func (f *Function) fuzzed() *Function {
	if f.Kind != Method || len(f.Inputs) == 0 || !strings.HasPrefix(f.Name, "test") || strings.HasPrefix(f.Name, "testFail") {
		return nil
	}
	test := *f
	test.Test, test.Payable = true, false
	return &test
}

// isProperty reports whether a method is a property by a prefix as Echidna and Medusa have
// them: it has no parameters and returns a bool. They call others as ordinary functions.
// Foundry's invariants return nothing.
func isProperty(m *gethabi.Method, prefixes ...string) bool {
	return len(m.Inputs) == 0 && returnsBool(m) &&
		slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(m.RawName, prefix) })
}

func returnsBool(m *gethabi.Method) bool {
	return len(m.Outputs) == 1 && m.Outputs[0].Type.T == gethabi.BoolTy
}

// AnswersBool reports whether the function returns a bool and nothing else.
func (f *Function) AnswersBool() bool {
	m, err := f.Contract.ABI.MethodById(f.Selector[:])
	return f.Kind == Method && err == nil && returnsBool(m)
}

// appendData appends the calldata (or creation data) of a call with args to dst.
func (f *Function) appendData(dst []byte, args []Value) []byte {
	switch f.Kind {
	case Method:
		return abi.Append(append(dst, f.Selector[:]...), f.Inputs, args)
	case Fallback:
		return append(dst, args[0].Bytes...)
	case Constructor:
		return abi.Append(append(dst, f.code...), f.Inputs, args)
	}
	return dst
}
