package compile

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// BaseOptions say what the base version has that the head has not.
type BaseOptions struct {
	// Texts are the sources that differ, by the name that the compiler has for them; nil
	// for one that the base does not have.
	Texts map[string][]byte
	// Read reads what the base imports and the head does not.
	Read func(name string) ([]byte, error)
	// Settings are the base's that differ, as far as they are known. A change of others
	// needs a build that the base's own tools made.
	Settings []settings.Difference
	// LeftOut is told of sources that are left out, since they do not compile or import one that
	// does not, if others that differ do; may be nil.
	LeftOut func(names []string, why error)
}

// BaseBuild compiles the base side of a change as the head side was compiled: o's
// standard-JSON input and compiler, with the base's texts. It is a debug build.
func (o *Output) BaseBuild(ctx context.Context, base BaseOptions, compilers solc.Options, options DebugOptions) (*Output, error) {
	if o.Input == nil {
		return nil, &reading.Error{Origin: o.Origin, Kind: reading.ErrNoContracts, Problem: "it has no standard-JSON input to compile the base version with",
			Remedy: "give the base's build with --base-build"}
	}
	input, err := baseInput(o.Input, base, options.Limits.WithDefaults().Files)
	if err != nil {
		return nil, reading.At(o.Origin, err)
	}
	compiler, err := o.CompilerOfBase(ctx, base.Texts, compilers)
	for _, d := range base.Settings {
		if d.Solc != "" {
			compiler, err = solc.Find(ctx, []string{"=" + d.Solc}, compilers)
		}
	}
	if err != nil {
		return nil, err
	}
	options.Peephole = options.Peephole || o.hasPeephole()
	build := func() (*Output, error) {
		built, err := DebugBuild(ctx, input, compiler, options)
		if own, other := o.FindCompiler(ctx, compilers); errors.Is(err, solc.ErrCompile) && o.Refused && other == nil {
			return DebugBuild(ctx, input, own, options) // the base's sources are as old
		}
		return built, err
	}
	built, err := build()
	var left []string
	for range maxLeftOut {
		if err == nil || !errors.Is(err, solc.ErrCompile) {
			break
		}
		rest, out := withoutBlamed(input, err)
		left = append(left, out...)
		if len(out) == 0 || !base.holdsOther(left) {
			return nil, err
		}
		input = rest
		if base.LeftOut != nil {
			base.LeftOut(out, err)
		}
		built, err = build()
	}
	if err != nil {
		return nil, err
	}
	built.Origin = o.Origin + ", base version"
	return built, nil
}

// maxLeftOut bounds how often sources of the base are left out: each time, all are compiled again.
// Arbitrary: compilers name several at once.
const maxLeftOut = 4

// holdsOther reports whether the base has a source that differs and is not left out: else there is
// nothing to compare.
func (b *BaseOptions) holdsOther(left []string) bool {
	for name, text := range b.Texts {
		if text != nil && !slices.Contains(left, name) {
			return true
		}
	}
	return false
}

// withoutBlamed is an input without the sources that a compiler's error names, and without those that
// import them. out is empty where the error names none.
func withoutBlamed(input json.RawMessage, failure error) (rest json.RawMessage, out []string) {
	var e *reading.Error
	var whole map[string]json.RawMessage
	held := map[string]json.RawMessage{}
	var settings struct {
		Remappings []string `json:"remappings"`
	}
	if !errors.As(failure, &e) || json.Unmarshal(input, &whole) != nil || json.Unmarshal(whole["sources"], &held) != nil || len(whole["settings"]) > 0 && json.Unmarshal(whole["settings"], &settings) != nil {
		return nil, nil
	}
	importers := map[string][]string{}
	remappings := parseRemappings(settings.Remappings)
	for name, text := range withTexts(map[string][]byte{}, held) {
		for _, imported := range solidity.Imports(text) {
			unit := sources.UnitName(remappings, imported.Path, name)
			importers[unit] = append(importers[unit], name)
		}
	}
	var queue []string
	for _, place := range e.Places {
		queue = append(queue, place.File)
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if _, there := held[name]; there {
			delete(held, name)
			out = append(out, name)
			queue = append(queue, importers[name]...)
		}
	}
	whole["sources"] = jsontext.Marshal(held)
	slices.Sort(out)
	return jsontext.Marshal(whole), out
}

// CompilerOfBase is the compiler of the base version: the head's, unless the base's pragmas refuse
// it, or pragmas that changed or came choose one of another language. Arithmetic is not checked
// before 0.8.0, so that a pragma alone may change what every line means; releases of the same
// language make other code of lines that were not edited, which says nothing of the change.
func (o *Output) CompilerOfBase(ctx context.Context, texts map[string][]byte, compilers solc.Options) (*solc.Compiler, error) {
	own, err := o.FindCompiler(ctx, compilers)
	if err != nil || compilers.Named() != "" {
		return own, err
	}
	var head, base []string
	for _, s := range o.Sources {
		pragmas := solidity.Pragmas(s.Text)
		head = append(head, pragmas...)
		if text, changed := texts[s.Path]; changed {
			pragmas = solidity.Pragmas(text)
		}
		base = append(base, pragmas...)
	}
	if slices.Equal(head, base) && !o.Refused {
		return own, nil
	}
	version := own.Number()
	allowed := solc.Allows(base, version.String()) && !o.Refused
	if allowed {
		// A configuration that names it does so for the base as well: it was chosen in spite of
		// the pragmas, or is written out.
		chosen, err := solc.Find(ctx, head, compilers)
		if err != nil || chosen.Version() != own.Version() || settings.CodeSettings(compilers.Root, os.Getenv).Solc == version.String() {
			return own, ctx.Err()
		}
	}
	other, err := solc.Find(ctx, base, compilers)
	if err != nil { // the head's says what is wrong
		return own, ctx.Err()
	}
	if chosen := other.Number(); allowed && chosen.Major == version.Major && chosen.Minor == version.Minor {
		return own, nil
	}
	return other, nil
}

