package oracle

import (
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestOccurs: an account is found among arguments as an address, at any depth, and told from a number as large.
func TestOccurs(t *testing.T) {
	type pair struct {
		A common.Address
		N *big.Int
	}
	other := common.Address{9}
	for name, c := range map[string]struct {
		value           any
		address, number bool
	}{
		"it is":             {user, true, false},
		"another":           {other, false, false},
		"a number":          {user.Big(), false, true},
		"another number":    {big.NewInt(1), false, false},
		"no number":         {(*big.Int)(nil), false, false},
		"in a list":         {[]common.Address{other, user}, true, false},
		"in an array":       {[2]common.Address{user, other}, true, false},
		"bytes":             {user[:], false, false},
		"in a struct":       {pair{A: user, N: big.NewInt(2)}, true, false},
		"in a struct, both": {pair{A: user, N: user.Big()}, true, true},
		"in lists of both":  {[]any{user.Big(), []any{user, other}}, true, true},
		"in a pointer":      {&pair{A: other, N: user.Big()}, false, true},
		"text":              {"user", false, false},
		"true":              {true, false, false},
	} {
		address, number := occurs(reflect.ValueOf(c.value), user)
		if address != c.address || number != c.number {
			t.Errorf("%s: address %t, number %t", name, address, number)
		}
	}
}

// TestKeptByAccount: what a mapping keeps under a key that looks like an address is kept by account if that is one of the World, takes part
// or is named; not if a number is as large.
func TestKeptByAccount(t *testing.T) {
	const functions = `[{"type":"function","name":"pay","inputs":[{"type":"address"}]},{"type":"function","name":"set","inputs":[{"type":"uint256"}]}]`
	_, p := contractOfCode(t, functions, code(vm.STOP))
	call := func(name string, argument any) []byte {
		data, err := p.Contract.ABI.Pack(name, argument)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, c := range map[string]struct {
		keys  []uint256.Int
		input []byte
		want  bool
	}{
		"of the World":              {[]uint256.Int{accountWord(vault)}, nil, true},
		"a sender":                  {[]uint256.Int{accountWord(user)}, nil, true},
		"no one":                    {[]uint256.Int{accountWord(common.Address{7})}, nil, false},
		"named":                     {[]uint256.Int{accountWord(common.Address{7})}, call("pay", common.Address{7}), true},
		"as a number":               {[]uint256.Int{accountWord(common.Address{7})}, call("set", common.Address{7}.Big()), false},
		"a sender, and as a number": {[]uint256.Int{accountWord(user)}, call("set", user.Big()), false},
		"the second key":            {[]uint256.Int{number(5), accountWord(user)}, nil, true},
		"small numbers":             {[]uint256.Int{number(5), number(6)}, nil, false},
		"a hash":                    {[]uint256.Int{{1, 2, 3, 4}}, nil, false},
		"an unknown function":       {[]uint256.Int{accountWord(user)}, []byte{1, 2, 3, 4, 5}, true},
		"arguments that are cut":    {[]uint256.Int{accountWord(common.Address{7})}, call("pay", common.Address{7})[:9], false},
		"no key":                    {nil, nil, false},
	} {
		access := &evm.StorageAccess{Keys: evm.Keys{Count: len(c.keys)}}
		copy(access.Keys.Words[:], c.keys)
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {}}, Senders: []evm.Sender{{Address: user}}},
			Exec:  &evm.Execution{Frames: []evm.Frame{{Parent: -1, Caller: stranger, Self: token, Program: p, Input: c.input}, {Parent: 0, Input: call("set", user.Big()), Program: p}}},
		}
		if got := s.isByAccount(access); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for bits, want := range map[uint]bool{100: false, 128: false, 129: true, 160: true, 161: false, 256: false} {
		key := new(uint256.Int).Lsh(uint256.NewInt(1), bits-1)
		if isAccountKey(key) != want {
			t.Errorf("a number of %d bits looks like an account: %t", bits, !want)
		}
	}
}

// TestTakesPart: who calls and who is called takes part.
func TestTakesPart(t *testing.T) {
	s := &Scene{World: &evm.World{}, Exec: &evm.Execution{Frames: []evm.Frame{{Parent: -1, Caller: stranger, Self: token}}}}
	for account, want := range map[common.Address]bool{stranger: true, token: true, user: false} {
		if got := s.takesPartOrIsNamed(account); got != want {
			t.Errorf("%s takes part: %t", account, got)
		}
	}
}

