package compile

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// Compiler compiles standard JSON; [solc.Compiler] is one.
type Compiler interface {
	Version() string
	Compile(ctx context.Context, input []byte) (output []byte, err error)
}

// DebugOptions are the options of [DebugBuild].
type DebugOptions struct {
	// Cache is a folder for compilers' outputs; empty for none. The 166 contracts of
	// @openzeppelin/contracts 4.9.4 take soljson 0.8.30 about 5 s, and half a second to
	// read again (measured).
	Cache string
	// Progress is told what [Output.ForDebug] compiles, a line each; may be nil.
	Progress func(line string)
	// Began is told of each compilation of a debug build that is not in the cache, before it begins;
	// may be nil. Of the output, what its input says is known.
	Began  func(o *Output)
	Limits reading.Limits
	// Peephole leaves on what solc does even with the optimizer off. Some jumps
	// then stand for two statements; targets that were written down as places in
	// such code stay where they are.
	Peephole bool
	// OneGenerator: only the project's own code generator is tried, unless it is the one of the intermediate language, behind which there
	// is none. Where it gives up, that is an [ErrGaveUp].
	OneGenerator bool
}

// DebugBuild compiles a project's standard-JSON input, every source's content
// inlined, so that instructions map back to lines: the optimizer off; where the
// compiler gives up on that, with an optimizer that does nothing but free stack slots
// in inline assembly, the ABI coder's among it (what @aave/core-v3 needs); then through
// the intermediate language, where variables can also move from the stack to memory;
// where that fails too, as the project has it, and then Debug is not set. A project that
// compiles via IR is compiled through the intermediate language first, and with the legacy
// code generator only where that fails. EVM version and remappings are the project's. Libraries' addresses are not kept: they are
// [bytecode.Link]s, to be filled with where the World has them.
func DebugBuild(ctx context.Context, input json.RawMessage, compiler Compiler, options DebugOptions) (*Output, error) {
	origin := "solc " + compiler.Version()
	limits := options.Limits.WithDefaults()
	project, err := membersOf(input, "input")
	if err != nil {
		return nil, reading.At(origin, err)
	}
	version, err := solc.ParseVersion(compiler.Version())
	if err != nil {
		return nil, &reading.Error{Origin: origin, Kind: solc.ErrNoCompiler, Problem: err.Error(), Cause: err}
	}
	var own standardSettings
	if json.Unmarshal(project["settings"], &own) != nil {
		own = standardSettings{} // the compiler says what is wrong
	}
	var first, last error
	list := attempts(version, &own, options.Peephole)
	if options.OneGenerator && !own.ViaIR {
		list = attemptsLegacy(version, options.Peephole)
	}
	isYul := language(input) == yulLanguage
	if isYul {
		list = yulAttempts(version, list)
	}
	for _, attempt := range list {
		text, err := debugInput(project, attempt, version)
		if err != nil {
			return nil, reading.At(origin, err)
		}
		output, err := compileCached(ctx, text, options.watched(compiler, text, attempt, own.ViaIR), options.Cache, limits)
		if err != nil {
			return nil, err
		}
		o, err := ReadSolc(text, output, origin, limits)
		if err == nil && isYul {
			o, err = mapYul(ctx, o, text, output, compiler, options)
		}
		if err == nil {
			o.Compiler, o.askedViaIR = compiler.Version(), own.ViaIR
			if attempt.debug {
				o.MarkDebug()
			}
			return o, nil
		}
		if last = err; first == nil {
			first = err
		}
		if !gaveUp(output) {
			return nil, first
		}
	}
	if options.OneGenerator {
		return nil, &gaveUpError{last}
	}
	return nil, first
}

// gaveUpError is what a compiler says of what it cannot do: an [ErrGaveUp].
type gaveUpError struct{ error }

func (e *gaveUpError) Unwrap() []error { return []error{e.error, ErrGaveUp} }

