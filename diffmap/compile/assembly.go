package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file maps inline assembly of builds via the intermediate language. There, solc writes one source
// range for a whole block, whatever is in it. But the intermediate language is Yul, which solc prints
// ("ir") and compiles, with the places that comments name (solc documentation, "Yul", "Source location
// annotations"): with a comment before every node of the block, it makes the same code, and says of each
// instruction which node it comes from.

// The contracts whose code is located, each a run of the compiler for its Yul, and the bytes of that. Arbitrary: solc's
// build for WebAssembly takes about a second for 100 kB (measured with 0.8.30).
const (
	maxLocated = 24
	mostYul    = 4 << 20
)

// assembly is an inline assembly block of a source.
type assembly struct {
	source *Source
	node   *Node // InlineAssembly
}

// LocateAssembly refines the source maps of a build via the intermediate language within the inline
// assembly that wanted picks: instructions have the ranges of Yul's nodes, and not of the whole block. Of
// what cannot be located (older compilers name no places, and some contracts' code comes out otherwise),
// the maps stay as they are. Only the first call for a build does anything. The error is an [*reading.Error].
func (o *Output) LocateAssembly(ctx context.Context, compilers solc.Options, options DebugOptions, wanted func(s *Source, assembly *Node) bool) error {
	if !o.Settings.ViaIR || !o.KeepsLines() || o.Input == nil || o.located {
		return nil
	}
	o.located = true
	blocks := o.assemblies(wanted)
	users := o.assemblyUsers(blocks)
	if len(users) == 0 {
		return nil
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil {
		return err
	}
	if options.Progress != nil {
		options.Progress(fmt.Sprintf("%s: locating what is in inline assembly, which code via IR does not tell", o.Origin))
	}
	l := locator{output: o, compiler: compiler, options: options, blocks: blocks, cases: map[yulPlace]*Node{}}
	for _, b := range blocks {
		addCases(l.cases, b.source.ID, b.node)
	}
	l.options.Limits = options.Limits.WithDefaults()
	printed, err := l.printed(ctx, users)
	if err != nil {
		return err
	}
	most, taken := mostYul, 0
	for _, c := range users {
		if most -= len(printed[c.Source][c.Name].IR); most < 0 {
			break
		}
		taken++
	}
	return each(taken, func(i int) error { return l.locate(ctx, users[i], printed[users[i].Source][users[i].Name].IR) })
}

// assemblies lists blocks by their ranges.
func (o *Output) assemblies(wanted func(s *Source, assembly *Node) bool) map[yulPlace]assembly {
	blocks := map[yulPlace]assembly{}
	for _, s := range o.Sources {
		if s.AST == nil || s.Text == nil {
			continue
		}
		s.AST.Walk(func(n *Node) bool {
			if n.Type == "InlineAssembly" && wanted(s, n) {
				blocks[yulPlace{s.ID, n.Start, n.Length}] = assembly{s, n}
			}
			return n.Type != "InlineAssembly"
		})
	}
	return blocks
}

// assemblyUsers are the contracts whose code has instructions of the blocks, those of the most blocks first.
func (o *Output) assemblyUsers(blocks map[yulPlace]assembly) []*Contract {
	held := map[*Contract]int{}
	for _, c := range o.Contracts {
		found := map[yulPlace]bool{}
		for _, m := range []SourceMap{c.CreationMap, c.RuntimeMap} {
			for i := range m {
				if place := placeOf(m.At(i)); blocks[place].node != nil {
					found[place] = true
				}
			}
		}
		if len(found) > 0 {
			held[c] = len(found)
		}
	}
	users := slices.SortedFunc(maps.Keys(held), func(a, b *Contract) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a.UnitName(), b.UnitName()))
	})
	return users[:min(len(users), maxLocated)]
}

// locator locates the assembly of one output.
type locator struct {
	output   *Output
	compiler Compiler
	options  DebugOptions
	blocks   map[yulPlace]assembly
	cases    map[yulPlace]*Node // of the blocks
}

type irContract struct {
	IR string `json:"ir"`
}

// printed asks the compiler for the Yul of some contracts.
func (l *locator) printed(ctx context.Context, contracts []*Contract) (map[string]map[string]irContract, error) {
	asked := map[string]map[string][]string{}
	for _, c := range contracts {
		if asked[c.Source] == nil {
			asked[c.Source] = map[string][]string{}
		}
		asked[c.Source][c.Name] = []string{"ir"}
	}
	text, err := withOutputs(l.output.Input, asked)
	if err != nil {
		return nil, err
	}
	output, err := compileCached(ctx, text, l.compiler, l.options.Cache, l.options.Limits)
	if err != nil {
		return nil, err
	}
	var out struct {
		Contracts map[string]map[string]irContract `json:"contracts"`
	}
	err = reading.DecodeJSON(output, "the compiler's output", &out)
	return out.Contracts, err
}

