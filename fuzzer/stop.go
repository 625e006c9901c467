package fuzzer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Stop is a place at which executions leave the way to a target that was not reached, or,
// if it was executed only in calls that fail, the place at which these fail.
type Stop struct {
	At    bytecode.Location // the last conditional jump from which the target is ahead
	Place bytecode.Location // At, or what led there where a compiler's own helper decides
	// Halts reports whether Place is where the code halted, after what decided at At: other
	// conditions than that one may have led there.
	Halts bool
	// Halted is where the frame halted that left the way at Place, if it failed by itself; zero
	// otherwise.
	Halted bytecode.Location
	// Passed reports whether an execution has taken the other side at At.
	Passed         bool
	Decides        bool // Comparison is what decided there; otherwise the code halted at At
	evm.Comparison      // in the execution that came closest to the other outcome
	// Entered reports whether the executions had entered the target's function.
	Entered    bool
	Executions uint64 // that ended there, as far as the suite holds their paths
	Reason     string // why the call failed, in that execution; empty: it did not
	// Caller is who called the code there, in that execution.
	Caller common.Address
	// ByCaller reports whether what decided was the last that the code read from storage, under
	// Caller's key.
	ByCaller bool
	// Missing is an account without code that was called right before, and answered nothing;
	// zero: none.
	Missing common.Address
	// Input is the sequence of that execution, and Frame the index of the frame that stopped
	// among all of the execution's.
	Input input.Packed
	Frame int
	// Guards are the conditional jumps that the frame passed, and from whose other side the
	// target is not ahead; Beyond are those of the shortest way from At to the target.
	Guards []bytecode.Location
	Beyond []Ahead

	Distance uint32      // blocks that were left to the target
	Cost     uint256.Int // of the other outcome, where Decides is set
}

// Ahead is a conditional jump on the way to a target that no execution reached.
type Ahead struct {
	At bytecode.Location
	// Account is the last constant in the code on the way to it that may be an account; zero: none.
	Account common.Address
}

// Bounds of the work on stops, once at the campaign's end: about a second on the judge.
// Arbitrary.
const (
	maxStopRuns    = 1_024          // sequences
	maxStopWork    = heavyWork << 8 // of all of them
	maxStopTargets = 256
	maxStops       = 8 // of a target
	maxStrangers   = 2 // likewise
)

// findStops says of each target that was not reached where executions leave the way to it.
// It runs the inputs of the suite once more: those of the paths that were taken most, and
// those that came closest to a branch side that was never taken. They count for nothing.
func (c *Campaign) findStops() {
	if c.FunctionAt == nil {
		return
	}
	f := stopFinder{c: c, ways: map[bytecode.CodeID][]*wayTo{}, routes: map[bytecode.CodeID]*lookahead.Routes{}, functions: map[bytecode.Location]string{}}
	if !f.prepare() {
		return
	}
	for _, s := range c.stopInputs() {
		seq := s.Calls.Unpack()
		exec, err := c.judge.Run(c.Space.Encode(seq, nil))
		if err != nil {
			continue
		}
		f.see(exec, s.Calls, max(1, c.suite.fuzz(s.PID)))
	}
	for _, w := range f.all {
		stops := slices.Collect(maps.Values(w.stops))
		for _, s := range stops {
			s.Passed = !s.Decides || c.taken.byAny(branchSide{code: s.At.Code, pc: s.At.PC, taken: !s.Taken})
		}
		result := &c.result.Targets[w.target]
		result.Stops, result.Strangers = foremostStops(stops), nearestStrangers(slices.Collect(maps.Values(w.strangers)))
	}
}

// foremostStops are the stops that a result has: those that none passed first, then the most frequent.
func foremostStops(stops []*Stop) []Stop {
	slices.SortFunc(stops, func(a, b *Stop) int {
		return cmp.Or(compareBools(a.Passed, b.Passed), cmp.Compare(b.Executions, a.Executions), a.At.Compare(b.At), cmp.Compare(a.Distance, b.Distance), compareBools(a.Entered, b.Entered))
	})
	return firstStops(stops, maxStops)
}

