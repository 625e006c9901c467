package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// prepare empties the folder, and puts the tools into it that steps set up: those of npm
// stand for those that a runner downloads elsewhere.
func (s *settings) prepare() error {
	for _, path := range []*string{&s.work, &s.node, &s.modules} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(s.work), os.MkdirAll(s.tools("node"), 0o755)); err != nil {
		return err
	}
	var err error
	if s.registry, err = s.output("npm", "config", "get", "registry"); err != nil {
		return err
	}
	forge := filepath.Join(s.modules, "@foundry-rs", "forge-linux-amd64", "bin", "forge")
	npm := filepath.Join(s.node, "npm", "bin")
	return errors.Join(
		copyFile(forge, s.tools("forge", "forge"), 0o755),
		copyFile(filepath.Join(s.modules, "solc", "soljson.js"), s.tools("solc", "soljson.js"), 0o644),
		os.Symlink(filepath.Join(s.node, "node-linux-"+map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH], "bin", "node"), s.tools("node", "node")),
		os.Symlink(filepath.Join(npm, "npm-cli.js"), s.tools("node", "npm")),
		os.Symlink(filepath.Join(npm, "npx-cli.js"), s.tools("node", "npx")),
	)
}

func (s *settings) tools(parts ...string) string {
	return filepath.Join(append([]string{s.work, "tools"}, parts...)...)
}

func (s *settings) output(command ...string) (string, error) {
	out, err := exec.Command(command[0], command[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

func copyFile(from, to string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("%w: run ./test once, it installs the compilers", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// checkout does what actions/checkout does with a pull request's event.
func (j *job) checkout(with map[string]string) error {
	depth := with["fetch-depth"]
	if depth == "" {
		depth = "1"
	}
	credential := "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	key := "http." + j.fake.URL + "/.extraheader"
	for _, args := range [][]string{
		{"init", "-q"},
		{"remote", "add", "origin", j.fake.URL + "/octo/vault"},
		{"-c", key + "=" + credential, "fetch", "-q", "--no-tags", "--prune", "--no-recurse-submodules", "--depth=" + depth, "origin", "+" + j.env["GITHUB_SHA"] + ":refs/remotes/pull/7/merge"},
		{"checkout", "-q", "--force", "refs/remotes/pull/7/merge"},
	} {
		if out, err := j.as("git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	if with["persist-credentials"] != "false" {
		return j.as("git", "config", key, credential).Run()
	}
	return nil
}

// setUpNode puts Node.js on the path, if it has the version.
func (j *job) setUpNode(with map[string]string) error {
	version, err := j.s.output(j.s.tools("node", "node"), "--version")
	if err != nil {
		return err
	}
	if want := "v" + with["node-version"] + "."; !strings.HasPrefix(version, want) {
		return fmt.Errorf("node is %s, want %s", version, want)
	}
	if _, err := os.Stat(filepath.Join(j.workspace(), "package-lock.json")); with["cache"] == "npm" && err != nil {
		return fmt.Errorf("actions/setup-node refuses a project without a lock file: %w", err)
	}
	j.path = append([]string{j.s.tools("node")}, j.path...)
	// Hardhat downloads the compiler once; here it is there.
	return j.compiler(func(solc, version string) error {
		return hardhatCompiler(filepath.Join(j.home(), ".cache", "hardhat-nodejs", "compilers-v2", "linux-amd64"), solc, version)
	})
}

// setUpFoundry puts forge on the path. It downloads the compiler once; here it is there.
func (j *job) setUpFoundry() error {
	j.path = append([]string{j.s.tools("forge")}, j.path...)
	return j.compiler(func(solc, version string) error {
		short, _, _ := strings.Cut(version, "+")
		return copyFile(solc, filepath.Join(j.home(), ".svm", short, "solc-"+short), 0o755)
	})
}

// compiler makes the compiler that build tools would download, and has it put where they look.
func (j *job) compiler(put func(solc, version string) error) error {
	folder := j.at("temp")
	solc, err := soljson.Program(folder, j.s.tools("solc", "soljson.js"))
	if err != nil {
		return err
	}
	text, err := j.s.output(solc, "--version")
	if err != nil {
		return err
	}
	_, version, _ := strings.Cut(text, "Version: ")
	if parts := strings.Split(version, "."); len(parts) > 4 { // 0.8.30+commit.73712a01.Linux.g++
		version = strings.Join(parts[:4], ".")
	}
	return errors.Join(put(solc, version), os.Remove(solc), j.own(j.home()))
}

// hardhatCompiler writes a list of compilers with one, as Hardhat downloads it, and the compiler.
func hardhatCompiler(folder, solc, version string) error {
	name := "solc-linux-amd64-v" + version
	short, _, _ := strings.Cut(version, "+")
	if err := copyFile(solc, filepath.Join(folder, name), 0o755); err != nil {
		return err
	}
	list := fmt.Sprintf(`{"builds": [{"path": %q, "version": %q, "longVersion": %q}]}`, name, short, version)
	return os.WriteFile(filepath.Join(folder, "list.json"), []byte(list), 0o644)
}
