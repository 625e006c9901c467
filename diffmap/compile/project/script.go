package project

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Script is a command of the project's that runs in addition to the build, such as one
// that deploys it.
type Script struct {
	Root    string        // the project's folder, in which it runs
	Command string        // of the shell
	Env     []string      // NAME=VALUE, in addition to what builds see
	Names   []string      // of environment variables that it may see
	Timeout time.Duration // 0: 10 minutes
	// Repository is the folder of the checkout that holds the project; empty: Root.
	Repository string
	Strangers  bool // as in [FindOptions]
}

// RunScript runs a script as a project's build is run: with the environment that builds
// see, and as the folder's owner. It returns the end of what the script wrote. An error is of
// type *[reading.Error], unless ctx ended.
func RunScript(ctx context.Context, s Script) (said string, err error) {
	root, err := filepath.Abs(s.Root)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Root, err)
	}
	if s.Timeout <= 0 {
		s.Timeout = defaultTimeout
	}
	f := &finder{root: root, shown: s.Root, FindOptions: FindOptions{Env: s.Names, Timeout: s.Timeout, Strangers: s.Strangers, Compilers: solc.Options{Repository: s.Repository}}}
	where, done, err := f.placeFor(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return f.run(ctx, where, command{argv: []string{"sh", "-c", s.Command}, shown: []string{s.Command}, env: s.Env, Setup: settings.Setup{Builds: filepath.Join(root, "none")}}, nil)
}