// nearestStrangers are the strangers that a result has.
func nearestStrangers(strangers []*Stop) []Stop {
	slices.SortFunc(strangers, func(a, b *Stop) int { return cmp.Or(cmp.Compare(a.Distance, b.Distance), a.At.Compare(b.At)) })
	return firstStops(strangers, maxStrangers)
}

// firstStops are so many stops at most.
func firstStops(stops []*Stop, most int) (list []Stop) {
	for _, s := range stops[:min(len(stops), most)] {
		list = append(list, *s)
	}
	return list
}

// UniteStops are the stops and strangers of one target in several campaigns on the same World, as
// one campaign has them.
func UniteStops(results []*TargetResult) (stops, strangers []Stop) {
	w := wayTo{stops: map[stopKey]*Stop{}, strangers: map[bytecode.Location]*Stop{}}
	passed := map[bytecode.Location]bool{}
	for _, t := range results {
		for _, s := range t.Stops {
			passed[s.At] = passed[s.At] || s.Passed
			w.add(&s)
		}
		for _, s := range t.Strangers {
			if known := w.strangers[s.At]; known == nil || s.Distance < known.Distance {
				w.strangers[s.At] = &s
			}
		}
	}
	all := slices.Collect(maps.Values(w.stops))
	for _, s := range all {
		s.Passed = passed[s.At]
	}
	return foremostStops(all), nearestStrangers(slices.Collect(maps.Values(w.strangers)))
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// stopInputs chooses the inputs that show where executions stop: one for each path, those
// taken most first, but each function's in turn.
func (c *Campaign) stopInputs() []*Seed {
	var closest []*Seed
	for _, list := range c.suite.closest {
		closest = append(closest, list...)
	}
	seen := map[bytecode.PathID]bool{}
	byFunction := map[any][]*Seed{}
	var order []any
	for _, s := range slices.Concat(closest, c.suite.Seeds) {
		if seen[s.PID] || s.work >= heavyWork {
			continue
		}
		seen[s.PID] = true
		last := s.Calls.Last()
		if byFunction[last] == nil {
			order = append(order, last)
		}
		byFunction[last] = append(byFunction[last], s)
	}
	for _, list := range byFunction {
		slices.SortStableFunc(list, func(a, b *Seed) int { return cmp.Compare(c.suite.fuzz(b.PID), c.suite.fuzz(a.PID)) })
	}
	var chosen []*Seed
	work := uint64(0)
	for i := 0; len(chosen) < maxStopRuns; i++ {
		found := false
		for _, key := range order {
			if list := byFunction[key]; i < len(list) && len(chosen) < maxStopRuns && work < maxStopWork {
				found = true
				chosen = append(chosen, list[i])
				work += list[i].work
			}
		}
		if !found {
			break
		}
	}
	return chosen
}

// stopFinder collects stops.
type stopFinder struct {
	c         *Campaign
	all       []*wayTo
	ways      map[bytecode.CodeID][]*wayTo // by program
	routes    map[bytecode.CodeID]*lookahead.Routes
	functions map[bytecode.Location]string // known answers of FunctionAt
}

// wayTo is the way to a target in all programs that hold it.
type wayTo struct {
	target    int
	function  string // that holds the target
	distances map[bytecode.CodeID]lookahead.Distances
	blocks    map[bytecode.CodeID][]bytecode.BlockID
	stops     map[stopKey]*Stop
	strangers map[bytecode.Location]*Stop // by At
}

type stopKey struct {
	at      bytecode.Location
	entered bool
}

// prepare lists the targets to look for; false when there are none.
func (f *stopFinder) prepare() bool {
	for i := range f.c.result.Targets {
		if t := &f.c.result.Targets[i]; t.Done(&f.c.Targets[i]) || t.Unreachable || len(f.all) == maxStopTargets {
			continue
		}
		w := &wayTo{target: i, distances: map[bytecode.CodeID]lookahead.Distances{}, blocks: map[bytecode.CodeID][]bytecode.BlockID{}, stops: map[stopKey]*Stop{}, strangers: map[bytecode.Location]*Stop{}}
		for _, entry := range f.c.Targets[i].Entries {
			if p, b, ok := blockAt(f.c.Table, entry); ok {
				w.blocks[p.ID] = append(w.blocks[p.ID], b)
			}
			w.function = cmp.Or(w.function, f.functionAt(entry))
		}
		for id := range w.blocks { // each by itself
			f.ways[id] = append(f.ways[id], w)
		}
		f.all = append(f.all, w)
	}
	return len(f.all) > 0
}

// functionAt is the function at a location; empty: unknown.
func (f *stopFinder) functionAt(at bytecode.Location) string {
	name, known := f.functions[at]
	if !known {
		name, _ = f.c.FunctionAt(at)
		f.functions[at] = name
	}
	return name
}

// see adds the execution of an input that stands for so many.
func (f *stopFinder) see(exec *evm.Execution, calls input.Packed, count uint64) {
	best := map[*wayTo]*Stop{}
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		p := exec.Frames[i].Program
		if p == nil || len(f.ways[p.ID]) == 0 {
			continue
		}
		routes := f.routes[p.ID]
		if routes == nil {
			routes = lookahead.NewRoutes(f.c.Library.Facts(p))
			f.routes[p.ID] = routes
		}
		routes.Follow(exec.Frames[i].Path)
		for _, w := range f.ways[p.ID] {
			if s := f.stop(exec, i, w, routes); s != nil && (best[w] == nil || s.Entered && !best[w].Entered || s.Entered == best[w].Entered && s.Distance < best[w].Distance) {
				best[w] = s
			}
		}
	}
	for w, s := range best { // each by itself
		s.Executions, s.Input = count, calls
		if known := w.strangers[s.At]; f.wantsStranger(s) && (known == nil || s.Distance < known.Distance) {
			stranger := *s
			w.strangers[s.At] = &stranger
		}
		w.add(s)
	}
}

