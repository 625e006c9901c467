package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cache is what actions/cache saves after the job.
type cache struct{ key, path string }

// restore unpacks the cache of the key, or else the newest whose key begins as it is asked.
func (j *job) restore(with map[string]string) error {
	key := with["key"]
	if _, there := j.caches[key]; !there {
		key = ""
		for _, k := range slices.Sorted(maps.Keys(j.caches)) { // keys end in the number of a run
			if prefix := strings.TrimSpace(with["restore-keys"]); prefix != "" && strings.HasPrefix(k, prefix) {
				key = k
			}
		}
	}
	if key == "" {
		return nil
	}
	fmt.Printf("             restored %s\n", key)
	if out, err := j.as("tar", "-xf", j.caches[key]).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// saveCaches does what actions/cache and actions/upload-artifact do after the container: the
// runner's user reads what it left. An action that finds nothing at its path only says so.
func (j *job) saveCaches() error {
	for i, c := range append(slices.Clone(j.cached), cache{path: j.outputs["out"]}) {
		if _, err := os.Lstat(filepath.Join(j.workspace(), c.path)); err != nil || c.path == "" {
			fmt.Printf("             nothing is at %q\n", c.path)
			continue
		}
		archive := j.at(fmt.Sprintf("cache-%d.tar", i))
		f, err := os.Create(archive)
		if err != nil {
			return err
		}
		// Not straight to /dev/null for what is not kept: tar reads no contents for that.
		cmd := j.as("tar", "-cf", "-", "--", c.path)
		var problems strings.Builder
		cmd.Stdout, cmd.Stderr = struct{ io.Writer }{f}, &problems
		err = cmd.Run()
		_ = f.Close() // what tar wrote is what counts
		if err != nil {
			return fmt.Errorf("later steps cannot read what the action left in %s: %w\n%s", c.path, err, problems.String())
		}
		if c.key != "" {
			j.caches[c.key] = archive
		}
	}
	return nil
}

// upload keeps what is in a folder, or a file, as the artifact of a name.
func (j *job) upload(with map[string]string) error {
	folder, what := with["path"], "."
	if info, err := os.Stat(filepath.Join(j.workspace(), folder)); err == nil && !info.IsDir() {
		folder, what = filepath.Split(folder)
	}
	return j.tar("-cf", j.artifact(with["name"]), "-C", filepath.Clean(folder), what)
}

// download unpacks an artifact into a folder.
func (j *job) download(with map[string]string) error {
	if out, err := j.as("mkdir", "-p", "--", with["path"]).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return j.tar("-xf", j.artifact(with["name"]), "-C", with["path"])
}

func (j *job) artifact(name string) string { return j.at("temp", "artifact-"+name+".tar") }

func (j *job) tar(args ...string) error {
	if out, err := j.as("tar", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w\n%s", err, out)
	}
	return nil
}