// TestMayHaveSign: numbers with a sign may be in ints, bytes and functions, and in lists and structs of those.
func TestMayHaveSign(t *testing.T) {
	for name, want := range map[string]bool{
		"uint256": false, "bool": false, "address": false, "string": false, "int256": true, "bytes": true, "bytes32": true, "function": true,
		"uint8[]": false, "int8[]": true, "address[2]": false, "int256[2]": true, "bytes[][3]": true,
	} {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHaveSign(&typ); got != want {
			t.Errorf("%s may have a sign: %t", name, got)
		}
	}
	for second, want := range map[string]bool{"uint256": false, "int8": true} {
		typ, err := abi.NewType("tuple", "", []abi.ArgumentMarshaling{{Name: "a", Type: "uint256"}, {Name: "b", Type: second}})
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHaveSign(&typ); got != want {
			t.Errorf("a struct with %s may have a sign: %t", second, got)
		}
	}
}

// TestOperations: each instruction that wraps has a name.
func TestOperations(t *testing.T) {
	for op, want := range map[vm.OpCode]string{
		vm.ADD: "a sum", vm.SUB: "a difference", vm.MUL: "a product", vm.EXP: "a power", vm.SHL: "a power", vm.SDIV: "a quotient", vm.AND: "a number that is cut", vm.SIGNEXTEND: "a number that is cut",
	} {
		if got := operation(byte(op)); got != want {
			t.Errorf("%v is %q", op, got)
		}
	}
}

// TestTaintedBranches: what a branch compares, and of what, as notes ask for it.
func TestTaintedBranches(t *testing.T) {
	from := func(s evm.Source) evm.Taint { return evm.Taint{Sources: s} }
	via := func(s evm.Source) evm.Taint { return evm.Taint{Via: s} }
	zero, nine := number(0), number(9)
	branch := func(op vm.OpCode, left, right evm.Taint, x, y uint256.Int) *evm.TracedBranch {
		return &evm.TracedBranch{
			Op: byte(op), LeftTaint: left, RightTaint: right, Left: x, Right: y,
			Condition: evm.Taint{Sources: left.Sources | right.Sources, Via: left.Via | right.Via, Labels: append(slices.Clone(left.Labels), right.Labels...)},
		}
	}
	clean := evm.Taint{}
	success := evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin, Labels: []evm.Label{{Kind: evm.OfSuccess}}}
	answer := evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin, Labels: []evm.Label{{Kind: evm.OfAnswer}}}
	for name, c := range map[string]struct {
		b                         *evm.TracedBranch
		againstZero, isSet, isSum bool
		byOrigin                  bool
	}{
		"a word and zero":                 {b: branch(vm.EQ, from(evm.FromStorage), clean, nine, zero), againstZero: true, isSet: true},
		"zero and a word":                 {b: branch(vm.EQ, clean, from(evm.FromStorage), zero, nine), againstZero: true, isSet: true},
		"a word and nine":                 {b: branch(vm.EQ, from(evm.FromStorage), clean, nine, nine)},
		"a word that is zero, and nine":   {b: branch(vm.EQ, from(evm.FromStorage), clean, zero, nine)},
		"two words, of which one is zero": {b: branch(vm.EQ, from(evm.FromStorage), from(evm.FromStorage), nine, zero)},
		"a word above zero":               {b: branch(vm.GT, from(evm.FromStorage), clean, nine, zero), againstZero: true, isSet: true},
		"zero below a word":               {b: branch(vm.LT, clean, from(evm.FromStorage), zero, nine), againstZero: true, isSet: true},
		"signed":                          {b: branch(vm.SLT, clean, from(evm.FromStorage), zero, nine)},
		"is it zero":                      {b: branch(vm.ISZERO, from(evm.FromNumber), clean, nine, zero), againstZero: true},
		"a time and a sum with it":        {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp), nine, nine), isSum: true},
		"a time and what is kept":         {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromStorage), nine, nine)},
		"a time and one that is kept":     {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp|evm.FromStorage), nine, nine)},
		"a time and a hash of it":         {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp|evm.Hashed), nine, nine)},
		"who sends":                       {b: branch(vm.EQ, from(evm.FromOrigin), clean, nine, nine), byOrigin: true},
		"who sends, and who calls":        {b: branch(vm.EQ, from(evm.FromOrigin), from(evm.FromCaller), nine, nine)},
		"who calls, and who sends":        {b: branch(vm.EQ, from(evm.FromCaller), from(evm.FromOrigin), nine, nine)},
		"both, and both":                  {b: branch(vm.EQ, from(evm.FromOrigin|evm.FromCaller), from(evm.FromOrigin|evm.FromCaller), nine, nine), byOrigin: true},
		"both, and nine":                  {b: branch(vm.EQ, from(evm.FromOrigin|evm.FromCaller), clean, nine, nine), byOrigin: true},
		"nine, and both":                  {b: branch(vm.EQ, clean, from(evm.FromOrigin|evm.FromCaller), nine, nine), byOrigin: true},
		"who calls":                       {b: branch(vm.EQ, from(evm.FromCaller), clean, nine, nine)},
		"what is kept under it":           {b: branch(vm.EQ, evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin}, clean, nine, nine), byOrigin: true},
		"two that are":                    {b: branch(vm.EQ, evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin}, via(evm.FromOrigin), nine, nine)},
		"what is read under it":           {b: branch(vm.EQ, via(evm.FromOrigin), clean, nine, nine)},
		"whether a call of it succeeded":  {b: branch(vm.EQ, success, clean, nine, nine)},
		"what a call of it answered":      {b: branch(vm.EQ, answer, clean, nine, nine), byOrigin: true},
	} {
		if got := againstZero(c.b); got != c.againstZero {
			t.Errorf("%s: against zero %t", name, got)
		}
		if got := isSet(c.b); got != c.isSet {
			t.Errorf("%s: whether it is set %t", name, got)
		}
		if got := isSum(c.b, evm.FromTimestamp); got != c.isSum {
			t.Errorf("%s: whether a sum is right %t", name, got)
		}
		if got := decidesByOrigin(c.b); got != c.byOrigin {
			t.Errorf("%s: by who sends %t", name, got)
		}
	}
}