// wantsStranger reports whether msg.sender is compared with an account that sends no calls.
func (f *stopFinder) wantsStranger(s *Stop) bool {
	caller := *new(uint256.Int).SetBytes(s.Caller[:])
	wanted := s.Left
	switch {
	case !s.Decides || s.Op != opEQ || s.Left == s.Right:
		return false
	case s.Left == caller:
		wanted = s.Right
	case s.Right != caller:
		return false
	}
	return !wanted.IsZero() && wanted.BitLen() <= 8*common.AddressLength &&
		!slices.ContainsFunc(f.c.World.Senders, func(o evm.Sender) bool { return o.Address == wanted.Bytes20() })
}

// add counts a stop, and keeps what decided in the execution that came closest.
func (w *wayTo) add(s *Stop) {
	key := stopKey{s.At, s.Entered}
	known := w.stops[key]
	if known == nil {
		w.stops[key] = s
		return
	}
	if s.Distance < known.Distance || s.Distance == known.Distance && s.Decides && s.Cost.Lt(&known.Cost) {
		s.Executions += known.Executions
		w.stops[key] = s
		return
	}
	known.Executions += s.Executions
}

// stop is where a frame leaves the way to a target; nil: that is not known.
func (f *stopFinder) stop(exec *evm.Execution, i int, w *wayTo, routes *lookahead.Routes) *Stop {
	frame := &exec.Frames[i]
	result := &exec.Calls[len(exec.Calls)-1]
	for _, b := range w.blocks[frame.Program.ID] {
		if slices.Contains(frame.Path, b) { // executed, and undone
			if result.Outcome == evm.Success {
				return nil
			}
			s := f.failure(exec, exec.Calls[len(exec.Calls)-1].Frames[0])
			s.Entered, s.Reason = true, result.Reason()
			s.Guards = passed(frame, len(frame.Path)-1, s, nil)
			return s
		}
	}
	distances, ok := w.distances[frame.Program.ID]
	if !ok {
		distances = routes.To(w.blocks[frame.Program.ID])
		w.distances[frame.Program.ID] = distances
	}
	at, distance, ok := routes.Leave(distances)
	if !ok || frame.PathTruncated && at == len(frame.Path)-1 {
		return nil
	}
	s := f.decision(exec, i, at)
	if s == nil {
		return nil
	}
	s.Distance, s.Reason = distance, result.Reason()
	s.Guards = passed(frame, at, s, routes.Forks(distances, at))
	if s.Frame == i && !s.Halts {
		s.Beyond = beyond(frame.Program, routes, distances, at)
	}
	if !s.Halts && frame.Outcome != evm.Success && failedCallee(exec, i, len(frame.Path)-1) < 0 {
		s.Halted = f.halted(frame).Place
	}
	s.Entered = w.function != "" && slices.ContainsFunc(frame.Path[:at+1], func(b bytecode.BlockID) bool {
		return f.functionAt(bytecode.Location{Code: frame.Program.ID, PC: frame.Program.Blocks[b].Start}) == w.function
	})
	return s
}

