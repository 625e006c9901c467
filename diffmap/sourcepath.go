package diffmap

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// match is what the builds hold of one changed file.
type match struct {
	sources map[*compile.Output]*compile.Source // those with the head version's text
	reason  string                              // why there are none
	// unmapped says of a source that is there why no source map refers to it.
	unmapped string
}

// matchSources finds a changed file, by its path in the repository, in every
// output. It fails when the file is there, but only in other versions.
func matchSources(outputs []*compile.Output, file string, options Options) (match, error) {
	m := match{sources: map[*compile.Output]*compile.Source{}}
	var stale *StaleError
	for _, output := range outputs {
		source, reason := matchSource(output, file, options)
		switch {
		case source == nil:
			if m.reason == "" {
				m.reason = reason
			}
		case differs(source, options.Heads[file]):
			if stale == nil {
				stale = &StaleError{Path: file, Source: source.Path, Origin: output.Origin}
			}
		case source.Unmapped != "":
			m.unmapped = source.Unmapped
		case source.AST == nil || source.Text == nil && options.Heads[file] == nil:
			m.reason = fmt.Sprintf("the build has no AST or no text of %s", source.Path)
		default:
			m.sources[output] = source
		}
	}
	if len(m.sources) == 0 && stale != nil {
		return m, stale
	}
	if why := options.withoutBuild(file); why != "" && len(m.sources) == 0 {
		m.reason = why
	}
	if m.reason == "" {
		m.reason = "no build was given"
	}
	return m, nil
}

// withoutBuild says why no build can hold a file: its project has none, or it is
// in none of several. Empty where neither is so.
func (o Options) withoutBuild(file string) string {
	if len(o.Projects) == 0 {
		return ""
	}
	rest, below := inFolder(file, o.Root)
	owner, found := compile.Owner(o.Projects, rest)
	switch {
	case below && found && o.Problems[owner] != "":
		return o.Problems[owner]
	case !below || !found:
		return fmt.Sprintf("in none of the projects (%s), and none of them imports it", severalOf(o.Projects, 5))
	}
	return ""
}

// Problem says why the project that a file of the repository belongs to has no build; empty
// where it has one, or no project holds the file.
func (o Options) Problem(file string) string {
	rest, below := inFolder(file, o.Root)
	owner, found := compile.Owner(o.Projects, rest)
	if !below || !found {
		return ""
	}
	return o.Problems[owner]
}

// Held reports whether one of the outputs holds a file of the repository, mapped or not.
func (o Options) Held(outputs []*compile.Output, file string) bool {
	return slices.ContainsFunc(outputs, func(output *compile.Output) bool {
		s, _ := matchSource(output, file, o)
		return s != nil
	})
}

// Source is the source of an output that a file of the repository is; nil where the output does not hold it.
func (o Options) Source(output *compile.Output, file string) *compile.Source {
	s, _ := matchSource(output, file, o)
	return s
}

// rootOf is the folder of an output's project in the repository, "." at its top.
func (o Options) rootOf(output *compile.Output) string {
	return path.Join(unified.CleanPath(o.Root), output.Folder)
}

// owns reports whether an output's project is the one whose folder a file of the
// repository lies in.
func (o Options) owns(output *compile.Output, file string) bool {
	rest, below := inFolder(file, o.rootOf(output))
	if !below || len(o.Projects) == 0 {
		return below
	}
	owner, found := compile.Owner(o.Projects, path.Join(output.Folder, rest))
	return !found || owner == path.Clean(output.Folder)
}

// inFolder is a file relative to a folder that holds it; false where it does not.
// Both are relative to the repository.
func inFolder(file, folder string) (string, bool) {
	file, folder = unified.CleanPath(file), unified.CleanPath(folder)
	if folder == "." {
		return file, true
	}
	return strings.CutPrefix(file, folder+"/")
}