// hasPeephole reports whether the output is the project's own build, and one in which
// the optimizer is off but for what solc does all the same: a function's code is the
// same on both sides only if that is done to both.
func (o *Output) hasPeephole() bool {
	if o.Debug {
		return false
	}
	var own standardSettings
	input, err := membersOf(o.Input, "input")
	if err != nil || len(input["settings"]) > 0 && json.Unmarshal(input["settings"], &own) != nil {
		return false
	}
	return own.Optimizer.Details["peephole"] != false
}

// baseInput puts the base's texts and settings into an input.
func baseInput(input json.RawMessage, base BaseOptions, most int) (json.RawMessage, error) {
	project, err := membersOf(input, "input")
	if err != nil {
		return nil, err
	}
	sources, err := membersOf(project["sources"], "input.sources")
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if len(project["settings"]) > 0 {
		if err := reading.DecodeJSON(project["settings"], "input.settings", &values); err != nil {
			return nil, err
		}
	}
	texts := base.Texts
	for _, d := range base.Settings {
		setStandard(values, d)
		if len(d.Removed)+len(d.Added) > 0 { // imports of any source may mean something else
			texts = withTexts(texts, sources)
		}
	}
	var remappings []string
	list, _ := values["remappings"].([]any)
	for _, value := range list {
		if text, ok := value.(string); ok {
			remappings = append(remappings, text)
		}
	}
	for name, text := range texts {
		delete(sources, name)
		if text != nil {
			sources[name] = sourceOf(text)
		}
	}
	addImports(sources, texts, parseRemappings(remappings), base.Read, most)
	project["sources"] = jsontext.Marshal(sources)
	if len(base.Settings) > 0 {
		if project["settings"], err = json.Marshal(values); err != nil {
			return nil, err
		}
	}
	return jsontext.Marshal(project), nil
}

// withTexts are texts with those of an input's other sources.
func withTexts(texts map[string][]byte, sources map[string]json.RawMessage) map[string][]byte {
	all := maps.Clone(texts)
	for name, source := range sources {
		var held struct {
			Content *string `json:"content"`
		}
		if _, changed := texts[name]; !changed && json.Unmarshal(source, &held) == nil && held.Content != nil {
			all[name] = []byte(*held.Content)
		}
	}
	return all
}

// setStandard gives settings of standard JSON the base's values.
func setStandard(values map[string]any, d settings.Difference) {
	for keys, value := range d.Standard {
		table, key := values, keys
		if outer, inner, nested := strings.Cut(keys, "."); nested {
			within, _ := values[outer].(map[string]any)
			if within == nil {
				within = map[string]any{}
			}
			values[outer] = within
			table, key = within, inner
		}
		if value == nil {
			delete(table, key)
		} else {
			table[key] = value
		}
	}
	if len(d.Removed)+len(d.Added) == 0 {
		return
	}
	var kept []any
	list, _ := values["remappings"].([]any)
	for _, value := range list {
		if text, ok := value.(string); !ok || !slices.ContainsFunc(d.Removed, func(r string) bool { return sameRemapping(r, text) }) {
			kept = append(kept, value)
		}
	}
	for _, r := range d.Added {
		kept = append(kept, r)
	}
	values["remappings"] = kept
}

// sameRemapping reports whether a remapping of a settings file is one of an input: forge
// ends both sides with a slash.
func sameRemapping(written, used string) bool {
	normal := func(s string) string {
		from, to, _ := strings.Cut(s, "=")
		return strings.TrimSuffix(from, "/") + "=" + strings.TrimSuffix(to, "/")
	}
	return normal(written) == normal(used)
}

// addImports adds what the base's texts import and the input lacks, as far as it
// can be read: the compiler says what is missing.
func addImports(held map[string]json.RawMessage, texts map[string][]byte, remappings []sources.Remapping, read func(string) ([]byte, error), most int) {
	known := maps.Clone(texts)
	queue := slices.Sorted(maps.Keys(texts))
	for len(queue) > 0 && len(held) < most {
		importer := queue[0]
		queue = queue[1:]
		for _, imported := range solidity.Imports(known[importer]) {
			name := sources.UnitName(remappings, imported.Path, importer)
			_, there := held[name]
			_, changed := texts[name]
			if there || changed {
				continue
			}
			if text, err := read(name); err == nil {
				held[name], known[name] = sourceOf(text), text
				queue = append(queue, name)
			}
		}
	}
}

// parseRemappings reads those that are some: the compiler took the others, or
// says why not.
func parseRemappings(texts []string) []sources.Remapping {
	var remappings []sources.Remapping
	for _, text := range texts {
		if r, err := sources.ParseRemapping(text); err == nil {
			remappings = append(remappings, r)
		}
	}
	return remappings
}

// sourceOf is a source of a standard-JSON input.
func sourceOf(text []byte) json.RawMessage {
	source, err := json.Marshal(map[string]string{"content": string(text)})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return source
}
