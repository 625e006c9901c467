package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// view is a stop, seen in an execution that follows values.
type view struct {
	*describer
	stop  *fuzzer.Stop
	seq   input.Sequence
	exec  *evm.Execution
	frame int // that stops

	comparison  *evm.Comparison // nil: none decided
	left, right side
	relation    string // that left and right would have to have
}

// side is an operand of a comparison.
type side struct {
	value uint256.Int
	taint evm.Taint
	other *side
	known bool // taint is
}

// lookAt finds what decided, and where its operands come from.
func (v *view) lookAt() {
	f := &v.exec.Frames[v.frame]
	if v.stop.Decides {
		v.comparison = comparisonOf(f, v.stop)
	}
	if v.comparison == nil {
		return
	}
	c := v.comparison
	v.left, v.right = side{value: c.Left, other: &v.right}, side{value: c.Right, other: &v.left}
	for i := range v.exec.Trace.Branches {
		b := &v.exec.Trace.Branches[i]
		if b.Frame == v.frame && b.PC == c.PC && b.Left == c.Left && b.Right == c.Right {
			v.left.taint, v.right.taint = b.LeftTaint, b.RightTaint
			v.left.known, v.right.known = true, true
		}
	}
	v.relation = wantedRelation(v.stop)
}

// wantedRelation is how the operands of a stop would have to relate; empty: that is not known.
func wantedRelation(s *fuzzer.Stop) string {
	relation, ok := relations[s.Op]
	switch {
	case !ok:
		return ""
	case s.Taken != s.Negated: // it held: the other side needs the opposite
		return relation[1]
	}
	return relation[0]
}

// either is the side whose taint a test accepts; nil: neither.
func (v *view) either(accepts func(*side) bool) *side {
	for _, s := range []*side{&v.left, &v.right} {
		if accepts(s) {
			return s
		}
	}
	return nil
}

// from is the side that comes from one of some sources, nil: neither does.
func (v *view) from(sources evm.Source) *side {
	return v.either(func(s *side) bool { return s.taint.Any(sources) })
}

// wants says what it takes to get past the stop, and what would help.
func (v *view) wants() (wants []report.Want, try []report.Remedy) {
	if wants, try = v.idle(); wants != nil {
		return wants, try
	}
	if v.comparison == nil {
		return nil, nil
	}
	for _, find := range []func() ([]report.Want, []report.Remedy){
		v.signature, v.code, v.sender, v.chain, v.role, v.proxy, v.answer, v.gas, v.time, v.ether, v.hash, v.signed, v.successor, v.state, v.argument, v.depends,
	} {
		if wants, try = find(); wants != nil {
			return wants, try
		}
	}
	return []report.Want{{Kind: report.WantsUnknown, Detail: "another outcome of this condition"}}, nil
}

func one(kind, detail string) []report.Want { return []report.Want{{Kind: kind, Detail: detail}} }

// recovers is the address of the precompiled contract that recovers signers.
var recovers = common.BytesToAddress([]byte{1})

// callOf is the last call of the frame whose answer an operand is computed from; nil: none.
func (v *view) callOf(s *side) *evm.TracedCall {
	for i := len(s.taint.Labels) - 1; i >= 0; i-- {
		if l := s.taint.Labels[i]; l.Kind != evm.OfWrapped {
			if call := v.exec.Trace.Call(int(l.Event)); call != nil && call.Callee >= 0 {
				return call
			}
		}
	}
	return nil
}

