package soljson

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// server keeps a soljson.js loaded, see there.
//
//go:embed server.js
var serverProgram string

// server is a soljson.js that answers one input after the other.
type server struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr bytes.Buffer
	failed bool // it has ended
}

// errEnded is the error of an input that found its server ended by another one.
var errEnded = errors.New("the compiler has ended")

var servers struct {
	sync.Mutex
	byPath map[string]*server
}

// Compile compiles a standard-JSON input with a soljson.js. It stays loaded until this
// process ends, since loading it takes longer than compiling what tests compile. The oldest
// compilers abort on inputs that come late; a fresh one gets those again.
//
// What is asked twice, for other outputs of the same sources, is compiled once.
func Compile(soljson string, input []byte) ([]byte, error) {
	q, ok := read(input)
	if _, more := talkative.Load(soljson); !ok || more {
		return compile(soljson, input)
	}
	answer, err := q.answerOf(soljson)
	if err != nil {
		return compile(soljson, input)
	}
	if output, ok := q.part(answer); ok {
		return output, nil
	}
	if !failed(answer) {
		talkative.Store(soljson, true)
	}
	return compile(soljson, input)
}

func compile(soljson string, input []byte) ([]byte, error) {
	for attempt := 0; ; {
		s, err := serverOf(soljson)
		if err != nil {
			return nil, err
		}
		output, err := s.compile(input)
		if err == nil {
			return output, nil
		}
		servers.Lock()
		if servers.byPath[soljson] == s {
			delete(servers.byPath, soljson)
		}
		servers.Unlock()
		if errors.Is(err, errEnded) {
			continue // it was not asked
		}
		if attempt++; attempt == 2 {
			return nil, fmt.Errorf("%s through node: %w\n%s", soljson, err, &s.stderr)
		}
	}
}

// serverOf is the server of a soljson.js, started when first asked for.
func serverOf(soljson string) (*server, error) {
	servers.Lock()
	defer servers.Unlock()
	if s := servers.byPath[soljson]; s != nil {
		return s, nil
	}
	s := &server{}
	cmd := exec.Command("node", "-e", serverProgram, soljson)
	cmd.Stderr = &s.stderr
	in, err := cmd.StdinPipe() // it ends when this process does
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	s.cmd, s.in, s.out = cmd, in, out
	if servers.byPath == nil {
		servers.byPath = map[string]*server{}
	}
	servers.byPath[soljson] = s
	return s, nil
}

func (s *server) compile(input []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed {
		return nil, errEnded
	}
	output, err := s.ask(input)
	if err != nil {
		s.failed = true
		_ = s.in.Close()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // and all of stderr is there
	}
	return output, err
}

func (s *server) ask(input []byte) ([]byte, error) {
	length := binary.BigEndian.AppendUint32(nil, uint32(len(input)))
	if _, err := s.in.Write(append(length, input...)); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(s.out, length); err != nil {
		return nil, err
	}
	output := make([]byte, binary.BigEndian.Uint32(length))
	_, err := io.ReadFull(s.out, output)
	return output, err
}
