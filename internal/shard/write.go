package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
)

// Writer writes the folder of a shard. It belongs to the campaign's goroutine.
type Writer struct {
	dir    string
	header Header
	space  *input.Space
	table  *bytecode.Table
	now    func() time.Time // for when to write, never for what

	sequences sequences
	written   map[string]bool // files that are there, by path in the folder
	named     map[string]bool // those that shard.json names
	failed    error           // the first failure, until a write succeeds
	last      time.Time       // end of the last write
	took      time.Duration   // by it

	// before is what an earlier attempt left; it stays until this one got further. nil: nothing.
	before *shardFile
}

// Shares of the time that writing may take: a hundredth, as a campaign goes on for minutes, but a tenth
// where a target was reached; a finding is written at once. Arbitrary.
const (
	interval      = time.Second
	usualShare    = 100
	reachingShare = 10
)

// NewWriter starts the folder of a shard, which is made if need be. Where an earlier attempt of the same
// shard left its state, that stays until this one got further. A folder with another shard is refused. now decides when to
// write, and nothing else.
func NewWriter(dir string, h Header, space *input.Space, table *bytecode.Table, now func() time.Time) (*Writer, error) {
	if h.Of < 1 || h.Of > maxShards || h.Index < 0 || h.Index >= h.Of {
		return nil, fmt.Errorf("there is no shard %d of %d: shards are counted from 0, and at most %d", h.Index, h.Of, maxShards)
	}
	h.Campaign = h.ID()
	w := &Writer{dir: dir, header: h, space: space, table: table, now: now, written: map[string]bool{}, named: map[string]bool{}}
	w.sequences = newSequences(space)
	folder, err := files.OpenFolder(dir, true)
	if err != nil {
		return nil, fmt.Errorf("the shard's folder %s cannot be written: %w", dir, err)
	}
	defer folder.Close()
	before, err := readFile(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w, nil
	case err != nil:
		return nil, fmt.Errorf("%s has a %s that cannot be read (%w): name another folder, or remove it", dir, File, err)
	case before.Header.Campaign != h.Campaign || before.Index != h.Index:
		return nil, fmt.Errorf("%s has shard %d of %d of another campaign: name another folder, or remove it", dir, before.Index, before.Of)
	}
	w.before = before
	for _, name := range filesOf(before) {
		w.named[name] = true
	}
	return w, nil
}

// Checkpoint is what a campaign calls, see [fuzzer.Config.Checkpoint]: it writes the folder after a
// finding, soon after a target, and else every second or so. What fails is tried again.
func (w *Writer) Checkpoint(e fuzzer.Event, soFar func() *fuzzer.Result) {
	begin := w.now()
	since := begin.Sub(w.last)
	switch {
	case e.Found != nil:
	case e.Target >= 0 && since >= reachingShare*w.took:
	case since >= max(interval, usualShare*w.took):
	default:
		return
	}
	_ = w.Write(soFar(), Running) // Write says so in the end
	w.took = w.last.Sub(begin)    // with the time that it takes to sum up the result
}

// Write writes the folder with a result and how the shard ended: Done, Canceled or Running. What was
// there stays as it was until all of it is written. In the end it returns the first failure since the
// last time that all was written.
func (w *Writer) Write(result *fuzzer.Result, end string) error {
	begin := w.now()
	err := w.write(result, end)
	w.last = w.now()
	w.took = w.last.Sub(begin)
	if err == nil {
		w.failed = nil
		return nil
	}
	if w.failed == nil {
		w.failed = err
	}
	return fmt.Errorf("shard %d of %d could not be written to %s: %w", w.header.Index, w.header.Of, w.dir, err)
}

// Failed is why the folder does not have what the campaign found so far; nil: it was written when it
// was last tried.
func (w *Writer) Failed() error { return w.failed }