// TestNoteOfFrames: notes are about code of the project's whose effects last, and about constructors that calls run.
func TestNoteOfFrames(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.STOP))
	creation := &bytecode.Program{Contract: p.Contract, Code: &bytecode.Code{Kind: bytecode.Creation}}
	generated := &bytecode.Program{Contract: &bytecode.Contract{Generated: true}, Code: &bytecode.Code{Kind: bytecode.Runtime}}
	generatedCreation := &bytecode.Program{Contract: generated.Contract, Code: creation.Code}
	for name, c := range map[string]struct {
		frame         evm.Frame
		judged, noted bool
	}{
		"the project's":                {evm.Frame{Parent: -1, Self: vault, Program: p}, true, true},
		"another account":              {evm.Frame{Parent: -1, Self: stranger, Program: p}, false, false},
		"an account without code":      {evm.Frame{Parent: -1, Self: token, Program: p}, false, false},
		"an outsider's":                {evm.Frame{Parent: -1, Self: user, Program: p}, false, false},
		"undone":                       {evm.Frame{Parent: -1, Self: vault, Program: p, Outcome: evm.Reverted}, false, false},
		"no program":                   {evm.Frame{Parent: -1, Self: vault}, false, false},
		"unknown code":                 {evm.Frame{Parent: -1, Self: vault, Program: &bytecode.Program{}}, false, false},
		"code without a source":        {evm.Frame{Parent: -1, Self: vault, Program: &bytecode.Program{Contract: p.Contract}}, false, false},
		"code of Sightline's":          {evm.Frame{Parent: -1, Self: vault, Program: generated}, false, false},
		"a constructor":                {evm.Frame{Parent: -1, Self: stranger, Program: creation}, false, true},
		"a constructor that is undone": {evm.Frame{Parent: -1, Self: stranger, Program: creation, Outcome: evm.Reverted}, false, false},
		"a constructor in a call":      {evm.Frame{Parent: 0, Self: stranger, Program: creation}, false, false},
		"a constructor of Sightline's": {evm.Frame{Parent: -1, Self: stranger, Program: generatedCreation}, false, false},
	} {
		s := &Scene{
			World: &evm.World{
				Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}, user: {Code: []byte{0}}, token: {}},
				Senders:  []evm.Sender{{Address: user, Outsider: true}},
			},
			Exec: &evm.Execution{Frames: []evm.Frame{{Parent: -1}, c.frame}},
		}
		at := evm.At{Frame: 1, PC: 7}
		if _, place, ok := s.judged(at); ok != c.judged || ok && place.PC != 7 {
			t.Errorf("%s: judged %t", name, ok)
		}
		if _, place, ok := s.noted(at); ok != c.noted || ok && place.PC != 7 {
			t.Errorf("%s: noted %t", name, ok)
		}
		for _, frame := range []int{-1, 2} {
			if _, _, ok := s.noted(evm.At{Frame: frame}); ok {
				t.Errorf("%s: frame %d is noted", name, frame)
			}
		}
	}
}

