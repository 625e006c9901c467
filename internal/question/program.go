package question

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// setTargets sets the Analyzer to a question's targets and call model. If they are already
// set, the Analyzer is left alone and keeps its cached answers.
func (p *program) setTargets(q *Question) error {
	switch q.Calls {
	case Conservative, Observed:
	default:
		return fmt.Errorf("calls is %q: want %s or %s", q.Calls, Conservative, Observed)
	}
	if !q.Target.given || !q.Target.invalid && len(q.Target.list) == 0 {
		return errors.New("no target given: pass --target PC[,PC…] or --target invalid")
	}
	targets := q.Target.list
	if q.Target.invalid {
		targets = p.invalid()
	}
	for _, pc := range targets {
		if err := p.check(pc); err != nil {
			return fmt.Errorf("target: %w", err)
		}
	}
	asked := fmt.Sprint(targets)
	if q.Calls == Conservative && asked == p.asked {
		return nil
	}
	p.calls, p.asked = lookahead.Conservative, asked
	if q.Calls == Observed {
		// No call has been observed yet; run adds calls.
		p.calls, p.asked = p.observed().MayLead, ""
	}
	p.analyzer.SetTargetPCs(targets)
	return nil
}

func (p *program) observed() *lookahead.Observed {
	return lookahead.NewObserved(
		func(bytecode.CodeID) bool { return p.analyzer.ReachesTarget() },
		func(bytecode.CodeID) []bytecode.Location { return p.analyzer.CallSites() })
}

// check returns an error unless an instruction starts at pc.
func (p *program) check(pc uint32) error {
	if int(pc) >= len(p.starts) {
		return fmt.Errorf("pc %d is past the end of the code, which has %d bytes", pc, len(p.starts))
	}
	if !p.starts[pc] {
		return fmt.Errorf("pc %d is inside a PUSH's data", pc)
	}
	return nil
}

// invalid returns the pcs of INVALID and undefined opcodes.
func (p *program) invalid() []uint32 {
	var found []uint32
	p.program.Instructions(func(pc uint32) bool {
		if lookahead.IsInvalid(p.program.Bytes[pc]) {
			found = append(found, pc)
		}
		return true
	})
	return found
}

// walk converts executed pcs to the blocks entered, and returns the last pc, too.
func (p *program) walk(prefix *PCs) (bytecode.Path, int64, error) {
	if prefix.invalid {
		return nil, 0, errors.New("prefix: want pcs")
	}
	if len(prefix.list) == 0 {
		return bytecode.Path{0}, lookahead.Nothing, nil
	}
	var path bytecode.Path
	for i, pc := range prefix.list {
		if err := p.check(pc); err != nil {
			return nil, 0, fmt.Errorf("prefix: %w", err)
		}
		if i == 0 && pc != 0 {
			return nil, 0, fmt.Errorf("prefix begins with pc %d, but execution begins with pc 0", pc)
		}
		if i > 0 && !p.follows(prefix.list[i-1], pc) {
			before := prefix.list[i-1]
			return nil, 0, fmt.Errorf("prefix: pc %d cannot follow pc %d (%v)", pc, before, vm.OpCode(p.program.Bytes[before]))
		}
		if block, ok := p.program.StartsAt(uint64(pc)); ok {
			path = append(path, block)
		}
	}
	return path, int64(prefix.list[len(prefix.list)-1]), nil
}

// follows reports whether execution can go from the instruction at one pc to that at
// another, as far as the code shows without knowing the stack.
func (p *program) follows(before, pc uint32) bool {
	op := vm.OpCode(p.program.Bytes[before])
	next := pc == before+1+bytecode.PushSize(byte(op))
	isDestination := vm.OpCode(p.program.Bytes[pc]) == vm.JUMPDEST
	switch op {
	case vm.JUMP:
		return isDestination
	case vm.JUMPI:
		return next || isDestination
	case vm.STOP, vm.RETURN, vm.REVERT, vm.SELFDESTRUCT:
		return false
	}
	return next && !lookahead.IsInvalid(byte(op))
}

// The account that --input runs the code in.
var address = common.HexToAddress("0xc0de")

// run runs the code on calldata, and returns the blocks it entered and its last pc.
// If observe is set, the call model is updated from the run.
func (p *program) run(input string, observe bool) (bytecode.Path, int64, error) {
	data, err := readHex(input)
	if err != nil {
		return nil, 0, fmt.Errorf("input: %w", err)
	}
	w := world.Empty("")
	w.Accounts[address] = &evm.Account{Nonce: 1, Code: p.program.Bytes}
	machine, err := gethvm.New(w, p.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, 0, err
	}
	exec, err := machine.Run(evm.Sequence{{From: world.User1.Address, To: address, Data: data}})
	if err != nil {
		return nil, 0, err
	}
	if observe {
		model := p.observed()
		for i := range exec.Frames[1:] {
			p.see(model, exec, &exec.Frames[i+1])
		}
		p.calls = model.MayLead
		p.analyzer.Refresh()
	}
	f := &exec.Frames[0]
	last := f.LastPC
	if block := p.program.Blocks[f.Path[len(f.Path)-1]]; f.PathTruncated || last < block.Start || last >= block.End {
		last = block.Start
	}
	return f.Path, int64(last), nil
}

// see adds a call to a model if the code under question made it.
func (p *program) see(model *lookahead.Observed, exec *evm.Execution, f *evm.Frame) {
	if f.Parent < 0 || exec.Frames[f.Parent].Program != p.program {
		return
	}
	callee := lookahead.Callee{}
	if f.Program != nil {
		callee = lookahead.Callee{Program: f.Program.ID, Anything: f.Program != p.program}
	}
	model.See(bytecode.Location{Code: p.program.ID, PC: f.CallPC}, callee)
}
