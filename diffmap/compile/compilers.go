package compile

import (
	"context"
	"errors"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// FindCompiler finds the compiler that made the output, else the newest one
// that its sources allow.
func (o *Output) FindCompiler(ctx context.Context, options solc.Options) (*solc.Compiler, error) {
	if v, err := solc.ParseVersion(o.Compiler); err == nil && v.Pre == "" {
		c, err := solc.Find(ctx, []string{"=" + v.String()}, options)
		if !errors.Is(err, solc.ErrNoCompiler) {
			return c, err
		}
	}
	var pragmas []string
	for _, s := range o.Sources {
		pragmas = append(pragmas, solidity.Pragmas(s.Text)...)
	}
	return solc.Find(ctx, pragmas, options)
}