// signature is a signer that no key is known of.
func (v *view) signature() ([]report.Want, []report.Remedy) {
	recovered := v.either(func(s *side) bool {
		call := v.callOf(s)
		return call != nil && v.exec.Frames[call.Callee].CodeAddress == recovers
	})
	if recovered == nil && v.called(recovers) && v.comparison.Op == byte(vm.EQ) {
		recovered = v.either(func(s *side) bool {
			return !s.taint.Any(evm.FromStorage) && (s.value.IsZero() && s.other.value.BitLen() > fewBits || s.taint.Any(evm.Hashed|evm.FromReturnData))
		})
	}
	if recovered == nil {
		return nil, nil
	}
	if recovered.other.value.IsZero() || isFlag(v.comparison) {
		return one(report.WantsSignature, "a signature that recovers to an account"), []report.Remedy{{Text: "no account whose key is known has to sign: give an input with a valid signature in --corpus-dir"}}
	}
	signer := common.Address(recovered.other.value.Bytes20())
	w := report.Want{Kind: report.WantsSignature, Detail: fmt.Sprintf("a signature of %s%s, whose private key is not known", v.accountName(signer), v.whence(recovered.other)), Account: signer.Hex()}
	try := []report.Remedy{{Text: "have a sender of the World as the signer (deployer, user1 and user2 can sign): pass one to the constructor in a step of `deploy`, or sign in a test's setUp() with vm.sign"}}
	if a := v.storedIn(recovered.other); a != nil {
		w.Writers = v.writersOf(a).list
		try = append(v.remediesFor(a, w.Writers, &v.seqSender().Address), try...)
	}
	return []report.Want{w}, try
}

// signed is a signature that is refused before anything is recovered from it.
func (v *view) signed() ([]report.Want, []report.Remedy) {
	said := v.stop.Reason
	if at, ok := v.head.Positions.FunctionAt(v.stop.Place); ok {
		said += at
	}
	if !strings.Contains(strings.ToLower(said), "signature") || v.from(evm.FromStorage) != nil {
		return nil, nil
	}
	return one(report.WantsSignature, "a valid signature"), []report.Remedy{
		{Text: "a longer campaign may sign (deployer, user1 and user2 can), or an input of yours in --corpus-dir has a signature: a test of the project that makes one with vm.sign is such an input", Flag: "--timeout " + v.longer()}}
}

// proxy is a call through a proxy: the code compares its own address with that of the contract that
// it was deployed as.
func (v *view) proxy() ([]report.Want, []report.Remedy) {
	f := &v.exec.Frames[v.frame]
	self := *new(uint256.Int).SetBytes(f.Self[:])
	if v.relation != "!=" || v.left.value != self || v.right.value != self || !v.hasOp(vm.ADDRESS) || f.Program.Contract == nil {
		return nil, nil
	}
	in := v.accountName(f.Self)
	return one(report.WantsProxy, "a call through a proxy"), []report.Remedy{{Text: "add a proxy",
		YAML: fmt.Sprintf(`after: [{contract: "sightline:ERC1967Proxy", name: %s, as: %q, arguments: [%s]}]`, v.newName(in+"proxy"), f.Program.Contract.QualifiedName(), in)}}
}

// seqSender is who makes the last call.
func (v *view) seqSender() *evm.Sender {
	return &v.head.Space.Senders[v.seq[len(v.seq)-1].Sender]
}

// called reports whether the frame has called an account.
func (v *view) called(a common.Address) bool {
	return slices.ContainsFunc(v.exec.Frames, func(f evm.Frame) bool { return f.Parent == v.frame && f.CodeAddress == a })
}

// whence says where an operand comes from, for a sentence: ", a constant".
func (v *view) whence(s *side) string {
	if a := v.storedIn(s); a != nil {
		return ", which is stored in " + v.variable(a).name
	}
	if s.taint.Clean() && s.known {
		if v.isImmutable(&s.value) {
			return ", an immutable"
		}
		return ", a constant"
	}
	return ""
}

// isImmutable reports whether a word is in the immutables of the code that runs.
func (v *view) isImmutable(word *uint256.Int) bool {
	f := &v.exec.Frames[v.frame]
	account, err := v.head.World.Account(f.CodeAddress)
	if err != nil || account == nil || f.Program == nil || f.Program.Code == nil {
		return false
	}
	for _, r := range f.Program.Code.Immutables {
		if int(r.End) <= len(account.Code) && new(uint256.Int).SetBytes(account.Code[r.Start:r.End]).Eq(word) {
			return true
		}
	}
	return false
}

