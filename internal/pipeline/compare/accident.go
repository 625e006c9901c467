package compare

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// accidents tells which failures of the head nothing in the source asks for.
type accidents struct {
	*Sides
	lines  map[line]bool                                   // that changed
	blocks map[bytecode.CodeID]map[bytecode.BlockID]uint32 // see changedIn
}

// line is one of a source file.
type line struct {
	file string
	line int
}

func (s *Sides) newAccidents() *accidents {
	a := &accidents{Sides: s, lines: map[line]bool{}, blocks: map[bytecode.CodeID]map[bytecode.BlockID]uint32{}}
	for _, at := range s.changedAt {
		a.lines[line{at.File, at.Line}] = true
	}
	return a
}

// accident is a failure that nothing in the source asks for.
type accident struct {
	what     string // "a division by zero (Panic 0x12)"
	at       bytecode.Location
	contract string // whose code that is, qualified
	frame    *evm.Frame
	// callee reports that it is what another account is that makes it fail, or what that answers.
	callee bool
	// guessed reports that this account has no code, and that its contract has had it since the World was made.
	guessed bool
}

// accidentOf is why a call of the head fails; nil where that is what the source asks for, and where the failing
// code has nothing to do with the change.
func (s *accidents) accidentOf(exec *evm.Execution, call int) *accident {
	i := s.blamed(exec, exec.Calls[call].Frames)
	f := &exec.Frames[i]
	if !s.ships(f) {
		return nil
	}
	a := &accident{at: oracle.EndOf(f), contract: f.Program.Contract.QualifiedName(), frame: f}
	switch a.what = oracle.FailedCheck(exec, i); {
	case a.what != "":
	case f.Outcome == evm.OutOfGas:
		a.what = "it runs out of gas"
		if at, ok := s.mostRun(f); ok {
			a.at = at // in a loop, gas may run out anywhere
		}
	case f.Outcome == evm.InvalidJump, f.Outcome == evm.StackFault, f.Outcome == evm.StaticViolation, f.Outcome == evm.DepthExceeded:
		a.what = f.Outcome.String()
	case f.Outcome == evm.Reverted && len(f.Output) == 0:
		return s.silent(exec, i, a)
	default:
		return nil
	}
	if !s.entersChange(f) {
		return nil
	}
	return a
}

// blamed is the frame that made a call fail: callers hand on what their callees fail with. One that refuses to go on
// after that, without a reason, is to blame itself.
func (s *accidents) blamed(exec *evm.Execution, frames [2]int) int {
	at := frames[0]
	for {
		next := -1
		for i := at + 1; i < frames[1]; i++ {
			if exec.Frames[i].Parent == at {
				next = i // the last
			}
		}
		if next < 0 || exec.Frames[next].Outcome == evm.Success || string(exec.Frames[next].Output) != string(exec.Frames[at].Output) {
			return at
		}
		if f := &exec.Frames[at]; len(f.Output) == 0 && f.Outcome == evm.Reverted && f.Program != nil && s.asks(f) {
			return at
		}
		at = next
	}
}

// ships reports whether code of the project's, or of its dependencies, ran in a frame.
func (s *accidents) ships(f *evm.Frame) bool {
	if f.Program == nil || f.Program.Contract == nil || f.Program.Contract.Generated || world.IsHarness(f.Program.Contract) {
		return false
	}
	role, _ := world.RoleOf(f.Program.Contract)
	return role == world.UnderTest || role == world.Dependency && !world.IsBuiltInMock(f.Program.Contract)
}

// asked is what a source says where it refuses a call. Assembly has revert, too.
var asked = regexp.MustCompile(`\b(require|revert|throw|assert|invalid)\b`)

// silent is the accident of a frame that reverts without a reason.
func (s *accidents) silent(exec *evm.Execution, i int, a *accident) *accident {
	f := a.frame
	if f.Parent >= 0 && s.lacks(f) {
		return s.calleeLacks(exec, f)
	}
	if s.asks(f) || !s.entersChange(f) || !s.knownCallee(exec, i) {
		return nil
	}
	a.what, a.callee = "an account that it calls has no code, or answers less than is decoded", true
	a.guessed = s.callsGuessed(exec, i)
	return a
}

// asks reports whether the source asks for a frame's failure, or is not known.
func (s *accidents) asks(f *evm.Frame) bool {
	end := oracle.EndOf(f)
	for _, at := range []bytecode.Location{end, {Code: f.Program.ID, PC: f.LastPC}} {
		if at != end && f.Program.Code != nil && f.Program.Code.IsShared(at.PC) {
			continue
		}
		if text, ok := s.Head.Positions.TextAt(at); !ok || asked.MatchString(text) {
			return true
		}
	}
	return false
}

