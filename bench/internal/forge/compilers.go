package forge

import (
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// Home makes a home folder whose compilers, for forge, are those of npm that are
// installed in modules as solc-VERSION, and returns the environment that makes forge
// use them, and nothing of the network. Several processes may make the same folder at the
// same time.
func Home(folder, modules string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(modules, "solc-*", "soljson.js"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp(folder, ".install-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	for _, file := range found {
		name := filepath.Base(filepath.Dir(file)) // solc-0.8.30
		to := filepath.Join(folder, ".svm", name[len("solc-"):])
		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, err
		}
		program, err := soljson.Program(temporary, file)
		if err != nil {
			return nil, err
		}
		// It replaces what another process has put there, which is the same.
		if err := os.Rename(program, filepath.Join(to, name)); err != nil {
			return nil, err
		}
	}
	return []string{"HOME=" + folder, "FOUNDRY_OFFLINE=true"}, nil
}