// sender is an account that would have to call.
func (v *view) sender() ([]report.Want, []report.Remedy) {
	wanted := v.wantedSender(v.stop, "")
	caller := v.from(evm.FromCaller | evm.FromOrigin)
	if wanted == nil || wanted.Address == "" || v.left.known && (caller == nil || caller.taint.Any(evm.Hashed|evm.FromReturnData)) {
		return nil, nil
	}
	other := caller
	if other == nil {
		other = &v.left
	}
	if other = other.other; other == nil {
		return nil, nil
	}
	name := v.senderName(other)
	account := common.HexToAddress(wanted.Address)
	w := report.Want{Kind: report.WantsSender, Account: wanted.Address,
		Detail: fmt.Sprintf("a call by %s%s, which is not a sender of the World", v.accountName(account), v.whence(other))}
	add := v.addSender(name, account)
	add.Tried = v.passes(func(calls evm.Sequence) { calls[len(calls)-1].From = account })
	try := []report.Remedy{add}
	if a := v.storedIn(other); a != nil {
		w.Writers = v.writersOf(a).list
		try = append(try, v.remediesFor(a, w.Writers, nil)...)
	}
	return []report.Want{w}, try
}

// passes reports whether the input gets past the stop when its calls are changed.
func (v *view) passes(change func(calls evm.Sequence)) bool {
	calls := slices.Clone(v.head.Space.Encode(v.seq, nil))
	change(calls)
	exec, err := v.judge.Run(calls)
	if err != nil {
		return false
	}
	_, stops := sameStop(exec, v.stop)
	return !stops
}

// addSender is the remedy that makes an account a sender.
func (d *describer) addSender(name string, account common.Address) report.Remedy {
	return report.Remedy{Text: "make " + d.accountName(account) + " a sender", YAML: fmt.Sprintf(`senders: {%s: "%s"}`, name, account.Hex())}
}

// role is something that would have to be stored for msg.sender.
func (v *view) role() ([]report.Want, []report.Remedy) {
	caller := new(uint256.Int).SetBytes(v.exec.Frames[v.frame].Caller[:])
	s := v.either(func(s *side) bool {
		return s.taint.Any(evm.FromStorage) && s.taint.Via&(evm.FromCaller|evm.FromOrigin) != 0
	})
	if s == nil && v.stop.ByCaller {
		s = &v.left
	}
	if s == nil || s.taint.Any(evm.FromTimestamp|evm.FromNumber) {
		return nil, nil
	}
	a := v.storedIn(s)
	if a == nil || !slices.Contains(a.Keys.Words[:a.Keys.Count], *caller) || !isFlag(v.comparison) {
		return nil, nil
	}
	known := v.writersOf(a)
	name := v.variable(a).name
	w := report.Want{Kind: report.WantsRole, Writers: known.list, Detail: fmt.Sprintf("what %s holds for msg.sender, and for no sender of the World", name)}
	if len(known.list) == 0 && known.complete {
		w.Detail += "; no function writes it, so that only those have it to whom the constructor gave it"
	}
	try := v.remediesFor(a, known.list, &v.seqSender().Address)
	if len(try) == 0 {
		try = append(try, report.Remedy{Text: giving(known)})
	}
	return []report.Want{w}, try
}

// giving is how a sender could get what is stored for accounts. It names no step that no sender may take.
func giving(known written) string {
	switch {
	case slices.ContainsFunc(known.list, func(w report.Writer) bool { return w.Succeeded }):
		return "give it to a sender: in the constructor, in the set-up of a test, or by a step of `after` from who may"
	case len(known.list) > 0 && !slices.ContainsFunc(known.list, func(w report.Writer) bool { return w.Fails == "" }):
		return fmt.Sprintf("give it to a sender in the constructor or in the set-up of a test: all calls of %s failed, whoever made them", known.list[0].Function)
	case known.complete:
		return "give it to a sender in the constructor: no function does"
	}
	return "give it to a sender in the constructor or in the set-up of a test"
}

// unwritten is what helps against storage that nothing writes.
func (v *view) unwritten(a *evm.StorageAccess) []report.Remedy {
	return []report.Remedy{{Text: fmt.Sprintf("fix or delete: no call changes %s; only another constructor, or a function that writes it, would", v.variable(a).name)}}
}