// TestUntraced: what follows values is silent where that cannot be done, or an execution shows nothing new.
func TestUntraced(t *testing.T) {
	for name, s := range map[string]*Scene{
		"no trace": {New: true},
		"nothing new": {Trace: func() *evm.Trace {
			return &evm.Trace{Branches: make([]evm.TracedBranch, 1), Jumps: make([]evm.TracedJump, 1)}
		}},
		"it failed": {New: true, Trace: func() *evm.Trace { return nil }},
	} {
		s.Exec, s.World, s.Audit = &evm.Execution{}, &evm.World{}, true
		if s.trace() != nil {
			t.Errorf("%s: it is traced", name)
		}
		for _, o := range []*Oracle{BlockDependency, WeakRandomness, TxOrigin, StrictEquality, ArbitraryJump, Arithmetic} {
			o.Examine(s, func(o Observation) { t.Errorf("%s: %s", name, o.Message) })
		}
		examinePaysAll(s, func(o Observation) { t.Errorf("%s: %s", name, o.Message) })
	}
}

// TestArrives: a wrapped result counts most where it is sent, or kept for an account, in a frame to judge.
func TestArrives(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.STOP))
	byAccount := evm.StorageAccess{Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(vault)}}}
	sink := func(kind evm.SinkKind, frame, access int) evm.Sink {
		return evm.Sink{Kind: kind, At: evm.At{Frame: frame}, Access: access}
	}
	for name, c := range map[string]struct {
		sinks    []evm.Sink
		severity Severity
		where    string
	}{
		"nowhere":                        {nil, Note, ""},
		"a branch":                       {[]evm.Sink{sink(evm.SinkBranch, 0, 0)}, Note, ""},
		"it is sent":                     {[]evm.Sink{sink(evm.SinkCallValue, 0, 0)}, High, "is the ether that is sent"},
		"it is kept":                     {[]evm.Sink{sink(evm.SinkStore, 0, 0)}, Low, "is kept"},
		"it is kept for an account":      {[]evm.Sink{sink(evm.SinkStore, 0, 1)}, High, "is kept for an account"},
		"kept, then for an account":      {[]evm.Sink{sink(evm.SinkStore, 0, 0), sink(evm.SinkStore, 0, 1)}, High, "is kept for an account"},
		"kept, then sent":                {[]evm.Sink{sink(evm.SinkStore, 0, 0), sink(evm.SinkCallValue, 0, 0)}, High, "is the ether that is sent"},
		"kept in a transient word":       {[]evm.Sink{sink(evm.SinkStore, 0, -1)}, Note, ""},
		"kept where nothing is known":    {[]evm.Sink{sink(evm.SinkStore, 0, 2)}, Note, ""},
		"where nothing is known, then":   {[]evm.Sink{sink(evm.SinkStore, 0, 2), sink(evm.SinkStore, 0, 1)}, High, "is kept for an account"},
		"sent in a frame that is undone": {[]evm.Sink{sink(evm.SinkCallValue, 1, 0)}, Note, ""},
		"there, then kept":               {[]evm.Sink{sink(evm.SinkCallValue, 1, 0), sink(evm.SinkStore, 0, 0)}, Low, "is kept"},
	} {
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}}},
			Exec: &evm.Execution{Frames: []evm.Frame{
				{Parent: -1, Self: vault, Program: p, Storage: []evm.StorageAccess{{}, byAccount}},
				{Parent: 0, Self: vault, Program: p, Outcome: evm.Reverted},
			}},
		}
		if severity, where := s.arrives(&evm.Wrap{Sinks: c.sinks}); severity != c.severity || where != c.where {
			t.Errorf("%s: %s, %q", name, severity, where)
		}
	}
}

