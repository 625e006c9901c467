package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// layoutSince is the first compiler that writes storage layouts (solidity's
// Changelog.md).
var layoutSince = solc.Version{Major: 0, Minor: 5, Patch: 13}

// AddStorageLayouts gives o's contracts the storage layouts that the build was not
// asked for: the compiler that made it reads the sources once more, and makes no code.
// Nothing is done where all contracts have one. The error is an [*reading.Error].
func (o *Output) AddStorageLayouts(ctx context.Context, compilers solc.Options, options DebugOptions) error {
	if !slices.ContainsFunc(o.Contracts, lacksLayout) {
		return nil
	}
	if v, err := solc.ParseVersion(o.Compiler); err == nil && v.Less(layoutSince) {
		return &reading.Error{Origin: o.Origin, Kind: solc.ErrNoCompiler, Problem: fmt.Sprintf("solc %s tells no storage layouts, %s does", v, layoutSince)}
	}
	if o.Input == nil {
		return &reading.Error{Origin: o.Origin, Kind: reading.ErrFormat, Problem: "the build has no storage layouts, and no standard-JSON input to ask the compiler for them with",
			Remedy: `add "storageLayout" to "outputSelection": {"*": {"*": [ … ]}} in the compiler's settings (foundry.toml: extra_output = ["storageLayout"])`}
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil {
		return err
	}
	if v := compiler.Number(); v.Less(layoutSince) {
		return &reading.Error{Origin: o.Origin, Kind: solc.ErrNoCompiler, Problem: fmt.Sprintf("solc %s tells no storage layouts, %s does", v, layoutSince)}
	}
	text, err := withOutputs(o.Input, map[string]map[string][]string{"*": {"*": {"storageLayout"}}})
	if err != nil {
		return reading.At(o.Origin, err)
	}
	output, err := compileCached(ctx, text, compiler, options.Cache, options.Limits.WithDefaults())
	if err != nil {
		return err
	}
	out, err := decodeOutput(output)
	if err != nil {
		return reading.At(o.Origin, err)
	}
	if err := compileErrors(out.Errors); err != nil {
		return reading.At(o.Origin, err)
	}
	for _, c := range o.Contracts {
		if lacksLayout(c) {
			c.StorageLayout = bytes.Clone(out.Contracts[c.Source][c.Name].StorageLayout)
			c.readVariables()
		}
	}
	return nil
}

func lacksLayout(c *Contract) bool { return isNull(c.StorageLayout) }

// withOutputs is an input that asks for these outputs alone, by source and contract.
func withOutputs(input json.RawMessage, asked map[string]map[string][]string) ([]byte, error) {
	project, err := membersOf(input, "input")
	if err != nil {
		return nil, err
	}
	settings := map[string]json.RawMessage{}
	if len(project["settings"]) > 0 {
		if err := reading.DecodeJSON(project["settings"], "input.settings", &settings); err != nil {
			return nil, err
		}
	}
	if settings["outputSelection"], err = json.Marshal(asked); err != nil {
		return nil, err
	}
	project["settings"] = jsontext.Marshal(settings)
	return jsontext.Marshal(project), nil
}