// answer is another answer of a contract.
func (v *view) answer() ([]report.Want, []report.Remedy) {
	s := v.either(func(s *side) bool { return v.callOf(s) != nil })
	if s == nil {
		return nil, nil
	}
	callee := &v.exec.Frames[v.callOf(s).Callee]
	if callee.Program == nil || callee.Kind == evm.KindDelegateCall && callee.Self == v.exec.Frames[v.frame].Self && len(callee.Storage) == 0 {
		return nil, nil
	}
	what := v.calleeName(callee)
	w := report.Want{Kind: report.WantsAnswer, Detail: fmt.Sprintf("%s, which answers %s, to answer %s", what, v.plain(s), v.wanted(s))}
	var try []report.Remedy
	inner := &view{describer: v.describer, stop: v.stop, exec: v.exec, seq: v.seq, comparison: v.comparison, frame: v.callOf(s).Callee}
	if a := inner.readLast(&s.value); a != nil {
		known := inner.writersOf(a)
		w.Writers = known.list
		w.Detail += "; it is stored in " + inner.variable(a).name
		if len(known.list) == 0 && known.complete {
			w.Detail += "; no function writes it"
		}
		var argument *common.Address
		if a.Keys.Count > 0 {
			argument = &v.seqSender().Address
		}
		try = inner.remediesFor(a, known.list, argument)
	}
	return []report.Want{w}, try
}

// calleeName is the function that a frame runs, as "Coin.balanceOf".
func (v *view) calleeName(f *evm.Frame) string {
	name := v.shortAddress(f.Self)
	if f.Program != nil && f.Program.Contract != nil && len(f.Input) >= 4 {
		if m, err := f.Program.Contract.ABI.MethodById(f.Input[:4]); err == nil {
			return name + "." + m.RawName
		}
	}
	return name
}

// gas is more or less gas.
func (v *view) gas() ([]report.Want, []report.Remedy) {
	if v.from(evm.FromGas) == nil {
		return nil, nil
	}
	return one(report.WantsGas, fmt.Sprintf("another amount of gas: a call of a sequence has %s", human.Count(evm.CallGas))),
		[]report.Remedy{{Text: "no setting gives calls more gas; take the bound from a variable that a test can set"}}
}

// chain is another chain.
func (v *view) chain() ([]report.Want, []report.Remedy) {
	s := v.either(v.isChainID)
	if s == nil {
		return nil, nil
	}
	try := []report.Remedy{}
	if v.relation == "==" && s.other.value.IsUint64() {
		try = append(try, report.Remedy{Text: "run on that chain", YAML: fmt.Sprintf("environment: {chain-id: %d}", s.other.value.Uint64())})
	}
	return one(report.WantsChain, fmt.Sprintf("another chain id: %s %s", v.relation, s.other.value.Dec())), try
}

// isChainID reports whether an operand is the id of the chain.
func (v *view) isChainID(s *side) bool {
	id := v.head.World.Block.ChainID
	if id == 0 {
		id = evm.ChainID
	}
	return s.known && s.taint.Clean() && s.value.IsUint64() && s.value.Uint64() == id && v.hasOp(vm.CHAINID)
}

// hasOp reports whether one of the last blocks before the frame stops has an instruction.
func (v *view) hasOp(op vm.OpCode) bool {
	f := &v.exec.Frames[v.frame]
	at := slices.Index(f.Path, v.comparison.Block)
	const near = 8 // blocks: an optimizer's helpers; arbitrary
	for n := at; n >= 0 && n > at-near; n-- {
		b := f.Program.Blocks[f.Path[n]]
		for pc := b.Start; pc < b.End; pc++ {
			o := vm.OpCode(f.Program.Bytes[pc])
			if o == op {
				return true
			}
			if o.IsPush() {
				pc += uint32(o - vm.PUSH0)
			}
		}
	}
	return false
}

