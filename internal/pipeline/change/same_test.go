package change

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestSameCode: only what the texts prove is left to no compiler.
func TestSameCode(t *testing.T) {
	base := map[string]string{
		"src/A.sol":      "import './B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* old */ }",
		"src/B.sol":      "contract B {}",
		"lib/x/C.sol":    "contract C {}",
		"src/user/U.sol": "import '../A.sol'; contract U is A {}",
	}
	for name, c := range map[string]struct {
		head map[string]string // changed files; empty: deleted
		same bool
	}{
		"a comment":               {map[string]string{"src/A.sol": "import './B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* new */ }"}, true},
		"code":                    {map[string]string{"src/A.sol": "import './B.sol'; import '@x/C.sol'; contract A is B { function g() external {} }"}, false},
		"another spelling":        {map[string]string{"src/A.sol": "import '../src/B.sol'; import '@x/C.sol'; contract A is B { function f() external {} }"}, true},
		"a name, may be remapped": {map[string]string{"src/A.sol": "import 'src/B.sol'; import '@x/C.sol'; contract A is B { function f() external {} }"}, false},
		"moved, with its user": {map[string]string{"src/A.sol": "", "src/a/A.sol": "import '../B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* old */ }",
			"src/user/U.sol": "import '../a/A.sol'; contract U is A {}"}, true},
		"moved, a user stays": {map[string]string{"src/A.sol": "", "src/a/A.sol": "import '../B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* old */ }"}, false},
		"moved into tests": {map[string]string{"src/A.sol": "", "test/A.sol": "import '../src/B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* old */ }",
			"src/user/U.sol": "import '../../test/A.sol'; contract U is A {}"}, false},
		"moved below a remapping": {map[string]string{"src/A.sol": "", "src/other/A.sol": "import '../B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* old */ }",
			"src/user/U.sol": "import '../other/A.sol'; contract U is A {}"}, false},
		"a new source": {map[string]string{"src/N.sol": "// nothing"}, false},
		"settings":     {map[string]string{"src/A.sol": "import './B.sol'; import '@x/C.sol'; contract A is B { function f() external {} /* new */ }", "remappings.txt": "@x/=y/\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			git := func(arguments ...string) []byte {
				cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"}, arguments...)...)
				cmd.Dir = root
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("git %v: %v", arguments, err)
				}
				return out
			}
			git("init", "-q")
			testfiles.Write(t, filepath.Join(root, "remappings.txt"), "@x/=lib/x/\nsrc/other/:@x/=lib/y/\n")
			for file, text := range base {
				testfiles.Write(t, filepath.Join(root, file), text+"\n"+strings.Repeat("// By this, git knows a file that moves.\n", 20))
			}
			git("add", "-A")
			git("commit", "-q", "-m", "base")
			for file, text := range c.head {
				if text == "" {
					if err := os.Remove(filepath.Join(root, file)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				testfiles.Write(t, filepath.Join(root, file), text+"\n"+strings.Repeat("// By this, git knows a file that moves.\n", 20))
			}
			git("add", "-A")
			diff, err := unified.Parse(git("diff", "-M", "HEAD"), unified.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			change := &Change{Root: root, Diff: diff, options: &Options{}, read: files.Below(root)}
			change.Paths.Checkout = files.Resolve(root)
			change.readDependencies(t.Context())
			if got := change.sameCode(); got != c.same {
				t.Errorf("the same is %v", got)
			}
		})
	}
}