// ForDebug is the build to map and to fuzz: o itself when nothing stands in
// the way ([Output.Obstacle]), else the debug build of its input. Where that
// cannot be had, o is returned with a note that says what is lost; without ASTs
// it would be of no use, and that is an error.
func (o *Output) ForDebug(ctx context.Context, compilers solc.Options, options DebugOptions) (mapped *Output, note string, err error) {
	obstacle := o.Obstacle()
	if obstacle == "" {
		return o, "", nil
	}
	if o.Input == nil {
		return o.withoutDebug(obstacle + " and has no standard-JSON input to compile again")
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	switch {
	case ctx.Err() != nil: // a compiler may have been found all the same
		return nil, "", ctx.Err()
	case err != nil:
		return o.withoutDebug(fmt.Sprintf("%s and no compiler is at hand for a debug build (%v)", obstacle, err))
	}
	if options.Progress != nil {
		options.Progress(fmt.Sprintf("%s: compiling a debug build with solc %s", o.Origin, compiler.Version()))
	}
	if mapped, err = DebugBuild(ctx, o.Input, compiler, options); err != nil {
		return nil, "", err
	}
	mapped.Origin, mapped.Folder = o.Origin, o.Folder
	mapped.filesOf(o)
	mapped.keepContractsOf(o)
	return mapped, "", nil
}

// keepContractsOf drops the contracts that another build of the same sources
// does not have: tools that compile only what has changed give the compiler all
// imports, and keep those contracts in the build of an earlier run.
func (o *Output) keepContractsOf(other *Output) {
	theirs := map[string]bool{}
	for _, c := range other.Contracts {
		theirs[c.UnitName()] = true
	}
	o.Contracts = slices.DeleteFunc(o.Contracts, func(c *Contract) bool { return !theirs[c.UnitName()] })
}

// withoutDebug is o with a note, or the error that it is of no use.
func (o *Output) withoutDebug(why string) (*Output, string, error) {
	switch {
	case o.unmappedSource() != "":
		return o, fmt.Sprintf("%s %s: its lines are unmapped", o.Origin, why), nil
	case !o.hasASTs():
		return nil, "", &reading.Error{Origin: o.Origin, Kind: ErrNoAST, Problem: "it " + why, Remedy: remedyAST}
	case !o.KeepsLines():
		return o, fmt.Sprintf("%s %s: lines whose code was merged are unmapped", o.Origin, why), nil
	case o.Settings.Linked:
		return o, fmt.Sprintf("%s %s: calls of these libraries fail", o.Origin, why), nil
	}
	return o, fmt.Sprintf("%s %s: its lines are unmapped", o.Origin, why), nil
}

// attempt is a way to compile a debug build.
type attempt struct {
	settings map[string]any // set on top of the project's
	debug    bool           // keeps every line
	linked   bool           // libraries are linked where the project says
}

// attempts lists the ways that a compiler of this version has, best first. Those by the
// code generator that the project uses come first: legacy and intermediate language differ
// in what some sources mean (the order in which operands are evaluated and constructors
// run, a modifier with two "_"). The project's own settings come behind them where they
// differ from the first. What the compiler's message advises for sources that are too deep for all of these, is the last.
func attempts(v solc.Version, own *standardSettings, peephole bool) []attempt {
	list := slices.Concat(attemptsLegacy(v, peephole), attemptsViaIR(v))
	if own.ViaIR {
		list = slices.Concat(attemptsViaIR(v), attemptsLegacy(v, peephole))
		if peephole && !own.Optimizer.active() && !v.Less(viaIRSince) { // the head is the project's own build
			list = slices.Insert(list, 0, attempt{debug: true})
		}
	}
	if own.Optimizer.active() || own.ViaIR {
		list = append(list, attempt{})
	}
	if !v.Less(viaIRSince) && !(own.ViaIR && own.Optimizer.active()) {
		list = append(list, attempt{settings: map[string]any{"optimizer": map[string]any{"enabled": true}, "viaIR": true}})
	}
	return list
}

// attemptsLegacy are those that compile without the intermediate language.
func attemptsLegacy(v solc.Version, peephole bool) []attempt {
	off := map[string]any{"enabled": false}
	if !v.Less(mergingSince) && !peephole {
		off["details"] = map[string]any{"peephole": false}
	}
	list := []attempt{{settings: map[string]any{"optimizer": off}, debug: true}}
	if !v.Less(viaIRSince) {
		list = append(list, attempt{settings: map[string]any{"optimizer": pruner(v)}, debug: true})
	}
	return list
}

// attemptsViaIR are those that compile through the intermediate language. With the
// optimizer off altogether, the same lines are kept (bench/linemap, measured with 0.8.30),
// and nothing compiles that does not with the pruner, which also moves variables to memory.
func attemptsViaIR(v solc.Version) []attempt {
	if v.Less(viaIRSince) {
		return nil
	}
	return []attempt{{settings: map[string]any{"optimizer": pruner(v), "viaIR": true}, debug: true}}
}

// pruner are the optimizer's settings for what frees stack slots and keeps lines.
func pruner(v solc.Version) map[string]any {
	return map[string]any{"enabled": false, "details": map[string]any{
		"yul":        true,
		"yulDetails": map[string]any{"stackAllocation": true, "optimizerSteps": prunerSteps(v)},
	}}
}

// yulAttempts are the attempts for a Yul source, of those for Solidity. Variables are
// moved on the stack, as solc does with the optimizer off: its other code generator
// runs into the data after the code where a program ends without a stop (0.8.30,
// measured).
func yulAttempts(v solc.Version, list []attempt) []attempt {
	steps := ":" // not even the unused pruner
	if v.Less(cleanupSince) {
		steps = prunerSteps(v)
	}
	yul := []attempt{{debug: true, settings: map[string]any{
		"optimizer": map[string]any{"enabled": false, "details": map[string]any{
			"peephole": false, "yul": true,
			"yulDetails": map[string]any{"stackAllocation": true, "optimizerSteps": steps},
		}},
	}}}
	if last := list[len(list)-1]; !last.debug {
		yul = append(yul, last)
	}
	return yul
}

// The first compilers that know a setting (solidity's Changelog.md).
var (
	// mergingSince is when the peephole optimizer, which is on even with the
	// optimizer off, began to merge "if (c) { break; }" into one jump (0.7.6 does
	// not, 0.8.17 does: measured).
	mergingSince = solc.Version{Major: 0, Minor: 8, Patch: 0}
	viaIRSince   = solc.Version{Major: 0, Minor: 7, Patch: 5}
	// compactSince is the AST's new form.
	compactSince = solc.Version{Major: 0, Minor: 4, Patch: 12}
	cleanupSince = solc.Version{Major: 0, Minor: 8, Patch: 18}
)

// prunerSteps is the sequence of Yul optimizer steps that keeps every line: the unused
// pruner alone, "u", and after the colon no clean-up. Before 0.8.18 the clean-up
// ("fDnTOc") cannot be left out; it merges nothing that stands on different lines
// either (measured with 0.8.17).
func prunerSteps(v solc.Version) string {
	if v.Less(cleanupSince) {
		return "u"
	}
	return "u:"
}

// debugOutputs is what we ask of the compiler. Names that an old one does not
// know are ignored by it.
var debugOutputs = map[string]map[string][]string{"*": {
	"": {"ast"},
	"*": {
		"abi", "storageLayout",
		"evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
		"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap",
		"evm.deployedBytecode.linkReferences", "evm.deployedBytecode.immutableReferences",
	},
}}

// outputsFor is debugOutputs for a compiler of this version.
func outputsFor(v solc.Version) map[string]map[string][]string {
	if !v.Less(compactSince) {
		return debugOutputs
	}
	selection := maps.Clone(debugOutputs["*"])
	selection[""] = []string{"legacyAST"}
	return map[string]map[string][]string{"*": selection}
}

// setting is a project's setting that a debug build keeps.
type setting struct {
	since solc.Version            // the first compiler that knows it
	keys  map[string]solc.Version // likewise for its keys that came later
}

// codelessSettings are those that no build keeps: they change no code, or stop the compiler
// before there is any.
var codelessSettings = []string{"modelChecker", "stopAfter", "outputSelection"}

// keptSettings are all of them. What is not listed changes no code
// (modelChecker, stopAfter …) or is ours to set. metadata is kept so that code
// is equal to the project's own where the other settings are.
var keptSettings = map[string]setting{
	"remappings": {},
	"evmVersion": {since: solc.Version{Major: 0, Minor: 4, Patch: 21}},
	"debug": {since: solc.Version{Major: 0, Minor: 6, Patch: 0}, keys: map[string]solc.Version{
		"debugInfo": {Major: 0, Minor: 8, Patch: 10},
	}},
	"metadata": {keys: map[string]solc.Version{
		"bytecodeHash": {Major: 0, Minor: 6, Patch: 0},
		"appendCBOR":   cleanupSince,
	}},
}

// evmVersionSince are the first compilers that know an EVM version.
var evmVersionSince = map[string]solc.Version{
	"petersburg": {Major: 0, Minor: 5, Patch: 5},
	"istanbul":   {Major: 0, Minor: 5, Patch: 5},
	"berlin":     {Major: 0, Minor: 5, Patch: 5},
	"london":     {Major: 0, Minor: 8, Patch: 7},
	"paris":      cleanupSince,
	"shanghai":   {Major: 0, Minor: 8, Patch: 20},
	"cancun":     {Major: 0, Minor: 8, Patch: 24},
	"prague":     {Major: 0, Minor: 8, Patch: 27},
	"osaka":      {Major: 0, Minor: 8, Patch: 29},
}

// debugInput is the project's input with the settings of an attempt.
func debugInput(project map[string]json.RawMessage, a attempt, v solc.Version) ([]byte, error) {
	var old map[string]json.RawMessage
	if len(project["settings"]) > 0 {
		if err := reading.DecodeJSON(project["settings"], "input.settings", &old); err != nil {
			return nil, err
		}
	}
	settings := map[string]any{}
	for name, value := range old {
		kept, ok := keptSettings[name]
		switch {
		case name == "libraries" && !a.linked, slices.Contains(codelessSettings, name):
		case a.settings == nil:
			settings[name] = value
		case !ok || v.Less(kept.since) || name == "evmVersion" && !knowsEVM(value, v):
		case kept.keys != nil:
			settings[name] = known(value, kept.keys, v)
		default:
			settings[name] = value
		}
	}
	for name, value := range a.settings {
		settings[name] = value
	}
	settings["outputSelection"] = outputsFor(v)
	if string(project["language"]) == `"`+yulLanguage+`"` {
		adaptToYul(settings)
	}
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	input := map[string]json.RawMessage{"language": json.RawMessage(`"Solidity"`), "sources": project["sources"], "settings": encoded}
	if language, ok := project["language"]; ok {
		input["language"] = language
	}
	return jsontext.Marshal(input), nil
}

// knowsEVM reports whether a compiler of this version knows the EVM version.
func knowsEVM(value json.RawMessage, v solc.Version) bool {
	var name string
	return json.Unmarshal(value, &name) != nil || !v.Less(evmVersionSince[name])
}

// known is a JSON object without the keys that a compiler of this version does
// not know; anything else stays as it is, for the compiler to judge.
func known(object json.RawMessage, since map[string]solc.Version, v solc.Version) any {
	var keys map[string]json.RawMessage
	if json.Unmarshal(object, &keys) != nil {
		return object
	}
	for name := range keys {
		if v.Less(since[name]) {
			delete(keys, name)
		}
	}
	return keys
}

// gaveUp reports whether an output's errors are all about what the compiler cannot
// do, not about what the sources say: then other settings may help. That is the
// stack's depth ("Stack too deep" of the legacy code generator, "Variable … is …
// too deep inside the stack" of Yul's), a feature that one of the two code
// generators lacks, or a fault of its own.
func gaveUp(output []byte) bool {
	errors, ok := errorsOf(output)
	if !ok {
		return false
	}
	found := false
	for _, d := range errors {
		if d.Severity != "error" {
			continue
		}
		text := strings.ToLower(d.Message + d.FormattedMessage)
		tooDeep := strings.Contains(text, "too deep") && strings.Contains(text, "stack")
		if !tooDeep && d.Type != "InternalCompilerError" && d.Type != "UnimplementedFeatureError" {
			return false
		}
		found = true
	}
	return found
}