func (w *Writer) write(result *fuzzer.Result, end string) error {
	if w.before != nil && end == Running && result.Stats.Executions <= w.before.Stats.Executions {
		return nil // the earlier attempt got further
	}
	if w.before != nil && extentOf(end, result.Stats.Executions).compare(extentOf(w.before.End, w.before.Stats.Executions)) < 0 {
		return nil
	}
	if end != Running { // numbered by the result alone: equal campaigns leave equal bytes, whenever they were written
		w.sequences = newSequences(w.space)
	}
	file, contents := w.pack(result, end)
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(file); err != nil {
		return err
	}
	if data.Len() > maxFile {
		return fmt.Errorf("%s would have %d bytes, at most %d are read", File, data.Len(), maxFile)
	}
	folder, err := files.OpenFolder(w.dir, true)
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		if err := w.writeOnce(folder, name, contents[name]); err != nil {
			return err
		}
	}
	if err := atomicfile.WriteIn(folder, File, data.Bytes()); err != nil {
		return err
	}
	w.before = nil
	w.forget(folder, file)
	return nil
}

// writeOnce writes a file that is named by its contents, unless it was written before.
func (w *Writer) writeOnce(folder *os.Root, name string, data []byte) error {
	if w.written[name] {
		return nil
	}
	below, base, _ := strings.Cut(name, "/")
	in, err := files.OpenIn(folder, below, true)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := atomicfile.WriteIn(in, base, data); err != nil {
		return err
	}
	w.written[name] = true
	return nil
}

// forget removes files that shard.json does not name any more: the last file of sequences grows.
func (w *Writer) forget(folder *os.Root, file *shardFile) {
	now := map[string]bool{}
	for _, name := range filesOf(file) {
		now[name] = true
	}
	for name := range w.named { // each by itself
		if !now[name] {
			_ = folder.Remove(name) // it only takes space
			delete(w.written, name)
		}
	}
	w.named = now
}

// filesOf are the paths of the files that shard.json names.
func filesOf(f *shardFile) (names []string) {
	for _, sum := range f.Sequences {
		names = append(names, sequencesFolder+"/"+sum+sequencesSuffix)
	}
	for _, artifact := range f.Artifacts {
		if sum, unknown := strings.CutPrefix(artifact, unknownPrefix); unknown {
			names = append(names, codeFolder+"/"+sum+codeSuffix)
		}
	}
	return names
}

// pack makes shard.json and the contents of the files that it names.
func (w *Writer) pack(result *fuzzer.Result, end string) (*shardFile, map[string][]byte) {
	p := packer{sequences: &w.sequences, places: newPlaces(w.table)}
	f := &shardFile{Version: formatVersion, Header: w.header, End: end, Stopped: result.Stopped,
		Stats: statsFile{result.Stats}, Useful: result.Useful, Unconfirmed: result.Unconfirmed, Burners: result.Burners, Timeline: result.Timeline,
		Targets: []targetFile{}, Findings: []findingFile{}, Entered: []enteredFile{}}
	for _, note := range result.Notes[:min(len(result.Notes), maxList)] {
		f.Notes = append(f.Notes, textOf(note))
	}
	for _, calls := range result.Suite {
		if n, ok := w.sequences.packed(calls); ok {
			f.Suite.add(n)
		} else {
			f.TooLong++
		}
	}
	for i := range result.Targets {
		f.Targets = append(f.Targets, p.target(&result.Targets[i]))
	}
	for _, found := range result.Findings {
		if out, ok := p.finding(found); ok {
			f.Findings = append(f.Findings, out)
		} else {
			f.Faults = append(f.Faults, faultFile{Message: text(fmt.Sprintf("a finding of oracle %s was not kept: its calls are too long", found.Oracle.ID))})
		}
	}
	for i := range result.Faults {
		f.Faults = append(f.Faults, p.fault(&result.Faults[i]))
	}
	for _, test := range result.Passed[:min(len(result.Passed), maxList)] {
		f.Passed = append(f.Passed, passedFile{w.space.Instances[test.Instance].Name, test.Function.Signature})
	}
	for _, l := range result.Entered { // sorted
		at := p.places.of(l)
		if last := len(f.Entered) - 1; last < 0 || f.Entered[last].Artifact != int(at[0]) {
			f.Entered = append(f.Entered, enteredFile{Artifact: int(at[0])})
		}
		list := &f.Entered[len(f.Entered)-1].At
		*list = append(*list, at[1])
	}
	contents := map[string][]byte{}
	f.Sequences = []string{}
	for i, pack := range w.sequences.packs {
		f.Sequences = append(f.Sequences, pack.name())
		name := sequencesFolder + "/" + pack.name() + sequencesSuffix
		if !w.written[name] {
			contents[name] = pack.text
		} else if i < len(w.sequences.packs)-1 {
			pack.text = nil // it is full, and on disk
		}
	}
	for sum, code := range p.places.unknown { // into a map
		contents[codeFolder+"/"+sum+codeSuffix] = code
	}
	f.Artifacts = append([]string{}, p.places.names...)
	return f, contents
}

