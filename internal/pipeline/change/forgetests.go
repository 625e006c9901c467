package change

import (
	"context"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile/project"
)

// ForgeImports is what the paths of a project's sources begin with in tests of ours.
const ForgeImports = project.ForgeImports

// RunForgeTests runs tests of ours under forge in the project of a folder, relative to the
// root, see [project.RunForgeTests].
func (c *Change) RunForgeTests(ctx context.Context, folder string, sources map[string]string, imports []string, progress func(command string)) (map[string]map[string]project.ForgeResult, error) {
	return project.RunForgeTests(ctx, project.ForgeTests{
		Root: filepath.Join(c.Root, filepath.FromSlash(folder)), Sources: sources, Imports: imports,
		Names: c.options.Env, Repository: c.Paths.Checkout, Strangers: c.Strangers(),
	}, progress)
}
