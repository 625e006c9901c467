package cheatcode

import (
	"bytes"
	"errors"

	"github.com/sightline-evm/sightline/internal/abi"
)

// fileTable: the project's files and artifacts.
var fileTable = []function{
	{Signature: "getCode(string)", Returns: "bytes", run: getCode},
	{Signature: "getDeployedCode(string)", Returns: "bytes", run: getDeployedCode},
	{Signature: "readFile(string)", Returns: "string", run: readFile, Note: inProject},
	{Signature: "readFileBinary(string)", Returns: "bytes", run: readFile, Note: inProject},
	{Signature: "readLine(string)", Returns: "string", run: readLine, Note: inProject},
	{Signature: "closeFile(string)", run: closeFile},
	{Signature: "exists(string)", Returns: "bool", run: isFile, Note: "knows files, not folders"},
	{Signature: "isFile(string)", Returns: "bool", run: isFile, Note: inProject},
	{Signature: "projectRoot()", Returns: "string", run: projectRoot},
}

const inProject = "in the project's folder"

var (
	errNoFiles     = errors.New("the project's files are not available")
	errNoArtifacts = errors.New("the build's artifacts are not available")
)

// artifact finds creation and deployed code of a contract of the build.
func (c *context) artifact(name string) (creation, deployed []byte, err error) {
	if c.edge.Artifact == nil {
		return nil, nil, errNoArtifacts
	}
	return c.edge.Artifact(name)
}

func getCode(c *context, a []abi.Value) ([]abi.Value, error) {
	code, _, err := c.artifact(a[0].Text())
	return []abi.Value{bytesOf(code)}, err
}

func getDeployedCode(c *context, a []abi.Value) ([]abi.Value, error) {
	_, code, err := c.artifact(a[0].Text())
	return []abi.Value{bytesOf(code)}, err
}

func (c *context) file(path string) ([]byte, error) {
	if c.edge.ReadFile == nil {
		return nil, errNoFiles
	}
	return c.edge.ReadFile(path)
}

func readFile(c *context, a []abi.Value) ([]abi.Value, error) {
	data, err := c.file(a[0].Text())
	return []abi.Value{bytesOf(data)}, err
}

// maxOpen bounds the files that readLine is in the middle of; arbitrary.
const maxOpen = 1 << 6

// readLine reads the next line of a file, without its terminator; empty after the last
// one.
func readLine(c *context, a []abi.Value) ([]abi.Value, error) {
	path := a[0].Text()
	data, err := c.file(path)
	if err != nil {
		return nil, err
	}
	if c.Lines == nil {
		c.Lines = map[string]int{}
	}
	if len(c.Lines) == maxOpen {
		return nil, errors.New("too many files are being read: use vm.closeFile")
	}
	if _, known := c.Lines[path]; !known && !c.keep(a[0].Bytes) {
		return nil, errFull
	}
	rest := data[min(c.Lines[path], len(data)):]
	line, _, ended := bytes.Cut(rest, []byte("\n"))
	c.Lines[path] += len(line)
	if ended {
		c.Lines[path]++
	}
	return []abi.Value{bytesOf(bytes.TrimSuffix(line, []byte("\r")))}, nil
}

func closeFile(c *context, a []abi.Value) ([]abi.Value, error) {
	delete(c.Lines, a[0].Text())
	return nil, nil
}

func isFile(c *context, a []abi.Value) ([]abi.Value, error) {
	_, err := c.file(a[0].Text())
	return []abi.Value{boolOf(err == nil)}, nil
}

func projectRoot(c *context, _ []abi.Value) ([]abi.Value, error) {
	if c.edge.Root == "" {
		return nil, errNoFiles
	}
	return []abi.Value{textOf(c.edge.Root)}, nil
}
