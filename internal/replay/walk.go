package replay

import (
	"encoding/hex"
	"fmt"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// undone is a value that storage has again after its frame has failed.
type undone struct {
	key   storageKey
	value uint256.Int
}

// walk goes through the instructions of a frame's path, which puts the calls, writes, logs
// and lines that the recorder lists one by one into the order in which they happened.
func (t *tracer) walk(index int, out *callFrame) (undo []undone) {
	f := &t.exec.Frames[index]
	w := &walker{tracer: t, frame: f, out: out, children: t.children[index]}
	if f.Program != nil {
		for at, block := range f.Path {
			b := f.Program.Blocks[block]
			bytecode.Instructions(f.Program.Bytes[b.Start:b.End], func(pc uint32) bool {
				w.instruction(at, b.Start+pc)
				return at < len(f.Path)-1 || b.Start+pc != f.LastPC
			})
		}
	}
	w.rest()
	return w.undo
}

// walker is at one instruction of a frame.
type walker struct {
	*tracer
	frame    *evm.Frame
	out      *callFrame
	children []int
	accesses int // passed so far
	logs     int
	lines    int
	stores   int
	last     lineEvent
	undo     []undone
}

func (w *walker) add(e event) { w.out.Events = append(w.out.Events, e) }

// instruction adds what the instruction did; at is its block's index in the path.
func (w *walker) instruction(at int, pc uint32) {
	w.line(pc)
	f := w.frame
	if w.accesses < len(f.Storage) && f.Storage[w.accesses].PC == pc {
		w.access(&f.Storage[w.accesses])
		w.accesses++
	}
	if w.logs < len(f.Logs) && f.Logs[w.logs].PC == pc {
		w.log(&f.Logs[w.logs])
		w.logs++
	}
	if len(w.children) > 0 {
		if child := &w.exec.Frames[w.children[0]]; child.CallAt == at && child.CallPC == pc {
			w.call(w.children[0])
			w.children = w.children[1:]
		}
	}
}

// rest adds what happened after the end of a truncated path.
func (w *walker) rest() {
	if w.frame.PathTruncated {
		w.add(event{Left: "the path goes on; its lines are not recorded"})
	}
	for ; w.accesses < len(w.frame.Storage); w.accesses++ {
		w.access(&w.frame.Storage[w.accesses])
	}
	for ; w.logs < len(w.frame.Logs); w.logs++ {
		w.log(&w.frame.Logs[w.logs])
	}
	for _, child := range w.children {
		w.call(child)
	}
}

// call adds a frame that this one called.
func (w *walker) call(child int) {
	if w.frames >= maxTreeFrames {
		if w.frames == maxTreeFrames {
			w.add(event{Left: fmt.Sprintf("%d more calls", len(w.exec.Frames)-w.frames)})
			w.frames++
		}
		return
	}
	if f := &w.exec.Frames[child]; f.CodeAddress == cheatcode.Console {
		if text, ok := cheatcode.ConsoleText(f.Input); ok {
			w.frames++
			w.add(event{Said: &text})
			return
		}
	}
	w.add(event{Call: w.tracer.frame(child)})
}

// line adds the source line of an instruction, unless it is the last one shown.
func (w *walker) line(pc uint32) {
	at, known := w.position(bytecode.Location{Code: w.frame.Program.ID, PC: pc})
	if !known || at.File == w.last.File && at.Line == w.last.Line {
		return
	}
	text, changed := w.changed[bytecode.Position{File: at.File, Line: at.Line}]
	w.last = lineEvent{File: at.File, Line: at.Line, Changed: changed, Text: text}
	if w.lines++; w.lines > maxTreeLines {
		if w.lines == maxTreeLines+1 {
			w.add(event{Left: "more lines"})
		}
		return
	}
	line := w.last
	w.add(event{Line: &line})
}

// position caches the snapshot's answer, which takes a search.
func (t *tracer) position(at bytecode.Location) (bytecode.Position, bool) {
	p, known := t.positions[at]
	if !known {
		p, _ = t.snapshot.Lines(at)
		t.positions[at] = p
	}
	return p, p.File != ""
}

// full counts a write or a log, and reports whether there are too many to show it.
func (w *walker) full() bool {
	w.stores++
	if w.stores == maxTreeStores+1 {
		w.add(event{Left: "more writes and events"})
	}
	return w.stores > maxTreeStores
}

// log adds a log.
func (w *walker) log(l *evm.Log) {
	if w.full() {
		return
	}
	out := &logEvent{Name: "an anonymous event"}
	w.add(event{Log: out})
	if len(l.Topics) == 0 {
		out.Args = []argument{{Name: "data", Value: shortWord("0x" + hex.EncodeToString(l.Data))}}
		return
	}
	out.Name = "event " + l.Topics[0].Hex()
	c := contractOf(w.frame)
	if c == nil {
		return
	}
	e, err := c.ABI.EventByID(l.Topics[0])
	if err != nil {
		return
	}
	out.Name = e.RawName
	plain, decoded := evm.FormatArguments(e.Inputs.NonIndexed(), l.Data)
	topics := l.Topics[1:]
	for i := range e.Inputs {
		arg := argument{Name: e.Inputs[i].Name, Value: "?"}
		switch {
		case e.Inputs[i].Indexed && len(topics) > 0:
			arg.Value = topic(e.Inputs[i:i+1], topics[0])
			topics = topics[1:]
		case !e.Inputs[i].Indexed && decoded && len(plain) > 0:
			arg.Value = plain[0]
			plain = plain[1:]
		}
		arg.Value = w.named(arg.Value)
		out.Args = append(out.Args, arg)
	}
}

// topic shows an indexed argument. If it is longer than a word, the topic is its hash.
func topic(argument abi.Arguments, word common.Hash) string {
	switch argument[0].Type.T {
	case abi.IntTy, abi.UintTy, abi.BoolTy, abi.AddressTy, abi.FixedBytesTy:
		if texts, ok := evm.FormatArguments(abi.Arguments{{Type: argument[0].Type}}, word[:]); ok {
			return texts[0]
		}
	}
	return "hash " + shortWord(word.Hex())
}
