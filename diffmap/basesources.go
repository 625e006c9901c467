package diffmap

import (
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// BaseSources are the sources of the base version that a diff changes, by the
// names that a compiler has for them.
type BaseSources struct {
	Texts map[string][]byte // nil for a source that the base does not have
	// Others are base versions of what the head's build does not hold. They are
	// part of the base's if what is imports them.
	Others  map[string][]byte
	Renamed map[string]string // the head's name by the base's, where they differ
}

// Any reports whether the base has any of the sources: where a diff only adds some,
// nothing that was there before can have changed.
func (b *BaseSources) Any() bool {
	for _, text := range b.Texts {
		if text != nil {
			return true
		}
	}
	return false
}

// Reader reads the base's sources by name: those that the diff changes as the
// base has them, others with read.
func (b *BaseSources) Reader(read func(name string) ([]byte, error)) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := b.Others[name]; ok {
			return text, nil
		}
		return read(name)
	}
}

// BaseTexts gives the base version of what the diff changes in an output. Texts
// come from the diff and the head's texts (options.Heads).
func BaseTexts(diff *unified.Diff, output *compile.Output, options Options) (*BaseSources, error) {
	base := &BaseSources{Texts: map[string][]byte{}, Others: map[string][]byte{}, Renamed: map[string]string{}}
	for i := range diff.Files {
		f := &diff.Files[i]
		if !solidity.IsSource(f.Path()) || f.Submodule || f.Symlink || f.ModeOnly {
			continue
		}
		head := ""
		if f.NewPath != "" {
			if s, _ := matchSource(output, f.NewPath, options); s != nil {
				head = s.Path
				base.Texts[head] = nil
			}
		}
		if f.OldPath == "" {
			continue
		}
		name := baseName(f, head, output, options)
		if name == "" {
			continue // not part of the build: a test, another project
		}
		text, err := f.OldText(options.Heads[f.NewPath])
		if err != nil {
			return nil, err
		}
		renamed := head != "" && head != name && f.Status == unified.Renamed
		held := slices.ContainsFunc(output.Sources, func(s *compile.Source) bool { return s.Path == name })
		if !held && !renamed { // a name that the head has for another file now is the base's own as well
			base.Others[name] = text
			continue
		}
		base.Texts[name] = text
		if renamed {
			base.Renamed[name] = head
		}
	}
	return base, nil
}

// baseName is what the compiler calls the base version of a file; empty when it
// is not part of the build.
func baseName(f *unified.File, head string, output *compile.Output, options Options) string {
	if head != "" && f.OldPath == f.NewPath {
		return head
	}
	if head != "" { // renamed: as the new name is made of the new path
		if rest, ok := strings.CutSuffix(head, unified.CleanPath(f.NewPath)); ok {
			return rest + unified.CleanPath(f.OldPath)
		}
	}
	if !options.owns(output, f.OldPath) {
		return ""
	}
	inProject, _ := inFolder(f.OldPath, options.rootOf(output))
	names := namesOf(f.OldPath, output, options)
	prefix := commonPrefix(output, options)
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (prefix != "" || rest == inProject) {
			return name
		}
	}
	return ""
}

// commonPrefix is what Hardhat 3 puts before the project's own sources; empty in
// other builds.
func commonPrefix(output *compile.Output, options Options) string {
	const own = "project/"
	if slices.ContainsFunc(output.Sources, func(s *compile.Source) bool { return strings.HasPrefix(s.Path, own) }) &&
		!strings.HasPrefix(options.rootOf(output)+"/", own) {
		return own
	}
	return ""
}

// settingsFiles decide how a project is compiled, or what its imports mean.
// What .gitmodules and foundry.lock say of submodules shows in the diff itself.
var settingsFiles = []string{
	"foundry.toml", "soldeer.lock", "remappings.txt",
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
	"truffle-config.js", "truffle.js", "ape-config.yaml", "brownie-config.yaml",
}

// IsSettings reports whether a file decides how a project is compiled or what its imports mean.
func IsSettings(file string) bool {
	base := path.Base(unified.CleanPath(file))
	return slices.Contains(settingsFiles, base) || strings.HasPrefix(base, "hardhat.config.")
}

// ChangedSettings lists a diff's files that decide how a project is compiled or what
// its imports mean, submodules not among them: with such a change the head's settings
// and dependencies may not be the base's.
func ChangedSettings(d *unified.Diff) []*unified.File {
	var changed []*unified.File
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Submodule && IsSettings(f.Path()) {
			changed = append(changed, f)
		}
	}
	return changed
}