// packer turns parts of a result into those of a file.
type packer struct {
	sequences *sequences
	places    *places
}

func (p *packer) sequence(seq input.Sequence) *int {
	if n, ok := p.sequences.sequence(seq); ok {
		return &n
	}
	return nil
}

func (p *packer) target(t *fuzzer.TargetResult) targetFile {
	out := targetFile{Status: statusOpen}
	switch {
	case t.Reached:
		out.Status = statusReached
	case t.Entered:
		out.Status = statusEntered
	case t.Unreachable:
		out.Status = statusUnreachable
	}
	if t.Entered {
		out.First, out.Sequence = &t.First, p.sequence(t.Sequence)
	}
	for i := range t.Stops {
		out.Stops = append(out.Stops, p.stop(&t.Stops[i]))
	}
	for i := range t.Strangers {
		out.Strangers = append(out.Strangers, p.stop(&t.Strangers[i]))
	}
	return out
}

// finding is false for one whose calls are longer than can be read.
func (p *packer) finding(f *fuzzer.Finding) (findingFile, bool) {
	n := p.sequence(f.Sequence)
	if n == nil {
		return findingFile{}, false
	}
	out := findingFile{Oracle: f.Oracle.ID, At: p.places.of(f.Location), Contract: f.Contract, Message: textOf(f.Message), Severity: uint8(f.Severity),
		Sequence: *n, First: f.First, NeverPassed: f.NeverPassed, Chosen: f.Chosen}
	for _, way := range f.Ways {
		if n := p.sequence(way); n != nil {
			out.Ways = append(out.Ways, *n)
		}
	}
	return out, true
}

func (p *packer) fault(f *fuzzer.Fault) faultFile {
	out := faultFile{Message: textOf(f.Message)}
	if f.Sequence != nil {
		out.Sequence = p.sequence(f.Sequence)
	}
	if f.Mismatch != nil {
		difference := textOf(f.Mismatch.Difference)
		out.Calls, out.Difference = f.Mismatch.Sequence, &difference
	}
	return out
}

func (p *packer) stop(s *fuzzer.Stop) stopFile {
	out := stopFile{At: p.places.of(s.At), Place: p.places.of(s.Place), Halts: s.Halts, Passed: s.Passed, Entered: s.Entered,
		Executions: s.Executions, Reason: textOf(s.Reason), Caller: s.Caller, ByCaller: s.ByCaller, Frame: s.Frame, Distance: s.Distance}
	if s.Halted != (bytecode.Location{}) {
		halted := p.places.of(s.Halted)
		out.Halted = &halted
	}
	if s.Decides {
		out.Comparison = &comparisonFile{PC: s.PC, Block: uint32(s.Block), Op: s.Op, Negated: s.Negated, Taken: s.Taken, Left: &s.Left, Right: &s.Right}
		out.Cost = &s.Cost
	}
	if s.Missing != (common.Address{}) {
		out.Missing = &s.Missing
	}
	if n, ok := p.sequences.packed(s.Input); ok && len(s.Input) > 0 {
		out.Input = &n
	}
	for _, l := range s.Guards {
		out.Guards = append(out.Guards, p.places.of(l))
	}
	for i := range s.Beyond {
		ahead := aheadFile{At: p.places.of(s.Beyond[i].At)}
		if a := s.Beyond[i].Account; a != (common.Address{}) {
			ahead.Account = &a
		}
		out.Beyond = append(out.Beyond, ahead)
	}
	return out
}