// TestHashesOfLaterBlocks: the hash of a block whose number an earlier call kept could not be known then, as long as BLOCKHASH knows it.
func TestHashesOfLaterBlocks(t *testing.T) {
	kept := evm.Taint{Sources: evm.FromOtherBlock, Via: evm.FromStorage | evm.FromNumber}
	store := func(frame int, of evm.Source) evm.TracedStore {
		return evm.TracedStore{At: evm.At{Frame: frame}, Value: evm.Taint{Sources: of}}
	}
	zero, hash := number(0), number(12345)
	for name, c := range map[string]struct {
		taint   evm.Taint
		stores  []evm.TracedStore
		advance [3]uint64 // blocks before each call
		value   *uint256.Int
		want    bool
	}{
		"it was kept":                 {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber)}, want: true},
		"of the block itself":         {taint: evm.Taint{Sources: evm.FromTimestamp, Via: kept.Via}, want: false},
		"not of what is kept":         {taint: evm.Taint{Sources: evm.FromOtherBlock, Via: evm.FromNumber}, want: false},
		"not of a number":             {taint: evm.Taint{Sources: evm.FromOtherBlock, Via: evm.FromStorage}, want: false},
		"of a time as well":           {taint: evm.Taint{Sources: evm.FromOtherBlock, Via: kept.Via | evm.FromTimestamp}, want: false},
		"of an argument as well":      {taint: evm.Taint{Sources: evm.FromOtherBlock, Via: kept.Via | evm.FromCalldata}, want: false},
		"as long ago as may be":       {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber)}, advance: [3]uint64{900, 200, 56}, want: true},
		"longer ago":                  {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber)}, advance: [3]uint64{0, 200, 57}, want: false},
		"longer ago, and not zero":    {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber)}, advance: [3]uint64{0, 200, 57}, value: &hash, want: true},
		"longer ago, and zero":        {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber)}, advance: [3]uint64{0, 200, 57}, value: &zero, want: false},
		"kept again since":            {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber), store(1, evm.FromNumber)}, advance: [3]uint64{0, 200, 57}, want: true},
		"something else kept since":   {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber), store(1, evm.FromCaller)}, advance: [3]uint64{0, 200, 57}, want: false},
		"kept in the call itself":     {taint: kept, stores: []evm.TracedStore{store(0, evm.FromNumber), store(2, evm.FromNumber)}, advance: [3]uint64{0, 200, 57}, want: false},
		"kept by a frame not known":   {taint: kept, stores: []evm.TracedStore{store(-1, evm.FromNumber)}, advance: [3]uint64{0, 1, 1}, want: true},
		"kept by nothing in sequence": {taint: kept, advance: [3]uint64{257, 0, 0}, want: false},
	} {
		calls := make(evm.Sequence, 3)
		for i := range calls {
			calls[i].BlockAdvance = c.advance[i]
		}
		s := &Scene{
			Exec:  &evm.Execution{Frames: []evm.Frame{{Call: 0}, {Call: 1}, {Call: 2}}},
			Calls: func() evm.Sequence { return calls },
		}
		if got := s.isLater(&evm.Trace{Stores: c.stores}, evm.At{Frame: 2}, c.taint, c.value); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestBehindJumps: code fails behind a jump that is not taken where it does nothing but revert, by no error of its own.
func TestBehindJumps(t *testing.T) {
	selector := errorSelector[:]
	for name, c := range map[string]struct {
		code []byte
		jump uint32
		want bool
	}{
		"it reverts":               {code(vm.JUMPI, 0, 0, vm.REVERT), 0, true},
		"it halts":                 {code(vm.JUMPI, vm.INVALID), 0, true},
		"with a reason":            {code(vm.JUMPI, selector, vm.JUMP), 0, true},
		"it goes on":               {code(vm.JUMPI, vm.POP, vm.JUMPDEST, vm.REVERT), 0, false},
		"it stops":                 {code(vm.JUMPI, vm.STOP), 0, false},
		"another error":            {code(vm.JUMPI, []byte{1, 2, 3, 4}, vm.JUMP, vm.REVERT), 0, false},
		"it ends":                  {code(vm.JUMPI, vm.POP), 0, false},
		"no jump":                  {code(vm.JUMP, vm.REVERT), 0, false},
		"behind the code":          {code(vm.JUMPI, vm.REVERT), 2, false},
		"the second jump":          {code(vm.JUMPI, vm.STOP, vm.JUMPI, vm.REVERT), 2, true},
		"REVERT in what is pushed": {code(vm.JUMPI, []byte{byte(vm.REVERT), 1}, vm.STOP), 0, false},
	} {
		_, p := contractOfCode(t, "", c.code)
		if got := failsBehind(p, c.jump); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestMayNotBePaid: a payment that failed, or that a token answered something about, is worth a trace where its caller, or whose callee that is, changes
// what is kept for an account.
func TestMayNotBePaid(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.CALL))
	books := []evm.StorageAccess{{Write: true, Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(vault)}}}}
	yes := common.LeftPadBytes([]byte{1}, wordBytes)
	for name, c := range map[string]struct {
		books  []evm.StorageAccess
		callee evm.Frame
		undone bool
		want   bool
	}{
		"ether is not sent":             {books, evm.Frame{Outcome: evm.Reverted, Value: number(1)}, false, true},
		"ether is sent":                 {books, evm.Frame{Value: number(1)}, false, false},
		"nothing is not sent":           {books, evm.Frame{Outcome: evm.Reverted}, false, false},
		"a transfer fails":              {books, evm.Frame{Outcome: evm.Reverted, Input: transfer[:]}, false, true},
		"a transfer from another fails": {books, evm.Frame{Outcome: evm.Reverted, Input: transferFrom[:]}, false, true},
		"an approval fails":             {books, evm.Frame{Outcome: evm.Reverted, Input: approve[:]}, false, true},
		"another call fails":            {books, evm.Frame{Outcome: evm.Reverted, Input: balanceOf[:]}, false, false},
		"a transfer answers":            {books, evm.Frame{Input: transfer[:], Output: yes}, false, true},
		"a transfer answers nothing":    {books, evm.Frame{Input: transfer[:]}, false, false},
		"another call answers":          {books, evm.Frame{Input: balanceOf[:], Output: yes}, false, false},
		"nothing is kept":               {nil, evm.Frame{Outcome: evm.Reverted, Value: number(1)}, false, false},
		"it is undone":                  {books, evm.Frame{Outcome: evm.Reverted, Value: number(1)}, true, false},
	} {
		root := evm.Frame{Parent: -1, Self: vault, Program: p, Storage: c.books}
		if c.undone {
			root.Outcome = evm.Reverted
		}
		c.callee.Parent, c.callee.Depth = 0, 1
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}}},
			Exec:  &evm.Execution{Frames: []evm.Frame{root, c.callee}},
		}
		if got := s.mayNotBePaid(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestKeepsBooks: what is kept for an account changes where a word of it is written that was not there, in a frame or in those around it.
func TestKeepsBooks(t *testing.T) {
	at := func(write bool, value uint64, key uint256.Int) evm.StorageAccess {
		return evm.StorageAccess{Write: write, Slot: number(1), Value: number(value), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{key}}}
	}
	mine, other := accountWord(vault), number(5)
	for name, c := range map[string]struct {
		outer, inner []evm.StorageAccess
		want         bool
	}{
		"nothing":                {nil, nil, false},
		"it is written":          {nil, []evm.StorageAccess{at(true, 3, mine)}, true},
		"around it":              {[]evm.StorageAccess{at(true, 3, mine)}, nil, true},
		"it is read":             {nil, []evm.StorageAccess{at(false, 3, mine)}, false},
		"what was there":         {nil, []evm.StorageAccess{at(false, 3, mine), at(true, 3, mine)}, false},
		"what was not there":     {nil, []evm.StorageAccess{at(false, 3, mine), at(true, 4, mine)}, true},
		"for no account":         {nil, []evm.StorageAccess{at(true, 3, other)}, false},
		"for none, then for one": {nil, []evm.StorageAccess{at(true, 3, other), at(true, 3, mine)}, true},
	} {
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {}}},
			Exec:  &evm.Execution{Frames: []evm.Frame{{Parent: -1, Storage: c.outer}, {Parent: 0, Storage: c.inner}}},
		}
		if got := s.keepsBooks(1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