// knownCallee reports whether what a frame that stops at a call has called last is a contract of the World or zero:
// of what the World lacks, nothing is known.
func (s *accidents) knownCallee(exec *evm.Execution, i int) bool {
	f := &exec.Frames[i]
	for j := i + 1; j < len(exec.Frames) && exec.Frames[j].Call == f.Call; j++ {
		c := &exec.Frames[j]
		if c.Parent == i && c.Outcome != evm.Success {
			return false // what it fails with is something else
		}
	}
	for j := len(exec.Frames) - 1; j > i; j-- {
		if c := &exec.Frames[j]; c.Parent == i {
			if c.Program == nil {
				return s.isZeroOrKnown(c)
			}
			return s.ships(c)
		}
	}
	reads := slices.Clone(f.Storage)
	slices.Reverse(reads)
	at := slices.IndexFunc(reads, func(a evm.StorageAccess) bool { return !a.Write })
	return at >= 0 && reads[at].Value.IsZero()
}

// isZeroOrKnown reports whether a frame without code is of the zero address or of a sender.
func (s *accidents) isZeroOrKnown(f *evm.Frame) bool {
	return f.Self == common.Address{} || slices.ContainsFunc(s.Head.Space.Senders, func(known evm.Sender) bool { return known.Address == f.Self })
}

// callsGuessed reports whether what a frame has called last is an account without code that the World gave to its contract.
func (s *accidents) callsGuessed(exec *evm.Execution, i int) bool {
	for j := len(exec.Frames) - 1; j > i; j-- {
		if c := &exec.Frames[j]; c.Parent == i {
			return c.Program == nil && s.isWorlds(exec.Frames[i].Self, c.Self)
		}
	}
	return false
}

// isWorlds reports whether a contract has an account's address since the World was made, in its code or its storage: a constructor was
// given it, and an account without code may stand for a contract that the World lacks.
func (s *accidents) isWorlds(contract, account common.Address) bool {
	made := s.Head.World.Accounts[contract]
	if made == nil || account == (common.Address{}) {
		return false
	}
	for _, word := range made.Storage { // in any order
		if bytes.Contains(word[:], account[:]) {
			return true
		}
	}
	return bytes.Contains(made.Code, account[:])
}

// lacks reports whether a frame runs a contract without the function that it is called for.
func (s *accidents) lacks(f *evm.Frame) bool {
	const selector = 4
	if f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 || len(f.Input) < selector {
		return false
	}
	_, err := f.Program.Contract.ABI.MethodById(f.Input[:selector])
	return err != nil && !f.Program.Contract.ABI.HasFallback()
}

// calleeLacks is the accident of a call of a function that a contract has not: it had it on the base, or the caller
// has changed.
func (s *accidents) calleeLacks(exec *evm.Execution, f *evm.Frame) *accident {
	caller := &exec.Frames[f.Parent]
	if !s.ships(caller) {
		return nil
	}
	pair := s.storage[f.Self]
	had := false
	if pair != nil && pair.head == f.Program.Contract {
		_, err := pair.base.ABI.MethodById(f.Input[:4])
		had = err == nil
	}
	if !had && !s.entersChange(caller) {
		return nil
	}
	return &accident{what: "the contract " + f.Program.Contract.Name + " has no such function", at: bytecode.Location{Code: caller.Program.ID, PC: f.CallPC},
		contract: caller.Program.Contract.QualifiedName(), frame: caller, callee: true}
}

// entersChange reports whether changed code ran in a frame.
func (s *accidents) entersChange(f *evm.Frame) bool {
	_, ok := s.firstChanged(f)
	return ok
}

// firstChanged is the first changed code that ran in a frame. Where a target begins is too late: what a changed statement
// works out fails before.
func (s *accidents) firstChanged(f *evm.Frame) (bytecode.Location, bool) {
	changed := s.changedIn(f.Program)
	for _, path := range []bytecode.Path{f.Path, f.Tail} {
		for _, block := range path {
			if pc, ok := changed[block]; ok {
				return bytecode.Location{Code: f.Program.ID, PC: pc}, true
			}
		}
	}
	return bytecode.Location{}, false
}

// mostRun is the changed code that ran most often in a frame: the head of a loop.
func (s *accidents) mostRun(f *evm.Frame) (at bytecode.Location, ok bool) {
	changed, times := s.changedIn(f.Program), map[bytecode.BlockID]int{}
	most := 0
	for _, block := range f.Path {
		times[block]++
		most = max(most, times[block])
	}
	for _, block := range f.Path {
		if pc, is := changed[block]; is && times[block] >= most-1 { // the last round may have ended early
			return bytecode.Location{Code: f.Program.ID, PC: pc}, true
		}
	}
	return s.firstChanged(f)
}

// changedIn are the blocks of a program with code of changed lines, each with the first instruction of that.
func (s *accidents) changedIn(p *bytecode.Program) map[bytecode.BlockID]uint32 {
	if known, ok := s.blocks[p.ID]; ok {
		return known
	}
	blocks := map[bytecode.BlockID]uint32{}
	p.Instructions(func(pc uint32) bool {
		at := bytecode.Location{Code: p.ID, PC: pc}
		position, _ := s.Head.Positions.At(at)
		block, ok := p.BlockOf(pc)
		if _, known := blocks[block]; ok && !known && (s.changed[at] || s.lines[line{position.File, position.Line}]) {
			blocks[block] = pc
		}
		return true
	})
	s.blocks[p.ID] = blocks
	return blocks
}
