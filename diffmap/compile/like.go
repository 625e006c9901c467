package compile

import (
	"context"
	"encoding/json"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Like compiles the sources of another version of o with the settings of o: for how long the code is, since
// nothing else is asked of the compiler.
func (o *Output) Like(ctx context.Context, other *Output, compilers solc.Options, options DebugOptions) (*Output, error) {
	if o.Input == nil || other.Input == nil {
		return nil, &reading.Error{Origin: o.Origin, Kind: reading.ErrNoContracts, Problem: "it has no standard-JSON input"}
	}
	own, err := membersOf(o.Input, "input")
	if err != nil {
		return nil, err
	}
	input, err := membersOf(other.Input, "input")
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if len(own["settings"]) > 0 {
		if err := reading.DecodeJSON(own["settings"], "input.settings", &values); err != nil {
			return nil, err
		}
	}
	values["outputSelection"] = map[string]any{"*": map[string]any{"*": []string{"abi", "evm.bytecode", "evm.deployedBytecode"}}}
	settings, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	input["settings"] = settings
	text, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	compiler, err := other.FindCompiler(ctx, compilers)
	if err != nil {
		return nil, err
	}
	limits := options.Limits.WithDefaults()
	output, err := compileCached(ctx, text, compiler, options.Cache, limits)
	if err != nil {
		return nil, err
	}
	return ReadSolc(text, output, "solc "+compiler.Version(), limits)
}
