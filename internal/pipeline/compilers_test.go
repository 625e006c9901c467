package pipeline

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// useCompilers has the job find the compilers that ./test installs. What they answer is kept between runs, and they
// stay loaded.
func useCompilers(t *testing.T) {
	t.Helper()
	modules := testfiles.NodeModules(t)
	t.Setenv("SIGHTLINE_NODE_MODULES", modules)
	t.Setenv("XDG_CACHE_HOME", testcache.Folder("product"))
	testsolc.UseStandIn(t)
	// Jobs run side by side in this process: its memory is not that of one campaign, and takes long to free for each.
	t.Setenv("GOMEMLIMIT", "off")
}
