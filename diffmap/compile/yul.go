package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file maps Yul sources. Before solc makes code of one it prints its own version
// of it, and the source maps refer to that text, which no file holds. What it keeps are
// the places that comments name: "/** @src 0:20:5 */" before a statement says that it
// came from bytes 20 to 24 of source 0 (solc documentation, "Yul", "Source location
// annotations"). So the debug build compiles twice: the source as it is, for its AST,
// then the same source with such a comment before every node.

// yulLanguage is the name of Yul in standard JSON.
const yulLanguage = "Yul"

const (
	yulOwnText   = "Yul source: what the compiler says of its code is about a text that it printed itself, not about this file"
	yulNoAST     = "Yul source: this compiler writes no AST of it (solc 0.8.30 does)"
	yulAnnotated = "Yul source: it has @src or @use-src comments of its own, and the compiler maps its code to the files that these name"
	yulNoObject  = "Yul source: code without an object around it cannot be mapped"
	yulOddName   = "Yul source: a file name with quotes, backslashes or line feeds cannot be mapped"
	yulOtherCode = "Yul source: with comments that name places the compiler makes other code of it"
)

// yulUnit wraps the AST of a Yul source, whose objects have no places, in a node
// that is the file. A node's src may be what a comment says; nativeSrc is where it
// stands.
func yulUnit(object map[string]any, s *Source) map[string]any {
	useNativeRanges(object)
	return map[string]any{"nodeType": "YulUnit", "src": fmt.Sprintf("0:%d:%d", len(s.Text), s.ID), "object": object}
}

func useNativeRanges(value any) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			useNativeRanges(element)
		}
	case map[string]any:
		if native, ok := v["nativeSrc"].(string); ok {
			v["src"] = native
		}
		for _, element := range v {
			useNativeRanges(element)
		}
	}
}

// yulABI is what is known of an object's functions: it is called with any data and
// with any wei, as a fallback function.
var yulABI = json.RawMessage(`[{"type": "fallback", "stateMutability": "payable"}]`)

// completeYul adds what solc leaves out of a Yul source's output: the source,
// where no AST was asked for, the runtime code of an object that has several
// objects in it, and the ABI.
func (c *compilation) completeYul() {
	if len(c.out.Sources) == 0 {
		c.out.Sources = map[string]outputSource{}
		for path := range c.in.Sources { // solc takes one Yul source at a time
			c.out.Sources[path] = outputSource{ID: new(int)}
		}
	}
	for _, contracts := range c.out.Contracts {
		for name, contract := range contracts {
			if contract.EVM.DeployedBytecode == nil {
				contract.EVM.DeployedBytecode = &outputCode{}
			}
			if isNull(contract.ABI) {
				contract.ABI = yulABI
			}
			contracts[name] = contract
		}
	}
}

// unmappedYul is the output of a Yul source that was compiled as it is.
func (c compilation) unmappedYul(limits reading.Limits) (*Output, error) {
	c.completeYul()
	for _, contracts := range c.out.Contracts {
		for _, contract := range contracts {
			for _, code := range []*outputCode{contract.EVM.Bytecode, contract.EVM.DeployedBytecode} {
				if code != nil {
					nowhere := "-1:-1:-1"
					code.SourceMap = &nowhere
				}
			}
		}
	}
	o, err := c.output(limits)
	if err != nil {
		return nil, err
	}
	for _, s := range o.Sources {
		s.Unmapped = yulOwnText
	}
	return o, nil
}

// mapYul is the build of a Yul source with source maps that refer to it. plain is
// its build as it is, made of input and output. Where there is none, plain says
// why, and is the answer.
func mapYul(ctx context.Context, plain *Output, input, output []byte, compiler Compiler, options DebugOptions) (*Output, error) {
	limits := options.Limits.WithDefaults()
	source := plain.Sources[0]
	text, reason := annotateYul(source)
	if reason != "" {
		source.Unmapped = reason
		return plain, nil
	}
	annotated, err := baseInput(input, BaseOptions{Texts: map[string][]byte{source.Path: text}}, 0)
	if err != nil {
		return nil, err
	}
	located, err := compileCached(ctx, annotated, compiler, options.Cache, limits)
	if err != nil {
		return nil, err
	}
	o, err := mergeYul(input, output, located, limits)
	if err != nil {
		return nil, err
	}
	if !sameCode(plain, o) {
		source.Unmapped = yulOtherCode
		return plain, nil
	}
	o.Origin = plain.Origin
	cases := map[yulPlace]*Node{}
	addCases(cases, o.Sources[0].ID, o.Sources[0].AST)
	for _, c := range o.Contracts {
		for _, a := range []struct {
			code *bytecode.Code
			m    SourceMap
		}{{c.Creation, c.CreationMap}, {c.Runtime, c.RuntimeMap}} {
			if a.code != nil {
				settleYul(a.code.Bytes, a.m, cases)
			}
		}
	}
	return o, nil
}

