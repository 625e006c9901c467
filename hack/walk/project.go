package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// project is one of a user's, with the workflow that is for its kind.
type project struct {
	name, workflow string
	folder         string // of the base version
	diff           string // the pull request; empty: see pull.folder
	edits          []edit // of the base version
	lock           bool   // npm's lock file belongs to it
	pulls          []pull
}

// pull is a pull request, and how it must end.
type pull struct {
	what    string
	again   bool   // another push to the pull request before, not a new one
	folder  string // of the head version
	edits   []edit // of the head version
	code    int
	verdict string
	comment *regexp.Regexp
}

// edit replaces a text that occurs once in a file.
type edit struct{ file, old, new string }

// passed is the headline where a check is gone on purpose, which is listed and does not gate.
const passed = `^<!-- sightline:v1 key=sightline\.yml/fuzz sha=[0-9a-f]{40} run=\d+ -->\n### ⚠️ 1 introduced finding · gate passed`

var (
	red    = regexp.MustCompile(`(?s)^<!-- sightline:v1 key=sightline\.yml/fuzz sha=[0-9a-f]{40} run=\d+ -->\n### ❌ 1 introduced bug.*\*\*\x60SL-`)
	mended = regexp.MustCompile(`(?s)` + passed + `.*🟢 \*\*\x60SL-[0-9a-f]{4}\x60\*\* assertion .*, fixed in [0-9a-f]{12}`)
	noted  = regexp.MustCompile(passed)
	green  = regexp.MustCompile(`(?s)^<!-- sightline:v1 key=sightline\.yml/fuzz sha=[0-9a-f]{40} run=\d+ -->\n### ✅ \d+ of \d+ changed lines reached, nothing broke`)
)

// projects are one of each kind. Each base states what must hold, and one of the pull
// requests breaks it.
var projects = []*project{
	{
		name: "foundry", workflow: "docs/workflows/foundry.yml", folder: "examples/foundry/base", diff: "examples/foundry/pr.diff",
		edits: []edit{{"src/Splitter.sol", "        totalReleased += amount;\n", "        totalReleased += amount;\n        assert(released[payee] <= totalReleased);\n"}},
		pulls: []pull{
			{what: "breaks something", code: 1, verdict: "fail", comment: red,
				edits: []edit{{"src/Splitter.sol", "totalReleased += amount;", "totalReleased = amount;"}}},
			{what: "does not", verdict: "pass", comment: green},
		},
	},
	{
		name: "hardhat", workflow: "docs/workflows/hardhat.yml", folder: "examples/hardhat/base", diff: "examples/hardhat/pr.diff", lock: true,
		edits: []edit{{"contracts/Treasury.sol", "        collected += amount;\n", "        assert(collected + amount <= address(this).balance);\n        collected += amount;\n"}},
		pulls: []pull{
			{what: "breaks something", code: 1, verdict: "fail", comment: red,
				edits: []edit{{"contracts/Registry.sol", "    function renew(bytes32 name) external payable {\n        require(msg.value >= PRICE, \"too little\");\n", "    function renew(bytes32 name) external payable {\n"}}},
			{what: "does not", verdict: "pass", comment: green},
		},
	},
	{
		name: "plain", workflow: "docs/workflows/pull-request.yml", folder: "examples/crowdsale/base",
		pulls: []pull{
			{what: "breaks something", folder: "examples/crowdsale/head", code: 1, verdict: "fail", comment: red},
			{what: "is then mended", again: true, folder: "examples/crowdsale/head", verdict: "pass", comment: mended,
				edits: []edit{{"src/Crowdsale.sol", "uint256 amount = address(this).balance;\n        raised", "uint256 amount = raised;\n        raised"}}},
			{what: "does not", folder: "examples/crowdsale/head", verdict: "pass", comment: noted,
				edits: []edit{{"src/Crowdsale.sol", "uint256 amount = address(this).balance;\n        raised", "uint256 amount = raised;\n        raised"}}},
		},
	},
}

// sides makes the folders of both versions.
func (p *project) sides(pull pull, base, head string) error {
	if err := errors.Join(os.CopyFS(base, os.DirFS(p.folder)), apply(base, p.edits)); err != nil {
		return err
	}
	// As the one who set the project up has it: the workflow is there, under this name, and
	// what is made is ignored.
	text, err := os.ReadFile(p.workflow)
	if err != nil {
		return err
	}
	file := filepath.Join(base, ".github", "workflows", "sightline.yml")
	err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644),
		os.WriteFile(filepath.Join(base, ".gitignore"), []byte("out/\ncache/\nartifacts/\nnode_modules/\n"), 0o644))
	if err != nil {
		return err
	}
	if p.lock {
		cmd := exec.Command("npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved", "--ignore-scripts", "--no-audit", "--no-fund")
		cmd.Dir = base
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("npm install: %w\n%s", err, out)
		}
	}
	if err := os.CopyFS(head, os.DirFS(base)); err != nil {
		return err
	}
	if pull.folder != "" {
		if err := errors.Join(os.RemoveAll(filepath.Join(head, "src")), os.CopyFS(head, os.DirFS(pull.folder))); err != nil {
			return err
		}
	}
	if p.diff != "" {
		diff, err := filepath.Abs(p.diff)
		if err != nil {
			return err
		}
		cmd := exec.Command("git", "apply", diff)
		cmd.Dir = head
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(head))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git apply: %w\n%s", err, out)
		}
	}
	return apply(head, pull.edits)
}

func apply(folder string, edits []edit) error {
	for _, e := range edits {
		path := filepath.Join(folder, filepath.FromSlash(e.file))
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			return fmt.Errorf("%s has %q %d times, want once", e.file, e.old, n)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
