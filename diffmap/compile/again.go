package compile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file compiles a build again that others have made, since its bytecode, ASTs and
// source maps may be anything. What is used from then on is what our compiler wrote; of what
// was given, only the input counts, and its sources are held against the checkout's.

// Again is a build that was compiled again.
type Again struct {
	Own    *Output // as the project has it
	Mapped *Output // to map and to fuzz: Own, or its debug build
	Note   string  // what is lost in Mapped, a sentence; may be empty
}

// TextReader returns the texts that a source may have, by the name that compilers give it;
// known is false where that cannot be said. A source that must not be there has no text.
type TextReader func(name string) (texts [][]byte, known bool)

// CompileAgain compiles an output's standard-JSON input with the compiler that it names, and
// compares the bytecode. The debug build, where one is needed, is compiled at the same time.
// The sources must be those of the checkout, or, where read is not nil, those that it reads.
//
// An error is an [*reading.Error]: of the kind [ErrForeign] where the bytecode is not that of
// the input, [ErrStale] where a source is not the checkout's, and [ErrUnchecked] where that
// cannot be said: the input or a compiler is missing, or the checkout lacks a source.
func (o *Output) CompileAgain(ctx context.Context, compilers solc.Options, read TextReader, options DebugOptions) (*Again, error) {
	if err := o.checkInput(compilers, read); err != nil {
		return nil, err
	}
	compiler, exact, err := o.ownCompiler(ctx, compilers)
	if err != nil {
		return nil, err
	}
	if options.Progress != nil {
		options.Progress(o.describeAgain(compiler, o.needsDebug()))
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	debugged := o.startDebug(inner, compiler, options)
	own, err := o.compileOwn(ctx, compiler, options)
	if err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	if err := o.compareCode(own, exact); err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	own.Origin, own.Folder = o.Origin, o.Folder
	if err := own.Locate(compilers.Root, compilers); err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	if read == nil {
		err := own.locateMoved(compilers)
		if err == nil {
			err = own.dropMissing()
		}
		if err == nil {
			err = own.checkImports(compilers)
		}
		if err != nil {
			cancel()
			<-debugged
			return nil, err
		}
	}
	again := &Again{Own: own, Mapped: own}
	if r := <-debugged; r.err != nil {
		return nil, r.err
	} else if r.output != nil {
		again.Mapped = r.output
	} else if again.Mapped, again.Note, err = own.ForDebug(ctx, compilers, options); err != nil {
		return nil, err
	}
	if again.Mapped != own {
		again.Mapped.Origin, again.Mapped.Folder = o.Origin, o.Folder
		again.Mapped.filesOf(own)
		again.Mapped.keepContractsOf(own)
	}
	return again, nil
}

// describeAgain says what is compiled, a line for people.
func (o *Output) describeAgain(compiler *solc.Compiler, debug bool) string {
	if debug {
		return fmt.Sprintf("%s: compiling a debug build with solc %s, and the project's own again to compare", o.Origin, compiler.Version())
	}
	return fmt.Sprintf("%s: compiling it again with solc %s to compare", o.Origin, compiler.Version())
}

// locateMoved finds the files of sources that forge names by absolute paths, since they lie
// outside of the project, where another step of the job has the checkout in another folder: a
// container's is /github/workspace. The same text in the same place below it is the file.
func (o *Output) locateMoved(compilers solc.Options) error {
	tree, err := sources.Open(compilers.Root, compilers)
	if err != nil {
		return err
	}
	for _, s := range o.Sources {
		if s.File != "" || !strings.HasPrefix(s.Path, "/") {
			continue
		}
		for rest := s.Path[1:]; s.File == ""; {
			_, below, deeper := strings.Cut(rest, "/")
			if !deeper {
				break
			}
			rest = below
			file := filepath.Join(cmp.Or(tree.Repository, tree.Root), filepath.FromSlash(rest))
			if text, err := tree.ReadAlone(file); err == nil && s.Equals(text) {
				s.File = filepath.ToSlash(file)
			}
		}
	}
	return nil
}

// dropMissing drops the contracts whose source the checkout does not have: tools keep what
// they made of files that were deleted. What is imported from such a source may hold
// anything, so that is an error.
func (o *Output) dropMissing() error {
	missing := map[string]bool{}
	for _, s := range o.Sources {
		missing[s.Path] = s.File == ""
	}
	for _, s := range o.Sources {
		if s.AST == nil || missing[s.Path] {
			continue
		}
		for _, n := range s.AST.Children {
			if imported := n.Attribute("absolutePath"); n.Type == "ImportDirective" && missing[imported] {
				return o.unchecked(nil, "%s imports %s, which the checkout does not have", reading.Shorten(s.Path), reading.Shorten(imported))
			}
		}
	}
	o.Contracts = slices.DeleteFunc(o.Contracts, func(c *Contract) bool { return missing[c.Source] })
	if len(o.Contracts) == 0 {
		return o.unchecked(nil, "the checkout has none of its sources")
	}
	return nil
}

// KeepGiven drops the contracts that a project's builds did not have where they were made, if
// another of its builds has them: tools that compile only what has changed give the compiler
// all imports. A contract that none has is kept, so that leaving it out hides nothing.
func KeepGiven(given []*Output, again []*Again) {
	held := map[string]bool{}
	for _, o := range given {
		for _, c := range o.Contracts {
			held[c.UnitName()] = true
		}
	}
	for i, a := range again {
		theirs := map[string]bool{}
		for _, c := range given[i].Contracts {
			theirs[c.UnitName()] = true
		}
		for _, o := range []*Output{a.Own, a.Mapped} {
			o.Contracts = slices.DeleteFunc(o.Contracts, func(c *Contract) bool { return held[c.UnitName()] && !theirs[c.UnitName()] })
		}
	}
}

// unchecked is the error of a build of which nothing can be said.
func (o *Output) unchecked(cause error, format string, values ...any) error {
	return &reading.Error{Origin: o.Origin, Kind: ErrUnchecked, Cause: cause, Problem: "its bytecode cannot be checked: " + fmt.Sprintf(format, values...)}
}

// checkInput holds the sources of the input against those that they must be.
func (o *Output) checkInput(compilers solc.Options, texts TextReader) error {
	if o.Input == nil {
		return o.unchecked(nil, "it has no standard-JSON input to compile again (a build-info has one: forge build --build-info, hardhat compile; solc's X.output.json needs X.input.json next to it)")
	}
	if name := language(o.Input); name != "" && name != "Solidity" && name != yulLanguage {
		return o.unchecked(nil, "its input's language is %s", reading.Shorten(name)) // SolidityAST: the texts are not what is compiled
	}
	in, _, err := readInput(o.Input)
	if err != nil {
		return reading.At(o.Origin, err)
	}
	all := &Output{Origin: o.Origin}
	for name, source := range in.Sources {
		all.Sources = append(all.Sources, &Source{Path: name, Text: []byte(*source.Content)})
	}
	slices.SortFunc(all.Sources, func(a, b *Source) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	if texts != nil {
		for _, s := range all.Sources {
			if may, known := texts(s.Path); known && !slices.ContainsFunc(may, s.Equals) {
				return &reading.Error{Origin: o.Origin, Place: reading.Shorten(s.Path), Kind: ErrStale, Problem: "the source is not the base's", Remedy: "give the base's build"}
			}
		}
		return nil
	}
	read, err := sources.Reader(compilers.Root, compilers)
	if err != nil {
		return err
	}
	return all.CheckSources(read)
}

// checkImports is an error where an import means another file in the build than it does by the
// project's remappings: a mock in the place of what ships, say. Tools know remappings that no
// file has, for imports by name: Foundry infers them for what lies in lib, and dependencies
// have their own. What a relative import means is not theirs to say.
func (o *Output) checkImports(compilers solc.Options) error {
	tree, err := sources.Open(compilers.Root, compilers)
	if err != nil {
		return err
	}
	byName := map[string]*Source{}
	for _, s := range o.Sources {
		byName[s.Path] = s
	}
	remappings := parseRemappings(o.Settings.Remappings)
	for _, s := range o.Sources {
		if s.File == "" {
			continue
		}
		for _, imported := range solidity.Imports(s.Text) {
			there := byName[sources.UnitName(remappings, imported.Path, s.Path)]
			if there == nil || there.File == "" || toolsDecide(tree, s, there, imported.Path) {
				continue
			}
			file := tree.FileOf(tree.ImportedName(imported.Path, s.Path))
			if file == "" || filepath.ToSlash(file) == there.File {
				continue
			}
			if text, err := tree.ReadAlone(file); err == nil && !there.Equals(text) {
				return &reading.Error{Origin: o.Origin, Place: fmt.Sprintf("%s line %d", reading.Shorten(s.Path), imported.Line), Kind: ErrForeign,
					Problem: fmt.Sprintf("the import %q is %s in the build, and %s by the project's remappings", reading.Shorten(imported.Path), reading.Shorten(there.Path), reading.Shorten(tree.ImportedName(imported.Path, s.Path))),
					Remedy:  "build the project again, or write the remapping into foundry.toml or remappings.txt"}
			}
		}
	}
	return nil
}

// toolsDecide reports whether what an import means is left to build tools: by name, from a
// dependency, or of one in lib for which the project states no remapping.
func toolsDecide(tree *sources.Tree, importer, there *Source, imported string) bool {
	if strings.HasPrefix(imported, "./") || strings.HasPrefix(imported, "../") {
		return false
	}
	library := func(file string) bool { return strings.Contains(file, "/lib/") }
	return strings.Contains(importer.File, "/node_modules/") || library(importer.File) ||
		library(there.File) && !tree.Remaps(imported, importer.Path)
}

// Disagreement says in which settings that the project's configuration names a build differs
// from it: of foundry.toml, since other tools' files are programs. It is empty where it does
// not, or nothing is known.
func (o *Output) Disagreement(root string) string {
	values, err := settings.Foundry(root, os.Getenv)
	if err != nil || !o.Settings.Known {
		return ""
	}
	var parts []string
	differ := func(key, wanted, got string) {
		if wanted != "" && got != "" && !strings.EqualFold(wanted, got) {
			parts = append(parts, fmt.Sprintf("%s is %s, not %s", key, reading.Shorten(got), reading.Shorten(wanted)))
		}
	}
	differ("via_ir", values["via_ir"], fmt.Sprint(o.Settings.ViaIR))
	differ("optimizer", values["optimizer"], fmt.Sprint(o.Settings.Optimizer))
	differ("evm_version", values["evm_version"], o.Settings.EVMVersion)
	for _, key := range []string{"solc", "solc_version"} {
		wanted, err := solc.ParseVersion(values[key])
		if made, other := solc.ParseVersion(o.Compiler); err == nil && other == nil {
			differ(key, wanted.String(), made.String())
		}
	}
	return strings.Join(parts, ", ")
}

// ownCompiler finds the compiler that an output says it was made with. exact is false where
// it does not say, and the newest that its sources allow was taken.
func (o *Output) ownCompiler(ctx context.Context, compilers solc.Options) (compiler *solc.Compiler, exact bool, err error) {
	wanted, err := solc.ParseVersion(o.Compiler)
	known := err == nil
	for i := 0; !known && i < len(o.Contracts); i++ {
		if code := o.Contracts[i].Runtime; code != nil {
			wanted, known = compilerOf(code.Bytes)
		}
	}
	if known && wanted.Pre == "" {
		compiler, err = solc.Find(ctx, []string{"=" + wanted.String()}, compilers)
	} else {
		compiler, err = o.FindCompiler(ctx, compilers)
	}
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err != nil:
		return nil, false, o.unchecked(err, "no compiler is at hand to compile it again (%v)", err)
	}
	// "0.8.30+commit.73712a01", but forge leaves the commit out.
	if _, commit, ok := strings.Cut(solc.LongVersion.FindString(o.Compiler), "+"); ok && !strings.HasSuffix(compiler.Version(), commit) {
		return nil, false, o.unchecked(nil, "it was made with solc %s, and solc %s is at hand", reading.Shorten(o.Compiler), compiler.Version())
	}
	return compiler, known, nil
}

// compileOwn compiles the input with its own settings.
func (o *Output) compileOwn(ctx context.Context, compiler *solc.Compiler, options DebugOptions) (*Output, error) {
	input, output, err := o.answerTo(ctx, compiler, options)
	if err != nil {
		return nil, err
	}
	return o.readOwn(input, output, compiler, options)
}

// readOwn reads what a compiler answered, see [Output.answerTo].
func (o *Output) readOwn(input, answer []byte, compiler *solc.Compiler, options DebugOptions) (*Output, error) {
	own, err := ReadSolc(input, answer, "solc "+compiler.Version(), options.Limits)
	if err != nil {
		return nil, o.unchecked(err, "it does not compile again (%v)", err)
	}
	own.Compiler = compiler.Version()
	return own, nil
}

// answerTo is what a compiler answers to an output's input, with its own settings.
func (o *Output) answerTo(ctx context.Context, compiler *solc.Compiler, options DebugOptions) (input, answer []byte, err error) {
	project, err := membersOf(o.Input, "input")
	if err != nil {
		return nil, nil, reading.At(o.Origin, err)
	}
	if input, err = debugInput(project, attempt{linked: true}, compiler.Number()); err != nil {
		return nil, nil, reading.At(o.Origin, err)
	}
	answer, err = compileCached(ctx, input, compiler, options.Cache, options.Limits.WithDefaults())
	return input, answer, err
}

// compareCode is an error for the first contract whose bytecode is not that of our own build.
func (o *Output) compareCode(own *Output, exact bool) error {
	ours := map[string]*Contract{}
	for _, c := range own.Contracts {
		ours[c.UnitName()] = c
	}
	for _, c := range o.Contracts {
		problem := ""
		switch mine := ours[c.UnitName()]; {
		case mine == nil:
			problem = "its sources have no such contract"
		case !sameContract(c, mine):
			problem = "its bytecode is not what solc " + own.Compiler + " makes of its sources and settings"
		}
		switch {
		case problem == "":
		case !exact:
			return o.unchecked(nil, "it does not say which compiler made it, and solc %s makes other bytecode of %s", own.Compiler, c.UnitName())
		default:
			return &reading.Error{Origin: o.Origin, Place: c.UnitName(), Kind: ErrForeign, Problem: problem,
				Remedy: "build the project again, and see what else writes to this place"}
		}
	}
	return nil
}

// sameContract reports whether a contract has the same code in two builds, apart from addresses
// of libraries, which are filled in later, and from metadata. That has a hash of all settings
// and of what sources are called, and a build's input need not have all of both.
func sameContract(a, b *Contract) bool {
	if (a.Creation == nil) != (b.Creation == nil) || (a.Runtime == nil) != (b.Runtime == nil) {
		return false
	}
	if a.Creation == nil || a.Runtime == nil {
		return true // neither has code: solc writes both or none
	}
	return bytes.Equal(plainCode(a.Runtime, b.Runtime, metadataOf(a.Runtime)), plainCode(b.Runtime, a.Runtime, metadataOf(b.Runtime))) &&
		bytes.Equal(plainCode(a.Creation, b.Creation, metadataOf(a.Runtime)), plainCode(b.Creation, a.Creation, metadataOf(b.Runtime)))
}

// plainCode is code without its metadata, and with zeros in the places that it or another has
// for addresses of libraries.
func plainCode(code, other *bytecode.Code, metadata []byte) []byte {
	text := bytes.Clone(code.Bytes)
	for _, l := range slices.Concat(code.Links, other.Links) {
		if end := int(l.Offset) + common.AddressLength; end <= len(text) {
			clear(text[l.Offset:end])
		}
	}
	if len(metadata) == 0 {
		return text
	}
	return bytes.ReplaceAll(text, metadata, nil)
}

// metadataOf is the CBOR at the end of code, whose length stands in its last two bytes
// (solidity documentation, "Encoding of the Metadata Hash in the Bytecode"); nil where there
// is none.
func metadataOf(code *bytecode.Code) []byte {
	const shortest = 32 // a hash; what is shorter may stand elsewhere in the code
	text := code.Bytes
	if len(text) < 2 {
		return nil
	}
	n := int(binary.BigEndian.Uint16(text[len(text)-2:])) + 2
	if n < shortest || n > len(text) || text[len(text)-n]&0xe0 != 0xa0 { // a CBOR map
		return nil
	}
	return text[len(text)-n:]
}