// mergeYul reads the contracts of one output with the sources of another.
func mergeYul(input, output, located []byte, limits reading.Limits) (*Output, error) {
	c, err := decodeSolc(input, answer{text: output}, limits)
	if err != nil {
		return nil, err
	}
	other, err := decodeSolc(nil, answer{text: located}, limits)
	if err != nil {
		return nil, err
	}
	c.out.Contracts = other.out.Contracts
	c.completeYul()
	return c.output(limits)
}

// sameCode reports whether two outputs hold the same contracts.
func sameCode(a, b *Output) bool {
	return slices.EqualFunc(a.Contracts, b.Contracts, func(a, b *Contract) bool {
		return a.UnitName() == b.UnitName() && sameBytes(a.Creation, b.Creation) && sameBytes(a.Runtime, b.Runtime)
	})
}

func sameBytes(a, b *bytecode.Code) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Bytes, b.Bytes)
}

// annotateYul writes the place of every node before it. The reason says why it cannot be
// done; empty when it can.
func annotateYul(s *Source) (text []byte, reason string) {
	switch {
	case s.AST == nil:
		return nil, yulNoAST
	case bytes.Contains(s.Text, []byte("@src")) || bytes.Contains(s.Text, []byte("@use-src")):
		return nil, yulAnnotated
	case strings.ContainsAny(s.Path, "\"\\\r\n"):
		return nil, yulOddName
	}
	comments := map[int]string{} // by offset
	objects := yulObjects(s)
	if len(objects) == 0 {
		return nil, yulNoObject
	}
	for _, at := range objects {
		comments[at] = fmt.Sprintf("/// @use-src 0:\"%s\"\n", s.Path)
	}
	for _, n := range s.AST.Children {
		addPlaces(comments, 0, n)
	}
	for at, c := range s.Text {
		text = append(append(text, comments[at]...), c)
	}
	return text, ""
}

// addPlaces adds a comment with its place for a source's node and for each that is part of it, by its
// offset. Of nodes that start at the same byte the outermost is named: the assignment, not its
// first variable.
func addPlaces(comments map[int]string, file int, node *Node) {
	node.Walk(func(n *Node) bool {
		if _, taken := comments[n.Start]; !taken && n.Type != "YulTypedName" {
			comments[n.Start] = placeComment(file, n)
		}
		return true
	})
}

// placeComment tells the compiler a node's place.
func placeComment(file int, n *Node) string {
	return fmt.Sprintf("/** @src %d:%d:%d */ ", file, n.Start, n.End())
}

// yulObjects lists where the objects of a source start.
func yulObjects(s *Source) []int {
	blocks := map[int]int{} // the ends of the objects' code, by its start
	for _, block := range s.AST.Children {
		blocks[block.Start] = block.End()
	}
	var objects []int
	tokens := solidity.Scanner{Text: string(s.Text)}
	for tokens.Next() {
		if tokens.IsString {
			continue
		}
		start := tokens.At - len(tokens.Token)
		if end, ok := blocks[start]; ok {
			tokens.At = end
		} else if tokens.Token == "object" {
			objects = append(objects, start)
		}
	}
	return objects
}

// yulOutputs are what is asked of the compiler: the AST as if it were a
// contract's, which is where 0.8.30 looks for it.
var yulOutputs = map[string]map[string][]string{"*": {"*": {
	"ast", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap",
}}}

// adaptToYul leaves out the settings that Yul sources cannot have, and the one
// that could keep the compiler from writing places.
func adaptToYul(settings map[string]any) {
	delete(settings, "remappings")
	delete(settings, "debug")
	settings["outputSelection"] = yulOutputs
}
