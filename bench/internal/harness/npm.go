package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Packages are npm packages by the name they are installed under, each with its
// pinned version: "1.3.0", or "npm:solc@0.8.17" under another name.
type Packages map[string]string

// Solc adds compilers from npm, side by side under names such as solc-0.8.17.
func (p Packages) Solc(versions ...string) Packages {
	for _, v := range versions {
		p["solc-"+v] = "npm:solc@" + v
	}
	return p
}

// Install installs packages from npm into a folder of their own in the cache,
// unless exactly they are there, and returns its node_modules. No package's
// scripts run.
func (r *Run) Install(ctx context.Context, name string, packages Packages) (nodeModules string, err error) {
	folder := filepath.Join(r.Cache, "npm", name)
	nodeModules = filepath.Join(folder, "node_modules")
	manifest, err := json.MarshalIndent(map[string]any{
		"name": "sightline-bench-" + name, "private": true, "dependencies": packages,
	}, "", "  ")
	if err != nil {
		return "", err
	}
	stamp := filepath.Join(folder, "installed.json") // written when all is there
	if text, err := os.ReadFile(stamp); err == nil && bytes.Equal(text, manifest) {
		return nodeModules, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("npm, which installs what is measured, is not in PATH: install Node.js: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	os.Remove(stamp)
	if err := os.WriteFile(filepath.Join(folder, "package.json"), manifest, 0o600); err != nil {
		return "", err
	}
	r.Logf("installing %d npm packages into the cache", len(packages))
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install in the cache failed: %w\n%s", err, tail(out))
	}
	return nodeModules, os.WriteFile(stamp, manifest, 0o600)
}

// tail is the end of a program's output, for a message.
func tail(out []byte) string {
	const most = 2000 // bytes; a screen of lines
	text := strings.TrimSpace(string(out))
	if len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return strings.ToValidUTF8(text, "�")
}

// head is the beginning of a program's messages: what went wrong comes before
// the stacks of a crash.
func head(out []byte) string {
	const most = 600 // bytes; a few lines
	text := strings.TrimSpace(string(out))
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(text, "�")
}