// time is another time, or block.
func (v *view) time() ([]report.Want, []report.Remedy) {
	kind, key, source := report.WantsTime, "timestamp", evm.FromTimestamp
	s := v.from(source)
	if s == nil {
		kind, key, source = report.WantsBlock, "number", evm.FromNumber
		s = v.from(source)
	}
	if s == nil {
		return nil, nil
	}
	if s.taint.Any(evm.FromStorage) && s.other.taint.Any(source) && !s.other.taint.Any(evm.FromStorage) {
		s = s.other // the other one was stored before
	}
	what := map[string]string{report.WantsTime: "a block.timestamp", report.WantsBlock: "a block.number"}[kind]
	relation := v.relation
	if s == &v.right {
		relation = mirrored(relation)
	}
	if s.other.taint.Any(source) || !s.other.value.IsUint64() {
		return one(kind, fmt.Sprintf("%s %s %s, which moves with the one that was stored before", what, relation, v.timeText(s.other, kind))), []report.Remedy{
			{Text: "more time in between: a call of a sequence comes at most 100 years after the one before; a longer budget finds longer sequences, or shorten the delay in a test", Flag: "--timeout " + v.longer()}}
	}
	n, ok := boundary(relation, s.other.value.Uint64())
	text := "begin at that " + map[string]string{"timestamp": "time", "number": "block"}[key]
	if key == "timestamp" && strings.HasPrefix(relation, ">") && n > before {
		// Constructors often want such a time to be ahead, and calls come later.
		n, text = n-before, "begin a day before"
	}
	detail := fmt.Sprintf("%s %s %s", what, relation, v.timeText(s.other, kind))
	if !ok {
		return one(kind, detail), nil
	}
	block := &v.head.World.Block
	tried := v.passes(func(calls evm.Sequence) {
		if key == "timestamp" {
			calls[0].TimeAdvance = max(n+before, block.Time) - block.Time
		} else {
			calls[0].BlockAdvance = max(n, block.Number) - block.Number
		}
	})
	return one(kind, detail), []report.Remedy{{Tried: tried, Text: text, YAML: fmt.Sprintf("environment: {%s: %d}", key, n)}}
}

// before is how long before a time that is wanted a campaign is to begin, in seconds.
const before = 24 * 60 * 60

// mirrored is a relation with its operands exchanged.
func mirrored(relation string) string {
	if m, ok := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[relation]; ok {
		return m
	}
	return relation
}

// boundary is the number next to another one that has a relation to it.
func boundary(relation string, n uint64) (uint64, bool) {
	switch relation {
	case "<":
		return n - 1, n > 0
	case ">":
		return n + 1, n < 1<<62
	case "!=":
		return 0, false
	}
	return n, n < 1<<62
}

// notPayable ends what is wanted of a call that can have no ether with it.
const notPayable = "is not payable"

// ether is wei that no account has, or that a function does not take.
func (v *view) ether() ([]report.Want, []report.Remedy) {
	s := v.from(evm.FromCallValue | evm.FromBalance)
	if s == nil {
		return nil, nil
	}
	what := "the ether of an account"
	switch {
	case s.taint.Any(evm.FromCallValue):
		what = "msg.value"
	case s.taint.Any(evm.FromOwnBalance):
		what = "the ether of " + v.shortAddress(v.exec.Frames[v.frame].Self)
	}
	relation := v.relation
	if s == &v.right {
		relation = mirrored(relation)
	}
	detail := fmt.Sprintf("%s %s %s", what, relation, input.Ether(&s.other.value))
	var try []report.Remedy
	if called := v.seq[len(v.seq)-1].Function; s.taint.Any(evm.FromCallValue) && !called.Payable && !called.Test {
		return one(report.WantsEther, fmt.Sprintf("%s, but %s %s", detail, called.Name, notPayable)),
			[]report.Remedy{{Text: fmt.Sprintf("make %s payable, or call this from a function that is", called.Name)}}
	}
	const funds = 96 // bits of what each sender owns, in wei
	if s.other.value.BitLen() > funds {
		detail += "; each sender owns 2^96 wei"
		try = append(try, report.Remedy{Text: "no account owns as much; with `--state`, a genesis file can give it more"})
	}
	return one(report.WantsEther, detail), try
}

