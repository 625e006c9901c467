package soljson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/internal/programfile"
)

// Files of a folder that [StandIn] fills.
const (
	Socket = "compile.socket" // where compilers are asked
	Node   = "real-node"      // a link
)

// maxMessage bounds what is sent to and from a stand-in, bytes. The largest answers that tests get are 20 MB;
// otherwise arbitrary.
const maxMessage = 256 << 20

// StandIn fills a folder with a program called node, to be put in front of PATH where many compilers are started: each
// takes node half a second to load, and a small contract a fiftieth of that to compile. What is asked of a compiler in the
// folder modules is answered by this process, see [Compile]; everything else, strangers' compilers too, is left to node.
// Every user must be able to reach the folder, since the product runs compilers as another one.
func StandIn(folder, modules string) (io.Closer, error) {
	program, err := standIn()
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	modules, err = filepath.EvalSymlinks(modules)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(programfile.Write(filepath.Join(folder, "node"), program, 0o755), os.Symlink(node, filepath.Join(folder, Node))); err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, Socket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o777); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			go answer(c, modules+string(filepath.Separator))
		}
	}()
	return l, nil
}

// started is the environment that this process was started with: tests set another cache folder, which go would fill too.
var started = os.Environ()

// standIn builds the program, once in a process.
var standIn = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "standin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "node")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "github.com/sightline-evm/sightline/internal/soljson/standin")
	cmd.Env = started
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return os.ReadFile(program)
})

// What a stand-in asks of a compiler.
const (
	AskVersion = "--version"       // as a native solc says it
	AskCompile = "--standard-json" // the input follows
	AskRunner  = "version"         // as a script for node says it, which follows
)

// answer answers one question of the program: a compiler, what is asked, and an input. An empty answer has it ask node.
func answer(c net.Conn, modules string) {
	defer func() { _ = c.Close() }()
	question, err := Receive(c, 3)
	if err != nil {
		return
	}
	var output []byte
	path, err := filepath.EvalSymlinks(string(question[0]))
	if err == nil && strings.HasPrefix(path, modules) && filepath.Base(path) == "soljson.js" {
		// Where there is an error, node says what is wrong.
		switch string(question[1]) {
		case AskVersion:
			output, _ = versionOf(path, program, []string{AskVersion}, "SOLJSON="+path)
		case AskRunner:
			output, _ = versionOf(path, string(question[2]), []string{string(question[0]), AskRunner})
		case AskCompile:
			output, _ = Compile(path, question[2])
		}
	}
	_ = Send(c, output) // whoever asked may have been killed
}

// versions are what scripts say of compilers, by both: to say it, a compiler is loaded.
var versions sync.Map

func versionOf(soljson, script string, arguments []string, environment ...string) ([]byte, error) {
	key := soljson + "\x00" + script
	if text, ok := versions.Load(key); ok {
		return text.([]byte), nil //nolint:errcheck,forcetypeassert // nothing else is kept
	}
	// With another flag before the script, or a stand-in that is in PATH would ask again.
	cmd := exec.Command("node", append([]string{"--no-deprecation", "-e", script, "--"}, arguments...)...)
	cmd.Env = append(os.Environ(), environment...)
	text, err := cmd.Output()
	if err == nil {
		versions.Store(key, text)
	}
	return text, err
}

// Send writes messages, each with its length before it.
func Send(w io.Writer, messages ...[]byte) error {
	for _, m := range messages {
		if _, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(m))), m...)); err != nil {
			return err
		}
	}
	return nil
}

// Receive reads n messages.
func Receive(r io.Reader, n int) ([][]byte, error) {
	messages := make([][]byte, n)
	for i := range messages {
		length := make([]byte, 4)
		if _, err := io.ReadFull(r, length); err != nil {
			return nil, err
		}
		size := binary.BigEndian.Uint32(length)
		if size > maxMessage {
			return nil, fmt.Errorf("a message of %d bytes", size)
		}
		messages[i] = make([]byte, size)
		if _, err := io.ReadFull(r, messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, nil
}