// locate refines the maps of one contract by its Yul.
func (l *locator) locate(ctx context.Context, c *Contract, yul string) error {
	text, found := l.annotate(yul)
	if !found {
		return nil
	}
	made, err := l.compileYul(ctx, text)
	if err != nil || made == nil {
		return err
	}
	l.refine(c.Creation, c.CreationMap, made.Bytecode)
	if made.DeployedBytecode != nil {
		l.refine(c.Runtime, c.RuntimeMap, made.DeployedBytecode)
		return nil
	}
	// Of several objects within one, solc does not say which is deployed.
	if deployed := deployedObject(text); deployed != "" {
		if made, err = l.compileYul(ctx, deployed); err == nil && made != nil {
			l.refine(c.Runtime, c.RuntimeMap, made.DeployedBytecode)
		}
	}
	return err
}

// compileYul compiles an object; nil where the compiler refuses it.
func (l *locator) compileYul(ctx context.Context, text string) (*outputEVM, error) {
	input, err := l.yulInput(text)
	if err != nil {
		return nil, err
	}
	output, err := compileCached(ctx, input, l.compiler, l.options.Cache, l.options.Limits)
	if err != nil {
		return nil, err
	}
	out, err := decodeOutput(output)
	if err != nil {
		return nil, err
	}
	for _, contracts := range out.Contracts {
		for _, object := range contracts {
			return &object.EVM, nil
		}
	}
	return nil, nil
}

var (
	// objectStart is how solc prints the beginning of an object, with the sources that its comments mean.
	objectStart   = regexp.MustCompile(`(?:/// @use-src [^\n]*\n\s*)?object "([^"\n]*)" \{`)
	loadImmutable = regexp.MustCompile(`loadimmutable\("([^"\n]*)"\)`)
)

// deployedObject is an object that deploys what a printed one deploys, which it finds by the name that solc gives it, and
// holds nothing else; empty where there is none.
func deployedObject(text string) string {
	first := objectStart.FindStringSubmatch(text)
	if first == nil {
		return ""
	}
	name := first[1] + "_deployed"
	for _, m := range objectStart.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] != name {
			continue
		}
		object := text[m[0] : m[1]-1+blockEnd(text[m[1]-1:])]
		immutables := map[string]bool{}
		for _, load := range loadImmutable.FindAllStringSubmatch(object, -1) {
			immutables[load[1]] = true
		}
		var b strings.Builder
		fmt.Fprintf(&b, "object %q { code { datacopy(0, dataoffset(%q), datasize(%q))", first[1], name, name)
		for _, id := range slices.Sorted(maps.Keys(immutables)) { // solc wants all that are read to be written
			fmt.Fprintf(&b, " setimmutable(0, %q, 0)", id)
		}
		fmt.Fprintf(&b, " return(0, datasize(%q)) }\n%s\n}", name, object)
		return b.String()
	}
	return ""
}

// blockEnd is where the block ends that text begins with.
func blockEnd(text string) int {
	depth := 0
	for _, token := range solidity.Tokenize([]byte(text)) {
		switch text[token.Start:token.End] {
		case "{":
			depth++
		case "}":
			depth--
		}
		if depth == 0 {
			return token.End
		}
	}
	return len(text)
}

// refine takes over the places within assembly that the same code has in Yul. There, no place says of
// which file it is.
func (l *locator) refine(code *bytecode.Code, entries SourceMap, made *outputCode) {
	if code == nil || made == nil {
		return
	}
	located, places, err := readCode(made, code.Kind, nil)
	if err != nil || !sameBytes(code, located) || len(places) != len(entries) {
		return
	}
	whole := slices.Clone(entries)
	for i := range entries {
		e, p := entries.At(i), places.At(i)
		node := l.blocks[placeOf(e)].node
		if node != nil && p.Start >= node.Start && p.Start+p.Length <= node.End() {
			e.Start, e.Length = p.Start, p.Length
			entries[i] = e.packed()
		}
	}
	restoreMerged(code.Bytes, entries, whole)
	settleYul(code.Bytes, entries, l.cases)
}

// mostMerged is how many instructions solc's peephole optimizer drops where the same ones stand behind the next label
// (libevmasm/PeepholeOptimiser.cpp, DeduplicateNextTagSize3).
const mostMerged = 3

