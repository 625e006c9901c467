package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Tool is the sightline binary, built from the working tree.
type Tool struct {
	path string
	env  []string
	root string
}

// BuildTool builds the binary. nodeModules are the folders in which it finds
// compilers.
func (r *Run) BuildTool(ctx context.Context, nodeModules ...string) (*Tool, error) {
	path := filepath.Join(r.Cache, "sightline")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", path, "./cmd/sightline")
	cmd.Dir = r.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/sightline: %w\n%s", err, tail(out))
	}
	t := &Tool{path: path, root: r.Root, env: os.Environ()}
	list := ""
	for i, folder := range nodeModules {
		if i > 0 {
			list += string(os.PathListSeparator)
		}
		list += folder
	}
	// Builds are kept with everything else that is measured.
	t.env = append(t.env, "SIGHTLINE_NODE_MODULES="+list, "XDG_CACHE_HOME="+filepath.Join(r.Cache, "builds"))
	return t, nil
}

// With is the same binary with more in its environment, "NAME=value", which comes
// before what was there.
func (t *Tool) With(environment ...string) *Tool {
	return &Tool{path: t.path, root: t.root, env: slices.Concat(t.env, environment)}
}

// Command is a run of the binary, to be started by the caller.
func (t *Tool) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Env = t.env
	cmd.Dir = t.root
	return cmd
}

// Output runs the binary and returns what it writes to standard output, and the
// most memory it held, bytes, its children apart. An exit code that is not among the accepted ones is
// an error with the end of what it wrote.
func (t *Tool) Output(ctx context.Context, accepted []int, args ...string) (stdout []byte, memory float64, err error) {
	var out, log bytes.Buffer
	cmd := t.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	stop := WatchMemory(cmd.Process.Pid)
	err = cmd.Wait()
	memory, stdout = stop(), out.Bytes()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout, memory, nil
	case !errors.As(err, &exit) || ctx.Err() != nil:
		return stdout, memory, err
	case slices.Contains(accepted, exit.ExitCode()):
		return stdout, memory, nil
	}
	return stdout, memory, fmt.Errorf("sightline ended after at most %s MB: %w: %s", Number(math.Round(memory/1e6)), exit, head(log.Bytes()))
}
