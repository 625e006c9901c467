package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sightline-evm/sightline/internal/action"
	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"go.yaml.in/yaml/v3"
)

// metadata is an action.yml.
type metadata struct {
	Name, Description, Author string
	Branding                  struct{ Icon, Color string }
	Inputs                    map[string]struct {
		Description string
		Default     *string
		Required    bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using, Image string
		Args         []string
		Steps        []struct {
			Name, ID, Shell, Run string
			Env                  map[string]string
		}
	}
}

func readMetadata(t testing.TB, path string) metadata {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// ownInputs are the inputs that are not flags of a run.
var ownInputs = []string{"token", "comment", "upload-sarif", "issue", "issue-label", "step", "plan", "shard", "shards", "quorum", "shard-key", "max-minutes", "category"}

// knownInputs are those that the program reads.
func knownInputs() []string {
	names := slices.Concat(ownInputs, action.Inputs())
	slices.Sort(names)
	return names
}

func TestActionInputs(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"action.yml", "native/action.yml"} {
		m := readMetadata(t, path)
		want := knownInputs()
		if path != "action.yml" {
			want = append(want, "attestation", "sha256", "version") // of the release's binary
			slices.Sort(want)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(m.Inputs))); diff != "" {
			t.Errorf("inputs of %s (-program +file):\n%s", path, diff)
		}
		for name, input := range m.Inputs {
			if input.Description == "" {
				t.Errorf("%s: the input %s is not described", path, name)
			}
			if input.Default != nil && !slices.Contains([]string{"token", "version"}, name) {
				t.Errorf("%s: the default of %s overrules the configuration file", path, name)
			}
		}
		if len(m.Description) > 125 { // what the marketplace takes
			t.Errorf("%s: a description of %d characters", path, len(m.Description))
		}
	}
}

// Both actions set the outputs that the program writes.
func TestActionOutputs(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "base", map[string]string{"docs.md": "# Docs\n"})
	delete(s.env, "INPUT_TOKEN")
	s.act()
	for _, path := range []string{"action.yml", "native/action.yml"} {
		m := readMetadata(t, path)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(s.values)), slices.Sorted(maps.Keys(m.Outputs))); diff != "" {
			t.Errorf("outputs of %s (-program +file):\n%s", path, diff)
		}
		for name, output := range m.Outputs {
			if want := "${{ steps.sightline.outputs." + name + " }}"; path != "action.yml" && output.Value != want {
				t.Errorf("%s: the output %s is %q, want %q", path, name, output.Value, want)
			}
		}
	}
}

// A composite action must pass on every input explicitly.
func TestNativeHandsInputsOn(t *testing.T) {
	m := readMetadata(t, "native/action.yml")
	step := m.Runs.Steps[1]
	want := map[string]string{}
	for _, name := range knownInputs() {
		want["INPUT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = "${{ inputs." + name + " }}"
	}
	if diff := cmp.Diff(want, step.Env); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, step := range m.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the step %q pastes a value into a script: %s", step.Name, step.Run)
		}
	}
}