// decision describes what decided in a frame that it left the block at an index of its path
// in the direction that it did: a comparison there, or what made the callee fail whose
// failure it hands on, or else the last comparison before.
func (f *stopFinder) decision(exec *evm.Execution, i, at int) *Stop {
	frame := &exec.Frames[i]
	if failed := failedCallee(exec, i, at); failed >= 0 && frame.Outcome != evm.Success {
		return f.failure(exec, failed)
	}
	k, block := comparisonAt(frame, at)
	if k < 0 {
		s := f.halted(frame)
		s.Frame = i
		return s
	}
	return f.compared(exec, i, k, block)
}

// halted describes where a frame halted without a decision.
func (f *stopFinder) halted(frame *evm.Frame) *Stop {
	at := bytecode.Location{Code: frame.Program.ID, PC: frame.LastPC}
	return &Stop{At: at, Place: f.place(frame, at, len(frame.Path)-1), Caller: frame.Caller}
}

// place is the last instruction of a frame with a function in the source, from an
// instruction in the block at an index of its path backward.
func (f *stopFinder) place(frame *evm.Frame, at bytecode.Location, block int) bytecode.Location {
	for from := at; ; block-- {
		if f.functionAt(from) != "" {
			return from
		}
		if block <= 0 {
			return at
		}
		from.PC = lastInstruction(frame.Program, frame.Path[block-1])
	}
}

// lastInstruction is the pc of a block's last instruction.
func lastInstruction(p *bytecode.Program, b bytecode.BlockID) uint32 {
	last := p.Blocks[b].Start
	for pc := last; pc < p.Blocks[b].End; pc++ {
		last = pc
		if op := vm.OpCode(p.Bytes[pc]); op.IsPush() {
			pc += uint32(op - vm.PUSH0)
		}
	}
	return last
}

// failure describes what made a frame fail: its last comparison, or that of the callee whose
// failure it hands on.
func (f *stopFinder) failure(exec *evm.Execution, i int) *Stop {
	i, k := decidedFailure(exec, i)
	frame := &exec.Frames[i]
	if frame.Program == nil {
		return &Stop{Caller: frame.Caller, Frame: i}
	}
	if k >= 0 {
		_, block := comparisonAt(frame, len(frame.Path)-1)
		s := f.compared(exec, i, k, block)
		s.Place, s.Halts = f.halted(frame).Place, true
		return s
	}
	s := f.halted(frame)
	s.Frame = i
	return s
}

// maxGuards bounds the conditions that are kept of a way. Arbitrary: more than functions have.
const maxGuards = 32

// passed are the conditional jumps of a frame's comparisons up to an index of its path, but for
// that of a stop. With forks, only those in blocks at these indices.
func passed(frame *evm.Frame, at int, s *Stop, forks []int) []bytecode.Location {
	var list []bytecode.Location
	for n, next := 0, 0; n <= at && n < len(frame.Path) && next < len(frame.Comparisons); n++ {
		c := &frame.Comparisons[next]
		if c.Block != frame.Path[n] {
			continue
		}
		next++
		l := bytecode.Location{Code: frame.Program.ID, PC: c.PC}
		if (forks == nil || slices.Contains(forks, n)) && l != s.At && len(list) < maxGuards {
			list = append(list, l)
		}
	}
	return list
}

// maxAhead bounds the blocks of a way that are looked at. Arbitrary.
const maxAhead = 256

