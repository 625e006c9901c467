package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/setup"
)

// git is git, and the history that a change is found in.
func (d *doctor) git(ctx context.Context) []Line {
	version, missing := d.ask(ctx, "git")
	if missing != "" {
		return one(Fail, "git", "install it, or give a diff with --diff FILE", "git %s", missing)
	}
	lines := one(OK, "git", "", "%s", strings.TrimPrefix(version, "git version "))
	if d.repository == nil || !d.repository.Git {
		if _, err := (&git.Repository{Root: d.root}).Top(); err != nil {
			return append(lines, one(Warn, "history", "git init, or sightline run --audit or --diff FILE", "the folder is not in a git repository, so there is no base to compare with")...)
		}
	}
	if first, err := exec.LookPath("git"); err == nil && d.holds(first) {
		return append(lines, one(Warn, "history", "take that folder out of PATH", "what PATH calls git is the checkout's, %s, so that it was not asked", d.relative(first))...)
	}
	repository := &git.Repository{Root: d.root}
	shallow, err := repository.Shallow(ctx)
	if err != nil && ctx.Err() == nil {
		return append(lines, one(Fail, "history", "", "%s", human.OneLine(err))...)
	}
	how := "whole history"
	if shallow {
		how = "shallow clone"
	}
	base, err := repository.DefaultBase(ctx)
	var failed *git.Error
	switch {
	case ctx.Err() != nil:
		return append(lines, one(Warn, "history", "", "what changes are compared with was not clear within %s", patience)...)
	case err == nil:
		return append(lines, one(OK, "history", "", "%s; changes are compared with %s", how, human.Revision(base))...)
	case errors.Is(err, git.ErrNothingToCompare):
		return append(lines, one(OK, "history", "", "%s; HEAD is on the default branch, and nothing changed: name what to compare with, such as --base HEAD^", how)...)
	case errors.As(err, &failed):
		return append(lines, one(Warn, "history", failed.Remedy, "%s; %s", how, failed.Msg)...)
	}
	return append(lines, one(Warn, "history", "pass --base REV", "%s; %s", how, human.OneLine(err))...)
}

// holds reports whether a file lies in the checkout.
func (d *doctor) holds(file string) bool { return filepath.IsLocal(d.relative(file)) }

// relative is a file as seen from the checkout.
func (d *doctor) relative(file string) string {
	if below, err := filepath.Rel(files.Resolve(d.compilers.Repository), files.Resolve(file)); err == nil {
		return filepath.ToSlash(below)
	}
	return file
}

// maxShown bounds the projects with a line of their own; arbitrary.
const maxShown = 4

// projects are the projects, and the state of their builds.
func (d *doctor) projects(context.Context) []Line {
	if d.repository == nil {
		if d.wrong != nil && exit.Code(d.wrong, exit.Failure) == exit.Input {
			return one(Warn, "project", "", "%s", human.OneLine(d.wrong)) // a run has other bounds than a workflow
		}
		return one(Fail, "project", "", "%s", human.OneLine(d.wrong))
	}
	var lines []Line
	list := d.repository.Projects
	for i := range list[:min(len(list), maxShown)] {
		lines = append(lines, d.project(&list[i]))
	}
	if n := len(list) - maxShown; n > 0 {
		lines = append(lines, one(OK, "project", "", "%d more", n)...)
	}
	return lines
}

// project is one project.
func (d *doctor) project(p *setup.Project) Line {
	at := filepath.Join(d.repository.Top, filepath.FromSlash(p.Folder))
	has := fmt.Sprintf("no build in %s", p.Build)
	if info, err := os.Stat(filepath.Join(d.repository.Top, filepath.FromSlash(p.Build))); err == nil && info.IsDir() {
		has = "a build in " + p.Build
	}
	text := fmt.Sprintf("%s: %s", p.Folder, p.Describe())
	switch p.Tool {
	case "":
		return Line{OK, "project", text, ""}
	case settings.ToolFoundry:
		return Line{OK, "project", text + "; " + has + ", which a run does not need", ""}
	}
	program := strings.ToLower(p.Tool)
	if _, err := os.Stat(filepath.Join(at, "node_modules", ".bin", program)); err == nil || strings.HasPrefix(has, "a build") {
		return Line{OK, "project", text + "; " + has, ""}
	}
	command := p.Packages.Command()
	if command == "" {
		command = "npm install"
	}
	return Line{Warn, "project", fmt.Sprintf("%s; %s, and %s is not installed: solc alone compiles the sources", text, has, program), fmt.Sprintf("run `%s`", command)}
}

// settings are the configuration and the workflow.
func (d *doctor) settings(context.Context) []Line {
	for _, name := range config.Files {
		file := filepath.Join(d.root, filepath.FromSlash(name))
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		data, err := files.ReadRegular(file, config.MaxFile)
		if err != nil {
			return one(Fail, "settings", "", "%s: %v", name, files.Plain(err))
		}
		if found := config.Faults(d.root, name, data); len(found) > 0 {
			return one(Fail, "settings", "sightline init --check lists them all", "%s:%d: %s", name, found[0].Line, found[0].Text)
		}
		return one(OK, "settings", "", "%s", name)
	}
	return one(OK, "settings", "", "none, so that the defaults hold; sightline init writes a file and a workflow")
}

// output is the folder of the report.
func (d *doctor) output(context.Context) []Line {
	return writable("output", d.o.Out, "name another folder with --out")
}

// cache is the folder of compilers' answers.
func (d *doctor) cache(context.Context) []Line {
	folder := files.Cache("builds")
	if folder == "" {
		return one(Warn, "cache", "set HOME or XDG_CACHE_HOME", "the system has no cache folder: every run compiles anew")
	}
	if inside, err := filepath.Rel(d.compilers.Repository, folder); err == nil && filepath.IsLocal(inside) {
		return one(Warn, "cache", "set XDG_CACHE_HOME to a folder elsewhere", "%s is in the repository, so that it is not used", folder)
	}
	lines := writable("cache", folder, "set XDG_CACHE_HOME to a folder that can be written; until then, every run compiles anew")
	if lines[0].Status == Fail {
		lines[0].Status = Warn
	}
	return lines
}

// probe is a file that is written and removed to find out whether a folder can be written.
const probe = ".sightline-probe"

// writable tries to write in a folder, or in the nearest one above that is there.
func writable(what, folder, remedy string) []Line {
	at, err := filepath.Abs(folder)
	for err == nil {
		var info os.FileInfo
		if info, err = os.Lstat(at); err == nil {
			if info.Mode()&os.ModeSymlink != 0 && what == "output" {
				err = errors.New("it is a symbolic link")
			}
			break
		}
		if !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at, err = filepath.Dir(at), nil
	}
	if err == nil {
		err = try(at)
	}
	if err != nil {
		return one(Fail, what, remedy, "%s cannot be written: %v", folder, files.Plain(err))
	}
	return one(OK, what, "", "%s can be written", path.Clean(filepath.ToSlash(folder)))
}

// try writes a file in a folder, and removes it.
func try(at string) error {
	folder, err := files.OpenFolder(at, false)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := atomicfile.WriteIn(folder, probe, nil); err != nil {
		return err
	}
	return folder.Remove(probe)
}
