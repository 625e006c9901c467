package change

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile/project"
)

// ForgeImports is what the paths of a project's sources begin with in tests of ours.
const ForgeImports = project.ForgeImports

// OwnTests are a project's own Foundry tests, to be run on edits of its sources.
type OwnTests = project.OwnTests

// OpenOwnTests opens those of the project that a file of the repository belongs to, see [project.OpenOwnTests].
func (c *Change) OpenOwnTests(ctx context.Context, file string, progress func(command string)) (*OwnTests, error) {
	folder := ""
	for _, o := range c.Outputs {
		if c.Paths.Source(o, file) != nil {
			folder = o.Folder
			break
		}
	}
	return project.OpenOwnTests(ctx, project.ForgeTests{
		Root: filepath.Join(c.Root, filepath.FromSlash(folder)), Names: c.options.Env, Repository: c.Paths.Checkout, Strangers: c.Strangers(),
	}, progress)
}

// OnDisk is where a file of the repository is.
func (c *Change) OnDisk(file string) string {
	return filepath.Join(cmp.Or(c.Paths.Checkout, c.Root), filepath.FromSlash(file))
}

// RunForgeTests runs tests of ours under forge in the project of a folder, relative to the
// root, see [project.RunForgeTests].
func (c *Change) RunForgeTests(ctx context.Context, folder string, sources map[string]string, imports []string, progress func(command string)) (map[string]map[string]project.ForgeResult, error) {
	return project.RunForgeTests(ctx, project.ForgeTests{
		Root: filepath.Join(c.Root, filepath.FromSlash(folder)), Sources: sources, Imports: imports,
		Names: c.options.Env, Repository: c.Paths.Checkout, Strangers: c.Strangers(),
	}, progress)
}
