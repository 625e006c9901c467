// Program standin stands in for node where tests start many compilers, see
// [soljson.StandIn]: it has the process that listens in its folder compile, which keeps
// compilers loaded, and is node for all else.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/sightline-evm/sightline/internal/soljson"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
	}
	os.Exit(code) //nolint:forbidigo // it is a program
}

// run answers, or runs node, and returns the exit code.
func run(args []string) (code int, err error) {
	program, err := os.Executable()
	if err != nil {
		return 1, err
	}
	folder := filepath.Dir(program)
	node := filepath.Join(folder, soljson.Node)
	compiler, question := asked(args)
	if compiler == "" {
		return 1, syscall.Exec(node, append([]string{"node"}, args...), os.Environ())
	}
	var stdin io.Reader = os.Stdin
	var sent []byte
	switch question {
	case soljson.AskCompile:
		if sent, err = io.ReadAll(os.Stdin); err != nil {
			return 1, err
		}
		stdin = bytes.NewReader(sent)
	case soljson.AskRunner:
		sent = []byte(args[1])
	}
	if output, ok := ask(filepath.Join(folder, soljson.Socket), compiler, question, sent); ok {
		if _, err := os.Stdout.Write(output); err != nil {
			return 1, err
		}
		return 0, nil
	}
	cmd := exec.Command(node, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return 1, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// asked is the compiler that node is to run, and what is asked of it; empty where it is to run something else.
func asked(args []string) (compiler, question string) {
	if len(args) == 5 && args[0] == "-e" && args[2] == "--" { // by diffmap/compile/solc
		switch args[4] {
		case "compile":
			return args[3], soljson.AskCompile
		case "version":
			return args[3], soljson.AskRunner
		}
	}
	if len(args) < 2 {
		return "", ""
	}
	for _, question := range []string{soljson.AskVersion, soljson.AskCompile} {
		if slices.Contains(args[1:], question) { // by a build tool
			compiler, _ := soljson.CompilerOf(args[0])
			return compiler, question
		}
	}
	return "", ""
}

// ask asks the process that listens; false where node has to answer.
func ask(socket, compiler, question string, input []byte) (output []byte, ok bool) {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return nil, false
	}
	defer func() { _ = c.Close() }()
	if err := soljson.Send(c, []byte(compiler), []byte(question), input); err != nil {
		return nil, false
	}
	answer, err := soljson.Receive(c, 1)
	if err != nil {
		return nil, false
	}
	return answer[0], len(answer[0]) > 0
}
