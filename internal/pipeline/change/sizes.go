package change

import (
	"os"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// noteSizes notes how long the code that is fuzzed is where it ships, since chains bound
// that: a debug build's is two to three times as long. Harnesses ship nowhere.
func (c *Change) noteSizes() {
	for i, o := range c.Outputs {
		given := o
		if i < len(c.Given) {
			given = c.Given[i]
		}
		defer unbindHarnesses(o)
		if c.Root != "" && settings.CodeSettings(c.compilersIn(o.Folder).Root, os.Getenv).Unlimited {
			for _, b := range []*compile.Output{given, o} {
				setSizes(b, func(string, bytecode.Kind) int { return bytecode.SizeUnknown })
			}
			continue
		}
		if given != o && !given.Debug {
			sizes := sizesOf(given)
			setSizes(o, func(name string, kind bytecode.Kind) int { return sizes[sizeKey{name, kind}] })
		}
	}
}

// noteBaseSizes does the same for the base's builds, of which only those are known that are
// fuzzed: a contract that is too large in the head counts as too large there, any other as
// small enough.
func noteBaseSizes(side diffmap.BaseSide) {
	defer unbindHarnesses(side.Base)
	if !side.Base.Debug {
		return
	}
	sizes := map[sizeKey]int{}
	for _, contract := range side.Head.Contracts {
		if world.TooLarge(&contract.Contract) != "" {
			sizes[sizeKey{contract.UnitName(), bytecode.Runtime}], _ = contract.Runtime.ReleaseSize()
		}
	}
	setSizes(side.Base, func(name string, kind bytecode.Kind) int {
		if size := sizes[sizeKey{name, kind}]; size != 0 {
			return size
		}
		return bytecode.SizeUnknown
	})
}

// unbindHarnesses lets the harnesses of a build have any size.
func unbindHarnesses(o *compile.Output) {
	for _, contract := range o.Contracts {
		for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
			if code != nil && world.IsHarness(&contract.Contract) {
				code.Released = bytecode.SizeUnknown
			}
		}
	}
}

// sizeKey is an artifact of a build.
type sizeKey struct {
	contract string // as the compiler names it
	kind     bytecode.Kind
}

// sizesOf are the sizes of a build's artifacts, bytes.
func sizesOf(o *compile.Output) map[sizeKey]int {
	sizes := map[sizeKey]int{}
	for _, contract := range o.Contracts {
		for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
			if code != nil {
				sizes[sizeKey{contract.UnitName(), code.Kind}] = len(code.Bytes)
			}
		}
	}
	return sizes
}

// setSizes sets the sizes that a build's artifacts have where they ship.
func setSizes(o *compile.Output, size func(contract string, kind bytecode.Kind) int) {
	for _, contract := range o.Contracts {
		for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
			if code != nil {
				code.Released = size(contract.UnitName(), code.Kind)
			}
		}
	}
}
