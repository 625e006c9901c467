package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
)

// maxTraceFrames bounds what a trace prints; the rest is counted.
const maxTraceFrames = 500

// printTrace prints the call tree of an execution with the source lines that
// each frame passed, its writes, events and outcome.
func printTrace(out io.Writer, r *replayed, exec *evm.Execution) {
	t := &trace{out: out, replayed: r, exec: exec, names: map[common.Address]string{}}
	for _, s := range r.bundle.World.Senders {
		t.names[s.Address] = s.Name
	}
	for _, in := range r.bundle.World.Instances {
		t.names[in.Address] = in.Name
	}
	for i := range exec.Calls {
		fmt.Fprintf(out, "%d %s\n", i+1, human.Printable(r.space.Describe(&r.sequence[i])))
		frames := exec.Calls[i].Frames
		for f := frames[0]; f < frames[1]; f++ {
			if f >= maxTraceFrames {
				fmt.Fprintf(out, "    … %d more frames\n", len(exec.Frames)-f)
				return
			}
			t.frame(&exec.Frames[f])
		}
		if exec.Calls[i].Outcome != evm.Success {
			fmt.Fprintf(out, "    reverts: %s\n", human.Printable(exec.Calls[i].Reason()))
		}
	}
}

var kindNames = map[evm.CallKind]string{
	evm.KindCall: "CALL", evm.KindCallCode: "CALLCODE", evm.KindDelegateCall: "DELEGATECALL",
	evm.KindStaticCall: "STATICCALL", evm.KindCreate: "CREATE", evm.KindCreate2: "CREATE2",
}

type trace struct {
	*replayed
	out   io.Writer
	exec  *evm.Execution
	names map[common.Address]string
}

func (t *trace) frame(f *evm.Frame) {
	indent := strings.Repeat("  ", f.Depth+2)
	if f.Depth > 0 {
		fmt.Fprintf(t.out, "%s%s %s%s\n", indent, kindNames[f.Kind], human.Printable(t.callee(f)), outcomeSuffix(f))
	}
	if lines := t.lines(f); lines != "" {
		fmt.Fprintf(t.out, "%s  at %s\n", indent, human.Printable(lines))
	}
	for _, s := range f.Storage {
		if s.Write {
			fmt.Fprintf(t.out, "%s  writes slot %s = %s\n", indent, shortWord(s.Slot.Hex()), shortWord(s.Value.Hex()))
		}
	}
	for _, l := range f.Logs {
		fmt.Fprintf(t.out, "%s  emits %s\n", indent, human.Printable(t.event(f, &l)))
	}
}

// callee names who is called, by which function.
func (t *trace) callee(f *evm.Frame) string {
	name, known := t.names[f.CodeAddress]
	if !known {
		name = f.CodeAddress.Hex()
		if f.Program != nil && f.Program.Contract != nil {
			name = f.Program.Contract.Name + "(" + name + ")"
		}
	}
	if f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 {
		return name
	}
	if len(f.Input) < 4 {
		return name + " with " + f.Value.Dec() + " wei"
	}
	if f.Program != nil && f.Program.Contract != nil {
		if m, err := f.Program.Contract.ABI.MethodById(f.Input[:4]); err == nil {
			return name + "." + m.RawName
		}
	}
	return name + "." + "0x" + hex.EncodeToString(f.Input[:4])
}

func outcomeSuffix(f *evm.Frame) string {
	if f.Outcome == evm.Success {
		return ""
	}
	return " → " + f.Outcome.String()
}

// maxTraceLines bounds the lines listed for one frame.
const maxTraceLines = 24

// lines lists the source lines that a frame's blocks begin with, neighbors that
// are equal once.
func (t *trace) lines(f *evm.Frame) string {
	if f.Program == nil {
		return ""
	}
	var texts []string
	var last bytecode.Position
	for _, block := range f.Path {
		at, ok := t.bundle.Lines(bytecode.Location{Code: f.Program.ID, PC: f.Program.Blocks[block].Start})
		if !ok || at.File == last.File && at.Line == last.Line {
			continue
		}
		text := fmt.Sprintf(":%d", at.Line)
		if at.File != last.File {
			text = at.String()
		}
		last = at
		if len(texts) == maxTraceLines {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

func (t *trace) event(f *evm.Frame, l *evm.Log) string {
	if len(l.Topics) > 0 && f.Program != nil && f.Program.Contract != nil {
		if e, err := f.Program.Contract.ABI.EventByID(l.Topics[0]); err == nil {
			return e.RawName
		}
	}
	if len(l.Topics) == 0 {
		return "an anonymous event"
	}
	return "event " + l.Topics[0].Hex()
}

// shortWord abbreviates long hexadecimal words.
func shortWord(hex string) string {
	if len(hex) <= 18 {
		return hex
	}
	return hex[:10] + "…" + hex[len(hex)-6:]
}