// beyond are the conditions on the way to a target from a block of a path.
func beyond(p *bytecode.Program, routes *lookahead.Routes, to lookahead.Distances, at int) []Ahead {
	var list []Ahead
	var account common.Address
	blocks, forks := routes.Ahead(to, at, maxAhead)
	for i, b := range blocks {
		if len(list) == maxGuards {
			break
		}
		for pc := p.Blocks[b].Start; pc < p.Blocks[b].End; pc++ {
			op := vm.OpCode(p.Bytes[pc])
			if op == vm.PUSH20 && int(pc)+common.AddressLength < len(p.Bytes) {
				if a := common.BytesToAddress(p.Bytes[pc+1 : pc+1+common.AddressLength]); a != allBits {
					account = a
				}
			}
			if op.IsPush() {
				pc += uint32(op - vm.PUSH0)
			}
		}
		if forks[i] {
			list = append(list, Ahead{bytecode.Location{Code: p.ID, PC: lastInstruction(p, b)}, account})
			account = common.Address{}
		}
	}
	return list
}

// allBits is the mask with which compilers clean addresses.
var allBits = common.HexToAddress("0xffffffffffffffffffffffffffffffffffffffff")

// compared describes a comparison, at the end of the block at an index of the path.
func (f *stopFinder) compared(exec *evm.Execution, i, k, block int) *Stop {
	frame := &exec.Frames[i]
	at := bytecode.Location{Code: frame.Program.ID, PC: frame.Comparisons[k].PC}
	s := &Stop{At: at, Place: f.place(frame, at, block), Decides: true, Comparison: frame.Comparisons[k], Caller: frame.Caller, Frame: i}
	s.Cost = distance(&s.Comparison)
	caller := new(uint256.Int).SetBytes(frame.Caller[:])
	if n := len(frame.Storage); n > 0 { // what was read last
		a := &frame.Storage[n-1]
		s.ByCaller = !a.Write && slices.Contains(a.Keys.Words[:a.Keys.Count], *caller) && (s.Left == a.Value || s.Right == a.Value)
	}
	s.Missing = missingCallee(exec, i, &s.Comparison)
	return s
}

// missingCallee is the account without code that a frame had called, or wanted to call, when
// a comparison decided; zero: none.
func missingCallee(exec *evm.Execution, i int, c *evm.Comparison) common.Address {
	frame := &exec.Frames[i]
	if frame.Outcome != evm.Reverted || len(frame.Output) > 0 {
		return common.Address{}
	}
	for j := len(exec.Frames) - 1; j > i; j-- {
		callee := &exec.Frames[j]
		if callee.Parent != i {
			continue
		}
		if callee.Program == nil && callee.Outcome == evm.Success && len(callee.Output) == 0 && len(callee.Input) >= 4 &&
			frame.Decided && frame.Decision == c.PC && !isPrecompile(callee.CodeAddress) {
			return callee.CodeAddress
		}
		break
	}
	return common.Address{}
}

// isPrecompile reports whether an address is of those that Ethereum has precompiled contracts
// at, or soon may have. The system contracts of other chains have code, which is missing here.
func isPrecompile(a common.Address) bool {
	const reserved, p256 = 0x20, 0x100
	n := new(uint256.Int).SetBytes(a[:])
	return !n.IsZero() && (n.LtUint64(reserved) || n.Eq(uint256.NewInt(p256)))
}

// ChecksCode reports whether the comparison of a stop asks whether an account has code, as
// solc does before a call: the block ends with a test of EXTCODESIZE.
func (s *Stop) ChecksCode(table *bytecode.Table) bool {
	p := table.Program(s.At.Code)
	if p == nil || !s.Decides || !s.Left.IsZero() || s.Op != byte(vm.ISZERO) || int(s.Block) >= len(p.Blocks) {
		return false
	}
	sized := false
	for pc := p.Blocks[s.Block].Start; pc < s.PC; pc++ {
		op := vm.OpCode(p.Bytes[pc])
		sized = sized || op == vm.EXTCODESIZE
		if op.IsPush() {
			pc += uint32(op - vm.PUSH0)
		}
	}
	return sized
}
