package solc

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
)

// npmVersions are the packages of releases whose own package holds another one.
var npmVersions = map[string]string{"0.8.7": "0.8.7-fixed"}

// fromNPM downloads soljson.js of a release with npm, from the registry that the machine's
// user has configured. npm runs in a folder of our own, so that no .npmrc of the checkout
// counts, unpacks nothing and runs no script.
func (options Options) fromNPM(ctx context.Context, r release) ([]byte, error) {
	npm, err := options.checkout().lookPath("npm")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "sightline-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	// With a package.json here, npm looks for none in the folders above.
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte("{}\n"), 0o600); err != nil {
		return nil, err
	}
	version := r.version.String()
	if other, ok := npmVersions[version]; ok {
		version = other
	}
	cmd := exec.CommandContext(ctx, npm, "pack", "solc@"+version, "--ignore-scripts", "--silent", "--no-audit", "--no-fund", "--no-update-notifier",
		"--cache", filepath.Join(folder, "cache"), "--logs-max", "0", "--fetch-retries", "1", "--fetch-retry-mintimeout", "1000")
	outside, _ := options.checkout().searchPath()
	cmd.Dir = folder
	cmd.Env = append(append(child.Environment(), environmentOf(keptEnvironment)...), "PATH="+outside)
	cmd.WaitDelay = child.Grace
	child.Group(cmd)
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack solc@%s: %w%s", version, err, lastLine(output))
	}
	archives, err := filepath.Glob(filepath.Join(folder, "solc-*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, errors.New("npm pack left no package")
	}
	archive, err := readProgram(archives[0])
	if err != nil {
		return nil, err
	}
	return soljsonOf(archive)
}

// soljsonOf is soljson.js of an npm package.
func soljsonOf(archive []byte) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("npm's package cannot be read: %w", err)
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("the package has no soljson.js: %w", err)
		}
		if header.Name == "package/soljson.js" && header.Typeflag == tar.TypeReg {
			return io.ReadAll(io.LimitReader(files, maxProgram))
		}
	}
}

// lastLine is the last line of a program's output, for a message.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(output), "")), "\n")
	last := lines[len(lines)-1]
	if last == "" {
		return ""
	}
	return ": " + last[:min(len(last), 300)]
}
