package setup

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/docs/workflows"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/workflowfile"
)

const source = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract A {}\n"

// repositories are projects as people have them, by what is special about them. A folder .git makes a
// repository of the top.
var repositories = map[string]struct {
	folder string
	files  map[string]string
}{
	"foundry":          {".", map[string]string{"foundry.toml": "[profile.default]\n", "src/A.sol": source}},
	"foundry-out":      {".", map[string]string{"foundry.toml": "[profile.default]\nout = \"build/forge\"\n", "src/A.sol": source}},
	"foundry-packages": {".", map[string]string{"foundry.toml": "[profile.default]\nlibs = [\"node_modules\"]\n", "package.json": `{"dependencies": {"a": "1"}}`, "pnpm-lock.yaml": "", "src/A.sol": source}},
	"foundry-soldeer":  {".", map[string]string{"foundry.toml": "[profile.default]\n", "soldeer.lock": "", "src/A.sol": source}},
	"hardhat":          {".", map[string]string{"hardhat.config.js": "module.exports = {};\n", "package-lock.json": "{}", "contracts/A.sol": source}},
	"hardhat-yarn":     {".", map[string]string{"hardhat.config.ts": "export default { paths: { artifacts: \"./build/artifacts\" } };\n", "yarn.lock": "", "contracts/A.sol": source}},
	"hardhat-berry":    {".", map[string]string{"hardhat.config.ts": "export default {};\n", "yarn.lock": "", "package.json": `{"packageManager": "yarn@4.1.0"}`, "contracts/A.sol": source}},
	"hardhat-no-lock":  {".", map[string]string{"hardhat.config.cjs": "", "package.json": "{}", "contracts/A.sol": source}},
	"hardhat-below": {"packages/core", map[string]string{"packages/core/hardhat.config.js": "", "packages/core/package-lock.json": "{}",
		"packages/core/contracts/A.sol": source}},
	"truffle":        {".", map[string]string{"truffle-config.js": "", "package-lock.json": "{}", "contracts/A.sol": source}},
	"plain":          {".", map[string]string{"src/A.sol": source}},
	"plain-packages": {".", map[string]string{"src/A.sol": "import \"@openzeppelin/contracts/token/ERC20/ERC20.sol\";\n" + source, "package-lock.json": "{}"}},
	"plain-below":    {"contracts", map[string]string{"contracts/A.sol": source}},
	"several": {".", map[string]string{"a/foundry.toml": "[profile.default]\n", "a/src/A.sol": source, "b/hardhat.config.js": "", "b/package-lock.json": "{}",
		"b/contracts/B.sol": source}},
}

// find writes the files of a repository, and finds its projects.
func find(t *testing.T, folder string, files map[string]string) *Repository {
	t.Helper()
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	for name, text := range files {
		testfiles.Write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	r, err := Find(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWorkflow: each kind of project gets a workflow that lacks nothing. internal/workflows lints the same files.
func TestWorkflow(t *testing.T) {
	for name, test := range repositories {
		t.Run(name, func(t *testing.T) {
			text := Workflow(find(t, test.folder, test.files), "0.1.0-dev")
			golden.Check(t, filepath.Join("testdata", name+".yml"), text)
			w, err := workflowfile.Read([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range w.Faults(true) {
				t.Errorf("line %d: %s", f.Line, f.Text)
			}
		})
	}
}

// TestPublished: where nothing is special about a project, its workflow is the published one, to the byte.
func TestPublished(t *testing.T) {
	for name, want := range map[string]string{"foundry": workflows.Foundry, "hardhat": workflows.Hardhat, "plain": workflows.Plain} {
		test := repositories[name]
		if got := Workflow(find(t, test.folder, test.files), "0.1.0-dev"); got != want {
			t.Errorf("%s: the workflow is another than docs/workflows has:\n%s", name, got)
		}
	}
}

// TestMarks: the published workflows have each text once that a project's own takes the place of, so that a
// change of theirs does not leave one behind.
func TestMarks(t *testing.T) {
	for text, marks := range map[string]map[string]int{
		workflows.Foundry: {publishedRef: 1, forgeBuild: 1, "path: " + forgeOut + "\n": 2, "build: " + forgeOut + "\n": 1, uploads: 2, downloads: 1, toolchain: 1, artifactName: 2, maxMinutes: 1, corpusKey: 2},
		workflows.Hardhat: {publishedRef: 1, hardhatBuild: 1, "path: " + hardhatOut + "\n": 2, "build: " + hardhatOut + "\n": 1, uploads: 2, downloads: 1, setupNode: 1, npmInstall: 1, npmCache: 1, artifactName: 2, maxMinutes: 1, corpusKey: 2},
		workflows.Plain:   {publishedRef: 1, maxMinutes: 1, corpusKey: 2},
	} {
		for mark, want := range marks {
			if got := strings.Count(text, mark); got != want {
				t.Errorf("%q occurs %d times, want %d, in\n%s", mark, got, want, text)
			}
		}
		whole := cut(text)
		if whole.text() != text {
			t.Errorf("cut into its steps and put together, a workflow is another:\n%s", whole.text())
		}
	}
}

// TestRelease: a release names itself, any other version the branch.
func TestRelease(t *testing.T) {
	r := find(t, ".", repositories["foundry"].files)
	if text := Workflow(r, "1.2.3"); !strings.Contains(text, "uses: sightline-evm/sightline@v1.2.3\n") || strings.Contains(text, "@main") {
		t.Errorf("a release's workflow does not name it:\n%s", text)
	}
	if text := Workflow(r, "1.2.3-rc.1"); !strings.Contains(text, publishedRef) {
		t.Errorf("a version that is not released is named:\n%s", text)
	}
	// The sources of a release have its tag in the published workflows.
	published := workflows.Foundry
	defer func() { workflows.Foundry = published }()
	workflows.Foundry = strings.ReplaceAll(published, publishedRef, action+"v1.2.3\n")
	tagged := Workflow(find(t, ".", repositories["foundry-out"].files), "0.1.0-dev")
	if !strings.Contains(tagged, action+"v1.2.3\n") || !strings.Contains(tagged, "build: build/forge/build-info\n") {
		t.Errorf("the workflow of a release's sources is\n%s", tagged)
	}
}

// TestUnsafeFolder: no name of a folder becomes a part of a workflow that does something.
func TestUnsafeFolder(t *testing.T) {
	for _, name := range []string{"a b", "a: b", "${{ github.token }}", "a\nb", "#a", "-a", "ä"} {
		root := t.TempDir()
		testfiles.Write(t, filepath.Join(root, name, "foundry.toml"), "")
		testfiles.Write(t, filepath.Join(root, "src", "A.sol"), source)
		if r, err := Find(root); err == nil {
			t.Errorf("%q: the projects %v were taken", name, r.Projects)
		}
	}
}

// FuzzCut: a text cut into steps and put together is itself.
func FuzzCut(f *testing.F) {
	for _, text := range []string{workflows.Foundry, workflows.Plain, "", "    steps:\n", "    steps:\n      more\n", "    steps:\n      - a\n        b\n\n      - c\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if whole := cut(text); whole.text() != text {
			t.Errorf("%q became %q", text, whole.text())
		}
	})
}