// native makes the scene's step that of the native action, as the runner runs it.
func (s *scene) native() *exec.Cmd {
	t := s.t
	t.Helper()
	m := readMetadata(t, "native/action.yml")
	for _, name := range knownInputs() { // as the runner fills the step's env in
		value := s.env["INPUT_"+strings.ToUpper(name)]
		delete(s.env, "INPUT_"+strings.ToUpper(name))
		s.env["INPUT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = value
	}
	program, err := exec.LookPath("sightline-hasty")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.dir, "sightline")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec " + program + " \"$@\"\n"
	if err := programfile.Write(filepath.Join(folder, "sightline"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := s.command()
	file := filepath.Join(s.dir, "step.sh")
	if err := os.WriteFile(file, []byte(m.Runs.Steps[1].Run+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", file}
	return cmd
}

// The shell between the runner and the program changes nothing.
func TestNativeRuns(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	cmd := s.native()
	out, _ := cmd.CombinedOutput() // the exit code is what counts
	s.code, s.log = cmd.ProcessState.ExitCode(), string(out)
	s.collect()
	s.want(1, map[string]string{"verdict": "fail", "seed": "4"}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
}

// archive is a release's archive, with a program that prints its name.
func archive(t *testing.T, says string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	text := "#!/bin/sh\necho " + says + "\n"
	if err := files.WriteHeader(&tar.Header{Name: "sightline", Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// fakeCurl serves a folder as https://github.example, if it is asked for https alone.
const fakeCurl = `#!/bin/sh
case "$*" in *"--proto =https --proto-redir =https --tlsv1.2 "*) ;; *) echo "curl: $*" >&2; exit 2 ;; esac
while [ "$1" != --output ]; do shift; done
exec cp "$SERVED/${3#https://github.example/}" "$2"
`

// fakeGH knows the attestation of the archive whose checksum is ATTESTED.
const fakeGH = `#!/bin/sh
[ "$1" = --version ] && { echo "gh version 2.67.0 (2025-02-11)"; exit 0; }
[ "$1 $2" = "attestation verify" ] || exit 1
[ "$GH_TOKEN" = token ] || exit 4
shift 3
want="--hostname github.com --repo sightline-evm/sightline --signer-workflow sightline-evm/sightline/.github/workflows/release.yml --deny-self-hosted-runners"
[ "$*" = "$want" ] || { echo "gh: $*" >&2; exit 1; }
[ -n "$ATTESTED" ] || { echo "no attestation" >&2; exit 1; }
`

// An archive with a checksum other than the release's, or without the attestation of the
// release's workflow, is never run.
func TestNativeInstall(t *testing.T) {
	good := archive(t, "hello")
	sum := fmt.Sprintf("%x", sha256.Sum256(good))
	const name = "sightline-linux-amd64.tar.gz"
	listed := sum + "  " + name + "\n"
	for _, c := range []struct {
		name, version, sums, os string
		env                     []string
		gh, want                string
	}{
		{"good", "v0.1.0", listed, "Linux", nil, fakeGH, ""},
		{"good, in binary mode", "v0.1.0", sum + " *" + name + "\n", "Linux", []string{"SHA256=" + sum}, fakeGH, ""},
		{"changed", "v0.1.0", strings.Repeat("0", 64) + "  " + name + "\n", "Linux", nil, fakeGH, "has the checksum " + sum + ", but its release lists"},
		{"pinned to another", "v0.1.0", listed, "Linux", []string{"SHA256=" + strings.Repeat("0", 64)}, fakeGH, "but the input sha256 is"},
		{"not listed", "v0.1.0", sum + "  other-" + name + "\n", "Linux", nil, fakeGH, "does not list " + name},
		{"no release", "v9.9.9", "", "Linux", nil, fakeGH, "cannot be downloaded: is v9.9.9 a release"},
		{"no version", "main", "", "Linux", nil, fakeGH, "is not a release's tag"},
		{"escaping version", "v1.0.0-../../../x", "", "Linux", nil, fakeGH, "is not a release's tag"},
		{"Windows", "v0.1.0", "", "Windows", nil, fakeGH, "there is no binary for Windows"},
		{"not attested", "v0.1.0", listed, "Linux", []string{"ATTESTED="}, fakeGH, "has no valid attestation of Sightline's release workflow"},
		{"no gh", "v0.1.0", listed, "Linux", nil, "", "gh is not on this runner"},
		{"old gh", "v0.1.0", listed, "Linux", nil, strings.ReplaceAll(fakeGH, "2.67.0", "2.66.1"), "gh on this runner is too old"},
		{"skipped", "v0.1.0", listed, "Linux", []string{"ATTESTATION=skip"}, "", ""},
		{"misspelled", "v0.1.0", listed, "Linux", []string{"ATTESTATION=no"}, fakeGH, "want verify or skip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			temp, served, tools := t.TempDir(), t.TempDir(), t.TempDir()
			release := filepath.Join(served, "sightline-evm", "sightline", "releases", "download", "v0.1.0")
			write := func(path, text string, mode os.FileMode) {
				t.Helper()
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(release, "SHA256SUMS"), c.sums, 0o644)
			write(filepath.Join(release, name), string(good), 0o644)
			write(filepath.Join(tools, "curl"), fakeCurl, 0o755)
			if c.gh != "" {
				write(filepath.Join(tools, "gh"), c.gh, 0o755)
			}
			for _, tool := range []string{"awk", "bash", "cp", "cut", "gzip", "mkdir", "rm", "sha256sum", "sh", "tar"} { // and no gh of the machine
				program, err := exec.LookPath(tool)
				if err == nil {
					err = os.Symlink(program, filepath.Join(tools, tool))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(filepath.Join("..", "..", "native", "install.sh"))
			cmd.Env = append([]string{"PATH=" + tools, "RUNNER_TEMP=" + temp, "RUNNER_OS=" + c.os, "RUNNER_ARCH=X64",
				"GITHUB_SERVER_URL=https://github.example", "VERSION=" + c.version, "SERVED=" + served, "GH_TOKEN=token", "ATTESTED=yes"}, c.env...)
			out, err := cmd.CombinedOutput()
			program := filepath.Join(temp, "sightline", "sightline")
			if c.want != "" {
				if err == nil || !strings.Contains(string(out), "::error title=Sightline::") || !strings.Contains(string(out), c.want) {
					t.Errorf("%v, %s; want %q", err, out, c.want)
				}
				if _, err := os.Stat(program); err == nil {
					t.Error("the program is there")
				}
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if skipped := strings.Contains(string(out), "::warning title=Sightline::the attestation"); skipped != slices.Contains(c.env, "ATTESTATION=skip") {
				t.Errorf("said %s", out)
			}
			if said, err := exec.Command(program).Output(); err != nil || string(said) != "hello\n" {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
}

// The image's bases are exact versions, the program gets its signals, and the
// build is given every file that it needs.
func TestDockerfile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`^[a-z]+:\d+\.\d+\.\d+-[a-z-]+$`).MatchString(from[1]) {
			t.Errorf("the base %s is not an exact version", from[1])
		}
	}
	if !strings.Contains(text, "\nENTRYPOINT [\"/usr/local/bin/sightline\"]\nCMD [\"action\"]\n") {
		t.Error("the program is not started in exec form")
	}
	if m := readMetadata(t, "action.yml"); m.Runs.Using != "docker" || m.Runs.Image != "Dockerfile" || m.Runs.Args != nil {
		t.Errorf("%+v", m.Runs)
	}
	list, err := exec.Command("go", "list", "-deps", "-f", `{{if and .Module .Module.Main}}{{.Dir}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile(filepath.Join("..", "..", ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for dir := range strings.Lines(string(list)) {
		below, err := filepath.Rel(root, strings.TrimSpace(dir))
		if err != nil {
			t.Fatal(err)
		}
		kept := false
		for folder := filepath.ToSlash(below); folder != "."; folder = path.Dir(folder) {
			kept = kept || strings.Contains(string(ignored), "\n!"+folder+"\n")
		}
		if !kept {
			t.Errorf(".dockerignore keeps %s from the build", below)
		}
	}
}

// docs/action.md has the tables of action.yml.
func TestActionDocs(t *testing.T) {
	t.Parallel()
	m := readMetadata(t, "action.yml")
	inputs := "| input | meaning |\n| --- | --- |\n"
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		inputs += fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(m.Inputs[name].Description, "|", "\\|"))
	}
	outputs := "| output | value |\n| --- | --- |\n"
	for _, name := range slices.Sorted(maps.Keys(m.Outputs)) {
		outputs += fmt.Sprintf("| `%s` | %s |\n", name, m.Outputs[name].Description)
	}
	golden.Section(t, "../../docs/action.md", "inputs", inputs)
	golden.Section(t, "../../docs/action.md", "outputs", outputs)
}
