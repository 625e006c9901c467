package compile

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// BaseBuild compiles the base side of a change as the head side was compiled: o's
// standard-JSON input and compiler, with the base's texts. It is a debug build.
//
// texts are the sources that differ, by the name that the compiler has for them;
// nil for one that the base does not have. What the base imports and the head
// does not is read with read. Settings are the head's: a change of those needs a
// build that the base's own tools made.
func (o *Output) BaseBuild(ctx context.Context, texts map[string][]byte, read func(name string) ([]byte, error), compilers solc.Options, options DebugOptions) (*Output, error) {
	if o.Input == nil {
		return nil, &reading.Error{Origin: o.Origin, Kind: reading.ErrNoContracts, Problem: "it has no standard-JSON input to compile the base version with",
			Remedy: "give the base's build with --base-build"}
	}
	input, err := baseInput(o.Input, texts, read, options.Limits.WithDefaults().Files)
	if err != nil {
		return nil, reading.At(o.Origin, err)
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil {
		return nil, err
	}
	options.Peephole = options.Peephole || o.hasPeephole()
	base, err := DebugBuild(ctx, input, compiler, options)
	if err != nil {
		return nil, err
	}
	base.Origin = o.Origin + ", base version"
	return base, nil
}

// hasPeephole reports whether the output is the project's own build, and one in which
// the optimizer is off but for what solc does all the same: a function's code is the
// same on both sides only if that is done to both.
func (o *Output) hasPeephole() bool {
	var input struct {
		Settings standardSettings `json:"settings"`
	}
	if o.Debug || json.Unmarshal(o.Input, &input) != nil {
		return false
	}
	return input.Settings.Optimizer.Details["peephole"] != false
}

// baseInput puts the base's texts into an input.
func baseInput(input json.RawMessage, texts map[string][]byte, read func(name string) ([]byte, error), most int) (json.RawMessage, error) {
	var project map[string]json.RawMessage
	if err := reading.DecodeJSON(input, "input", &project); err != nil {
		return nil, err
	}
	sources := map[string]json.RawMessage{}
	if err := reading.DecodeJSON(project["sources"], "input.sources", &sources); err != nil {
		return nil, err
	}
	var settings struct {
		Remappings []string `json:"remappings"`
	}
	if len(project["settings"]) > 0 {
		if err := reading.DecodeJSON(project["settings"], "input.settings", &settings); err != nil {
			return nil, err
		}
	}
	for name, text := range texts {
		delete(sources, name)
		if text != nil {
			sources[name] = sourceOf(text)
		}
	}
	addImports(sources, texts, parseRemappings(settings.Remappings), read, most)
	merged, err := json.Marshal(sources)
	if err != nil {
		return nil, err
	}
	project["sources"] = merged
	return json.Marshal(project)
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