// matchSource finds a changed file in one output. A source that is known to be
// another file is never meant. Ways that rest on the project's layout come first,
// each exact, then the file itself, however it is imported; what is left is the
// longest common end of both paths, which must be unique. reason says why there is
// no match.
func matchSource(output *compile.Output, file string, options Options) (source *compile.Source, reason string) {
	onDisk := path.Join(options.Checkout, unified.CleanPath(file))
	another := func(s *compile.Source) bool { return s.File != "" && options.Checkout != "" && s.File != onDisk }
	for _, name := range namesOf(file, output, options) {
		for _, s := range output.Sources {
			if unified.CleanPath(s.Path) == name && !another(s) {
				return s, ""
			}
		}
	}
	for _, s := range output.Sources {
		if s.File != "" && !another(s) {
			return s, ""
		}
	}
	return matchBySuffix(output, file, another, options)
}

// namesOf lists the names under which a compiler may know a file of the
// repository, best first.
func namesOf(file string, output *compile.Output, options Options) []string {
	file = unified.CleanPath(file)
	names := []string{file}
	if options.Checkout != "" {
		names = append(names, path.Join(options.Checkout, file))
	}
	inProject, below := inFolder(file, options.rootOf(output))
	if !below {
		return names
	}
	if inProject != file {
		names = append(names, inProject)
	}
	// What imports call "@oz/token/ERC20.sol" may lie in lib/oz/contracts.
	for _, remapping := range output.Settings.Remappings {
		prefix, target, ok := strings.Cut(remapping, "=")
		if _, after, context := strings.Cut(prefix, ":"); context {
			prefix = after
		}
		if rest, inside := strings.CutPrefix(inProject, strings.TrimPrefix(target, "./")); ok && inside && target != "" {
			names = append(names, unified.CleanPath(prefix+rest))
		}
	}
	for _, libs := range libraryFolders {
		if rest, ok := strings.CutPrefix(inProject, libs); ok {
			names = append(names, rest)
		}
	}
	if rest, ok := strings.CutPrefix(inProject, "node_modules/"); ok {
		names = append(names, "npm/"+rest)
	}
	return append(names, "project/"+inProject) // Hardhat 3 names the project's own sources so
}

// libraryFolders hold dependencies that imports name without the folder: npm's
// (Hardhat) and Foundry's default for libs.
var libraryFolders = []string{"node_modules/", "lib/"}

// matchBySuffix finds the source whose path shares the most last components
// with file, among those that are not another one. Unless the build's path ends with all of the file's, the texts must
// be known to be equal: a monorepo has many contracts/Token.sol.
func matchBySuffix(output *compile.Output, file string, another func(*compile.Source) bool, options Options) (source *compile.Source, reason string) {
	head := options.Heads[file]
	components := strings.Split(unified.CleanPath(file), "/")
	best, count, nearest := 0, 0, ""
	for _, s := range output.Sources {
		if another(s) {
			continue
		}
		shared := commonSuffix(components, strings.Split(unified.CleanPath(s.Path), "/"))
		equal := head != nil && (s.Text != nil || s.Keccak256 != nil) && !differs(s, head)
		if shared == 0 || shared < len(components) && !equal {
			if shared > 0 {
				nearest = s.Path
			}
			continue
		}
		switch {
		case shared > best:
			source, best, count = s, shared, 1
		case shared == best:
			count++
		}
	}
	switch {
	case count == 1:
		return source, ""
	case count > 1:
		return nil, fmt.Sprintf("ambiguous: %d sources of the build (%s) could be this file, such as %s; give the project's folder",
			count, output.Origin, source.Path)
	case nearest != "":
		return nil, fmt.Sprintf("not part of the build (%s); the nearest source there, %s, has another text or none", output.Origin, nearest)
	}
	return nil, fmt.Sprintf("not part of the build (%s)", output.Origin)
}

// differs reports whether a source is known to be of another text than the head
// version.
func differs(s *compile.Source, head []byte) bool { return head != nil && !s.Equals(head) }

func commonSuffix(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
