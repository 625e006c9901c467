package change

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
)

// checkCommitted refuses a checkout whose sources are not as they were committed: a step before
// this run, or the build, may run scripts of the pull request that write others, and what is
// fuzzed then is not what is merged. Build settings get a warning, since workflows change them on
// purpose, too. Files that the commit lacks, such as installed dependencies, are what the job
// made them, and files that are not there are missed by whoever needs them.
func (c *Change) checkCommitted() error {
	if c.options.Known == nil || c.options.Known.Tree == nil {
		return nil
	}
	tree := c.options.Known.Tree
	read := files.Below(c.Paths.Checkout)
	for _, file := range slices.Sorted(maps.Keys(tree)) {
		setting := slices.Contains(settings.Configurations, path.Base(file))
		if !setting && !IsSource(file) {
			continue
		}
		info, err := os.Lstat(filepath.Join(c.Paths.Checkout, filepath.FromSlash(file)))
		if err != nil {
			continue
		}
		text, err := read(file)
		if err == nil && info.Mode().IsRegular() && tree.Holds(file, text) {
			continue
		}
		const what = "%s is not as it was committed: a step before this one, or the build, has changed it"
		if !setting {
			return exit.CannotFuzz(what+", so what would be fuzzed is not what is merged; run such steps after this one, or commit what they change", human.Printable(file))
		}
		c.log.Warn(what, human.Printable(file))
	}
	return nil
}
