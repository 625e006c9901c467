package exchange

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/files"
)

// LogFile is the name of the log in the output folder.
const LogFile = "exchange.log"

// Header is the first line of a log: the run that it is of. The others are lines of JSON as well, one for each input.
type Header struct {
	Format   string `json:"format"` // logFormat
	Version  int    `json:"version"`
	Campaign string `json:"campaign"`
	Seed     uint64 `json:"seed"`
	Workers  int    `json:"workers"`
	Calls    uint64 `json:"calls"` // the limit; 0: in time
}

const (
	logFormat  = "sightline exchange log"
	logVersion = 1
	// maxLine bounds a line of a log that is read: the text of an input, in which JSON may write six bytes for one.
	maxLine = 6*MaxSeed + 1024
	// maxLog bounds its inputs: a hundredth of the executions of a day. Arbitrary.
	maxLog = 10_000_000
)

// entry is an input that was taken in.
type entry struct {
	Turn       uint64 `json:"turn"`       // of the campaign's questions for inputs, from 1
	Executions uint64 `json:"executions"` // then
	Hash       string `json:"hash"`
	Sequence   string `json:"sequence"`
}

// Log records what a worker takes in. A nil Log records nothing.
type Log struct {
	file *os.File
	out  *bufio.Writer
	err  error // the first one; nothing is written behind it
	n    uint64
}

// CreateLog creates the log in an output folder, which is made if it does not exist, in the place of an earlier one.
func CreateLog(dir string, h Header) (*Log, error) {
	folder, err := files.OpenFolder(dir, true)
	if err != nil {
		return nil, files.Plain(err)
	}
	defer folder.Close()
	if err := folder.Remove(LogFile); err != nil && !os.IsNotExist(err) {
		return nil, files.Plain(err)
	}
	file, err := folder.OpenFile(LogFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // EXCL: not through a link
	if err != nil {
		return nil, files.Plain(err)
	}
	l := &Log{file: file, out: bufio.NewWriter(file)}
	h.Format, h.Version = logFormat, logVersion
	l.write(h)
	return l, l.err
}

func (l *Log) write(v any) {
	if l.err != nil {
		return
	}
	line, err := json.Marshal(v)
	if err == nil {
		_, err = l.out.Write(append(line, '\n'))
	}
	l.err = err
}

// add records an input.
func (l *Log) add(turn, executions uint64, s *seed) {
	if l != nil {
		l.n++
		l.write(entry{turn, executions, s.hash.String(), s.text})
	}
}

// Close closes the log. An error means that it is not complete.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	err := l.out.Flush()
	return errors.Join(l.err, err, l.file.Close())
}

// Replay is an exchange that gives a campaign what a log has, when the log has it. It reads the log as it goes.
type Replay struct {
	Header Header

	space *input.Space
	file  *os.File
	lines *bufio.Scanner
	line  int    // of next
	next  *entry // nil: there are no more
	turn  uint64
	err   error // that the campaign is another one
	n     uint64
}

// OpenReplay opens a log, and reads all of it once: an error says what is wrong with it, before anything runs.
func OpenReplay(path string, space *input.Space) (*Replay, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, files.Plain(err)
	}
	r := &Replay{space: space, file: file}
	err = r.begin()
	for last := uint64(0); err == nil && r.next != nil; {
		switch {
		case r.line > maxLog:
			err = fmt.Errorf("it has more than %d inputs", maxLog)
		case r.next.Turn == 0 || r.next.Turn < last:
			err = fmt.Errorf("line %d: its turn %d is before that of the line above", r.line, r.next.Turn)
		default:
			last = r.next.Turn
			if _, err = r.sequence(); err != nil {
				err = fmt.Errorf("line %d: %w", r.line, err)
			} else {
				err = r.read()
			}
		}
	}
	if err == nil {
		err = r.begin()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// Fits reports why a log is not of a run with this header; nil: it may be. A campaign of several workers, or with a limit in time, depends on
// more than its seed and a log.
func (r *Replay) Fits(h Header) error {
	was := &r.Header
	switch {
	case was.Workers != 1 || h.Workers != 1 || was.Calls == 0 || h.Calls == 0:
		return errors.New("only runs of one worker with a limit in calls can be replayed: --workers 1 --test-limit CALLS, then and now")
	case was.Campaign != h.Campaign:
		return errors.New("it is of another campaign: World, build or targets are not the same, or the program is not")
	case was.Seed != h.Seed || was.Calls != h.Calls:
		return fmt.Errorf("it is of a run with --seed %d --test-limit %d", was.Seed, was.Calls)
	}
	return nil
}

// begin reads the first two lines.
func (r *Replay) begin() error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.lines = bufio.NewScanner(r.file)
	r.lines.Buffer(nil, maxLine)
	r.line = 1
	if !r.lines.Scan() || json.Unmarshal(r.lines.Bytes(), &r.Header) != nil || r.Header.Format != logFormat {
		return errors.New("it is not a log of an exchange: want the exchange.log of a run with --exchange")
	}
	if r.Header.Version != logVersion {
		return fmt.Errorf("it has version %d; this program reads version %d", r.Header.Version, logVersion)
	}
	return r.read()
}

// read reads the next line.
func (r *Replay) read() error {
	r.next = nil
	r.line++
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
		return nil
	}
	e := new(entry)
	if err := json.Unmarshal(r.lines.Bytes(), e); err != nil {
		return fmt.Errorf("line %d: it is not an input: %w", r.line, err)
	}
	r.next = e
	return nil
}

// sequence is the input of the next line.
func (r *Replay) sequence() (input.Sequence, error) {
	if len(r.next.Sequence) > MaxSeed {
		return nil, fmt.Errorf("its sequence has %d bytes, the limit is %d", len(r.next.Sequence), MaxSeed)
	}
	if sum := sha256.Sum256([]byte(r.next.Sequence)); r.next.Hash != hex.EncodeToString(sum[:]) {
		return nil, errors.New("the hash is not its sequence's")
	}
	return parseSequence(r.space, r.next.Sequence)
}

// Offer takes nothing: the others have it.
func (r *Replay) Offer(fuzzer.Offer) {}

// Receive gives what the log has for this turn.
func (r *Replay) Receive(executions uint64, limit int) (list []input.Sequence) {
	r.turn++
	for r.err == nil && r.next != nil && r.next.Turn == r.turn {
		if r.next.Executions != executions || len(list) == limit {
			r.err = fmt.Errorf("the campaign is another one than the log's: after %d executions here, and %d there, it takes in other inputs", executions, r.next.Executions)
			return nil
		}
		seq, err := r.sequence()
		if err == nil {
			list = append(list, seq)
			r.n++
			err = r.read()
		}
		r.err = err
	}
	return list
}

// Close ends the replay. An error means that the campaign was not the one that the log is of; canceled ones take in less than it
// has.
func (r *Replay) Close(canceled bool) error {
	if r.err == nil && r.next != nil && !canceled {
		r.err = errors.New("the campaign is another one than the log's: it ended before it had taken in all inputs")
	}
	return errors.Join(r.err, r.file.Close())
}

// Taken is how many inputs were given.
func (r *Replay) Taken() uint64 { return r.n }