// restoreMerged undoes what refine did to code that may belong to two statements: a few instructions that end a
// path, behind a label that the code before it runs into. Of two equal branches, one behind the other, solc keeps one,
// with the place of that one.
func restoreMerged(code []byte, entries, whole SourceMap) {
	var ops []byte
	for pc := range entries.Instructions(code) {
		ops = append(ops, code[pc])
	}
	for i := 1; i < len(ops); i++ {
		if ops[i] != byte(vm.JUMPDEST) || bytecode.EndsPath(ops[i-1]) {
			continue
		}
		for end := i + 1; end <= min(i+mostMerged, len(ops)-1) && ops[end] != byte(vm.JUMPDEST); end++ {
			if bytecode.EndsPath(ops[end]) {
				copy(entries[i:end+1], whole[i:end+1])
				break
			}
		}
	}
}

// irPlace is what solc prints before an inline assembly block: its range, and what is there.
var irPlace = regexp.MustCompile(`/// @src (\d+):(\d+):(\d+)[^\n]*\n\s*\{`)

// annotate writes the place of every node of assembly before it, and behind a block that of the whole,
// as it was. found reports whether there is any.
func (l *locator) annotate(yul string) (text string, found bool) {
	var b strings.Builder
	done := 0
	for _, m := range irPlace.FindAllStringSubmatchIndex(yul, -1) {
		var numbers [3]int
		for i := range numbers {
			numbers[i], _ = strconv.Atoi(yul[m[2+2*i]:m[3+2*i]]) // digits: no block has one that is too large
		}
		block := l.blocks[yulPlace{numbers[0], numbers[1], numbers[2] - numbers[1]}]
		start := m[1] - 1 // of the brace
		if block.node == nil || start < done {
			continue
		}
		if annotated, end := block.annotate(yul[start:]); annotated != "" {
			b.WriteString(yul[done:start])
			b.WriteString(annotated)
			done, found = start+end, true
		}
	}
	b.WriteString(yul[done:])
	return b.String(), found
}

// mostPrinted bounds what solc prints of a block, bytes for each token, with indentation. Arbitrary: it has to be more than
// any code needs, and much less than the code of a contract.
const mostPrinted = 400

// annotate annotates the block that text begins with, which ends at end. solc prints it token by token,
// with names and values in the place of names; empty where that is not so.
func (b assembly) annotate(text string) (annotated string, end int) {
	at := slices.IndexFunc(b.node.Children, func(n *Node) bool { return n.Type == "YulBlock" })
	if at < 0 {
		return "", 0
	}
	block := b.node.Children[at]
	if block.Start < 0 || block.End() > len(b.source.Text) {
		return "", 0
	}
	own := string(b.source.Text[block.Start:block.End()])
	from := yulTokens(own)
	to := yulTokens(text[:min(len(text), mostPrinted*(len(from)+1))])
	if len(from) == 0 || len(to) < len(from) {
		return "", 0
	}
	comments := map[int]string{}
	addPlaces(comments, b.source.ID, block)
	var written strings.Builder
	for i, token := range from {
		mine, printed := own[token.Start:token.End], text[to[i].Start:to[i].End]
		if mine != printed && (!isOperand(mine) || !isOperand(printed)) {
			return "", 0
		}
		written.WriteString(text[end:to[i].Start])
		written.WriteString(comments[block.Start+token.Start])
		written.WriteString(printed)
		end = to[i].End
	}
	written.WriteString(" " + placeComment(b.source.ID, b.node))
	return written.String(), end
}

// isOperand reports whether a token is a name or a value: anything but punctuation.
func isOperand(token string) bool {
	c := token[0]
	return c == '_' || c == '$' || c == '"' || c == '\'' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// yulTokens lists the tokens of Yul without comments; a name with dots, as in "x.slot", is one, and so is hex"01".
func yulTokens(text string) []solidity.Token {
	var tokens []solidity.Token
	for _, token := range solidity.Tokenize([]byte(text)) {
		if token.Kind == solidity.Comment {
			continue
		}
		if last := len(tokens) - 1; last >= 0 && tokens[last].End == token.Start {
			before, now := text[tokens[last].Start:tokens[last].End], text[token.Start]
			if now == '.' || before[len(before)-1] == '.' || (now == '"' || now == '\'') && before == "hex" {
				tokens[last].End = token.End
				continue
			}
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// yulInput is an input of the same settings for Yul.
func (l *locator) yulInput(text string) ([]byte, error) {
	project, err := membersOf(l.output.Input, "input")
	if err != nil {
		return nil, err
	}
	var own map[string]json.RawMessage
	if err := reading.DecodeJSON(project["settings"], "input.settings", &own); err != nil {
		return nil, err
	}
	settings := map[string]any{"outputSelection": yulOutputs}
	for _, name := range []string{"optimizer", "evmVersion"} {
		if value, ok := own[name]; ok {
			settings[name] = value
		}
	}
	return json.Marshal(map[string]any{"language": yulLanguage, "settings": settings, "sources": map[string]any{"ir.yul": map[string]string{"content": text}}})
}
