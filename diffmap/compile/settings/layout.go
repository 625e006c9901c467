package settings

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Layout says where a Foundry project has its sources, and which of them forge leaves out.
// Folders are relative to the project's root, with slashes.
type Layout struct {
	Source, Test, Script string
	Libs                 []string
	Skip                 []string // patterns as forge's setting skip has them, see [Layout.Skips]
}

// FoundryLayout is the layout of the Foundry project at root. Without a foundry.toml it is
// forge's default. When the file is there but is refused, it returns the default and the error.
func FoundryLayout(root string, getenv func(string) string) (Layout, error) {
	profile, err := foundryProfile(root, getenv)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	folder := func(key, otherwise string) string {
		if given := profile.texts(key); len(given) == 1 && filepath.IsLocal(given[0]) {
			return path.Clean(filepath.ToSlash(given[0]))
		}
		return otherwise
	}
	exists := func(name string) bool { return reading.IsFolder(filepath.Join(root, name)) }
	l := Layout{Source: folder("src", ""), Test: folder("test", "test"), Script: folder("script", "script"), Skip: profile.texts("skip")}
	if l.Source == "" {
		// As forge guesses (foundry-compilers, ProjectPathsConfig::find_source_dir).
		if l.Source = "src"; !exists("src") && exists("contracts") {
			l.Source = "contracts"
		}
	}
	for _, lib := range profile.texts("libs") {
		if filepath.IsLocal(lib) {
			l.Libs = append(l.Libs, path.Clean(filepath.ToSlash(lib)))
		}
	}
	if _, given := profile["libs"]; !given {
		if l.Libs = []string{"lib"}; !exists("lib") && exists("node_modules") {
			l.Libs = []string{"node_modules"}
		}
	}
	return l, err
}

// Folders are those that hold what forge compiles, without those below another one.
func (l Layout) Folders() []string {
	var folders []string
	for _, folder := range []string{l.Source, l.Test, l.Script} {
		if !slices.ContainsFunc(folders, func(other string) bool { return within(folder, other) }) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// IsTest reports whether a source, by its path relative to the root, is one of the project's
// tests or what only they use.
func (l Layout) IsTest(file string) bool {
	return strings.HasSuffix(file, ".t.sol") || within(file, l.Test) && l.Test != "." && !within(l.Source, l.Test)
}

// IsScript reports likewise for deploy scripts.
func (l Layout) IsScript(file string) bool {
	return strings.HasSuffix(file, ".s.sol") || within(file, l.Script) && l.Script != "." && !within(l.Source, l.Script)
}

// IsLibrary reports whether a file is a dependency's.
func (l Layout) IsLibrary(file string) bool {
	return slices.ContainsFunc(l.Libs, func(lib string) bool { return within(file, lib) })
}

// within reports whether a path is that of a folder or below it.
func within(file, folder string) bool {
	return folder == "." || file == folder || strings.HasPrefix(file, folder+"/")
}

// Skips reports whether forge leaves out a source, by its path relative to the root, unless
// another one imports it. As forge has it (SkipBuildFilter, GlobMatcher), "test" and "script"
// mean the sources called so, and any other pattern is a glob, whose "*" matches slashes as
// well, or a part of the file's name.
func (l Layout) Skips(file string) bool {
	return slices.ContainsFunc(l.Skip, func(pattern string) bool {
		switch pattern {
		case "test", "tests":
			return strings.HasSuffix(file, ".t.sol")
		case "script", "scripts":
			return strings.HasSuffix(file, ".s.sol")
		}
		return strings.Contains(path.Base(file), pattern) || globs(strings.TrimPrefix(pattern, "./"), file)
	})
}

// globs matches a path with a pattern of Rust's globset: "**/" is any folders, "*" and "?" match
// slashes, and there are "[a-z]", "[!a]" and "{a,b}".
func globs(pattern, file string) bool {
	var text strings.Builder
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/") && (i == 0 || pattern[i-1] == '/'):
			text.WriteString("(?:.*/)?")
			i += len("**/") - 1
		case c == '*':
			text.WriteString(".*")
		case c == '?':
			text.WriteString(".")
		case c == '[' && strings.IndexByte(pattern[i:], ']') > 0:
			end := i + strings.IndexByte(pattern[i:], ']')
			text.WriteString("[" + strings.Replace(pattern[i+1:end], "!", "^", 1) + "]")
			i = end
		case c == '{':
			depth++
			text.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			text.WriteString(")")
		case c == ',' && depth > 0:
			text.WriteString("|")
		default:
			text.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	expression, err := regexp.Compile("^(?:" + text.String() + ")$")
	return err == nil && expression.MatchString(file)
}