// hash is something with a certain hash.
func (v *view) hash() ([]report.Want, []report.Remedy) {
	s := v.from(evm.Hashed)
	if s == nil || v.comparison.Op != byte(vm.EQ) {
		return nil, nil
	}
	const hashBits = 161 // fewer are an address, or a number
	if s.value.BitLen() < hashBits && s.other.value.BitLen() < hashBits {
		return nil, nil
	}
	if s.other.taint.Any(evm.Hashed) && !s.taint.Any(evm.FromCalldata) {
		s = s.other
	}
	w := report.Want{Kind: report.WantsHash, Detail: fmt.Sprintf("data whose hash is %s%s, and which no search finds", v.plain(s.other), v.whence(s.other))}
	try := []report.Remedy{}
	if a := v.storedIn(s.other); a != nil {
		w.Writers = v.writersOf(a).list
		try = v.remediesFor(a, w.Writers, nil)
	}
	return []report.Want{w}, append(try, report.Remedy{Text: "give an input that has it: a test of the project that passes it, or a file in --corpus-dir", Flag: "--corpus-dir DIR"})
}

// state is another value in storage.
func (v *view) state() ([]report.Want, []report.Remedy) {
	var a *evm.StorageAccess
	for _, s := range []*side{&v.left, &v.right} {
		if s.taint.Any(evm.FromStorage) && a == nil {
			a = v.storedIn(s)
		}
	}
	if a == nil {
		return v.computed()
	}
	s := v.either(func(s *side) bool { return s.taint.Any(evm.FromStorage) })
	known := v.writersOf(a)
	name := v.variable(a).name
	wanted := fmt.Sprintf("%s, which is %s, to be %s", name, v.plain(s), v.wanted(s))
	w := report.Want{Kind: report.WantsState, Detail: wanted, Writers: known.list}
	if len(known.list) == 0 && known.complete && a.Base == a.Slot { // of a mapping, another element may do
		w.Kind, w.Proved = report.WantsNever, true
		w.Detail += "; nothing writes it after the constructor"
		return []report.Want{w}, v.unwritten(a)
	}
	return []report.Want{w}, v.remediesFor(a, known.list, nil)
}

// computed is another value of what is computed from storage.
func (v *view) computed() ([]report.Want, []report.Remedy) {
	s := v.from(evm.FromStorage)
	if s == nil {
		return nil, nil
	}
	w := report.Want{Kind: report.WantsState, Detail: fmt.Sprintf("%s, which is %s, to be %s", v.is(s), v.plain(s), v.wanted(s))}
	if a := v.lastRead(); a != nil {
		w.Writers = v.writersOf(a).list
		return []report.Want{w}, v.remediesFor(a, w.Writers, nil)
	}
	return []report.Want{w}, nil
}

// lastRead is what the frame read last from storage; nil: nothing.
func (v *view) lastRead() *evm.StorageAccess {
	f := &v.exec.Frames[v.frame]
	for i := len(f.Storage) - 1; i >= 0; i-- {
		if !f.Storage[i].Write {
			return &f.Storage[i]
		}
	}
	return nil
}

// wanted is the value that an operand would have to have.
func (v *view) wanted(s *side) string {
	if isFlag(v.comparison) {
		return fmt.Sprint(v.relation == "!=")
	}
	relation := v.relation
	if s == &v.right {
		relation = mirrored(relation)
	}
	if relation == "==" {
		return v.plain(s.other)
	}
	return relation + " " + v.plain(s.other)
}

// argument is another argument of a call.
func (v *view) argument() ([]report.Want, []report.Remedy) {
	if v.from(evm.FromCalldata) == nil {
		return nil, nil
	}
	if strings.HasPrefix(v.stop.Reason, "panic ") {
		return one(report.WantsArgument, "other arguments"), nil
	}
	return one(report.WantsArgument, "other arguments"), []report.Remedy{{Text: "a longer campaign may find them, or an input of yours in --corpus-dir", Flag: "--timeout " + v.longer()}}
}
