package deploy

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// before are solc's names of the EVM versions before the oldest fork that Worlds may have,
// oldest first: code for them runs on it.
var before = []string{
	"homestead", "tangerineWhistle", "spuriousDragon", "byzantium", "constantinople", "petersburg", "istanbul", "berlin", "london",
}

// chooseFork decides on which fork the World is: the one that the run's settings name; that
// of a live chain, whose contracts need it; else the EVM version that the project is compiled
// for. Code that needs a newer one then fails here as it does on the project's chain. why
// says which of them it was; warning is set where nothing was known.
func chooseFork(c *change.Change, o *Options) (fork, why, warning string) {
	switch {
	case o.Fork != "":
		return o.Fork, "as --evm-version says", ""
	case o.RPC != "":
		return evm.DefaultFork, "the newest, for the contracts of the chain", ""
	}
	builds := c.Given
	if len(builds) == 0 {
		builds = c.Outputs
	}
	newest, of := -1, ""
	unknown := ""
	for _, b := range builds {
		switch name := b.EVMVersion(); {
		case name == "":
			unknown = fmt.Sprintf("the EVM version that %s was compiled for is unknown", b.Origin)
		case slices.Contains(before, name):
			if newest < 0 {
				newest, of = 0, fmt.Sprintf("the oldest there is: the project is compiled for %s", name)
			}
		default:
			i := slices.Index(evm.Forks(), name)
			if i < 0 {
				unknown = fmt.Sprintf("%s was compiled for the EVM version %s, which is not known here", b.Origin, human.Printable(name))
			} else if i >= newest {
				newest, of = i, "what the project is compiled for"
				if b.Settings.EVMVersion == "" {
					of = "what the project is compiled for, the default of its compiler"
				}
			}
		}
	}
	switch {
	case unknown != "":
		return evm.DefaultFork, "the newest: " + unknown, fmt.Sprintf("%s: it runs on %s; --evm-version names another fork", unknown, evm.DefaultFork)
	case newest < 0:
		return evm.DefaultFork, "the newest", ""
	}
	return evm.Forks()[newest], of, ""
}
