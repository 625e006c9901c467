package unified

import (
	"strings"
)

// extended holds the extended headers of a "diff --git" section (git-diff(1),
// "Generating patch text with -p"). Empty strings mean that a header is absent.
type extended struct {
	oldName, newName       string // of the "diff --git" line, with prefixes
	oldMode, newMode       string // "old mode", "new mode"
	newFileMode            string
	deletedFileMode        string
	renameFrom, renameTo   string
	copyFrom, copyTo       string
	similarity             string // "100%"
	indexOld, indexNew     string
	indexMode              string
	binaryPatch, binaryRow bool // "GIT binary patch", "Binary files … differ"
}

// extendedHeaders lists how the headers of a git section begin.
var extendedHeaders = []string{
	"old mode ", "new mode ", "deleted file mode ", "new file mode ",
	"copy from ", "copy to ", "rename from ", "rename to ",
	"similarity index ", "dissimilarity index ", "index ",
	"Binary files ", "GIT binary patch",
}

func isExtendedHeader(line string) bool {
	for _, prefix := range extendedHeaders {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// parseExtended reads the headers of a git section.
func parseExtended(sec *section) (x extended, err error) {
	names, _ := strings.CutPrefix(sec.header[0], "diff --git ")
	var ok bool
	if x.oldName, x.newName, ok = splitGitNames(names); !ok {
		return x, errorf(sec.line-1, remedyWhole, "the file names in %s are malformed", quoteShort(sec.header[0]))
	}
	for i, line := range sec.header[1:] {
		if !x.set(line) {
			return x, errorf(sec.line+i, remedyWhole, "the header %s is malformed or repeated", quoteShort(line))
		}
	}
	for _, pair := range [][2]string{{x.oldMode, x.newMode}, {x.renameFrom, x.renameTo}, {x.copyFrom, x.copyTo}} {
		if (pair[0] == "") != (pair[1] == "") {
			return x, errorf(sec.line-1, remedyWhole, "a file header is cut short")
		}
	}
	kinds := btoi(x.newFileMode != "") + btoi(x.deletedFileMode != "") + btoi(x.renameFrom != "") + btoi(x.copyFrom != "")
	if kinds > 1 {
		return x, errorf(sec.line-1, remedyWhole, "a file header contradicts itself")
	}
	return x, nil
}

// set stores one header line; false means that it is malformed or came twice.
func (x *extended) set(line string) bool {
	fields := []struct {
		prefix string
		value  *string
		name   bool // a file name, perhaps quoted
	}{
		{"old mode ", &x.oldMode, false},
		{"new mode ", &x.newMode, false},
		{"new file mode ", &x.newFileMode, false},
		{"deleted file mode ", &x.deletedFileMode, false},
		{"rename from ", &x.renameFrom, true},
		{"rename to ", &x.renameTo, true},
		{"copy from ", &x.copyFrom, true},
		{"copy to ", &x.copyTo, true},
		{"similarity index ", &x.similarity, false},
	}
	for _, f := range fields {
		value, ok := strings.CutPrefix(line, f.prefix)
		if !ok {
			continue
		}
		if *f.value != "" {
			return false
		}
		*f.value = value
		if f.name {
			*f.value, ok = unquoteWhole(value)
		} else if strings.HasSuffix(f.prefix, "mode ") {
			ok = isMode(value)
		}
		return ok && *f.value != ""
	}
	switch {
	case strings.HasPrefix(line, "index "):
		return x.setIndex(line[len("index "):])
	case line == "GIT binary patch":
		x.binaryPatch = true
	case strings.HasPrefix(line, "Binary files "):
		x.binaryRow = true
	}
	return true
}

// setIndex reads "<id>..<id>" with an optional mode.
func (x *extended) setIndex(value string) bool {
	ids, mode, _ := strings.Cut(value, " ")
	from, to, ok := strings.Cut(ids, "..")
	if !ok || x.indexOld != "" || !isObjectID(from) || !isObjectID(to) || mode != "" && !isMode(mode) {
		return false
	}
	x.indexOld, x.indexNew, x.indexMode = from, to, mode
	return true
}

// isMode reports whether text is a file mode: six octal digits.
func isMode(text string) bool {
	return len(text) == 6 && strings.Trim(text, "01234567") == ""
}

// isObjectID reports whether text is an object id, abbreviated or not; 64 digits
// are a SHA-256 id.
func isObjectID(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// Ids of the empty blob in SHA-1 and SHA-256 repositories: an added or deleted
// file without hunks must have one of them.
const (
	emptyBlobSHA1   = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	emptyBlobSHA256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
)

func isEmptyBlob(id string) bool {
	return id != "" && (strings.HasPrefix(emptyBlobSHA1, id) || strings.HasPrefix(emptyBlobSHA256, id))
}

// mayLackHunks reports whether the headers alone account for the whole change.
// A section that has no hunks and should have some was cut off.
func (x *extended) mayLackHunks() bool {
	switch {
	case x.binaryPatch || x.binaryRow:
		return true
	case x.newFileMode != "":
		return isEmptyBlob(x.indexNew)
	case x.deletedFileMode != "":
		return isEmptyBlob(x.indexOld)
	case x.indexOld != x.indexNew:
		return false
	case x.renameFrom != "" || x.copyFrom != "":
		return x.similarity == "100%"
	}
	return x.oldMode != ""
}

// Git's file modes of objects that are not regular files.
const (
	modeSymlink   = "120000"
	modeSubmodule = "160000"
)

// mode returns the mode of the head side, or of the base side of a deleted file.
func (x *extended) mode() string {
	for _, m := range []string{x.newFileMode, x.deletedFileMode, x.newMode, x.indexMode} {
		if m != "" {
			return m
		}
	}
	return ""
}

// gitFile makes the File of a git section, without its edits.
func gitFile(sec *section) (File, error) {
	x, err := parseExtended(sec)
	if err != nil {
		return File{}, err
	}
	if len(sec.hunks) == 0 && !x.mayLackHunks() {
		return File{}, errorf(sec.line-1, remedyWhole, "the file %s has no hunk", quoteShort(x.newName))
	}
	if err := checkNamed(sec, &x); err != nil {
		return File{}, err
	}
	f := File{Status: Modified, Binary: sec.binary}
	f.OldPath, f.NewPath = stripGitPrefixes(x.oldName, x.newName)
	switch {
	case x.newFileMode != "":
		f.Status, f.OldPath = Added, ""
	case x.deletedFileMode != "":
		f.Status, f.NewPath = Deleted, ""
	case x.renameFrom != "":
		f.Status, f.OldPath, f.NewPath = Renamed, x.renameFrom, x.renameTo
	case x.copyFrom != "":
		f.Status, f.OldPath, f.NewPath = Copied, x.copyFrom, x.copyTo
	}
	f.Symlink = x.mode() == modeSymlink
	f.Submodule = x.mode() == modeSubmodule
	f.ModeOnly = x.oldMode != "" && f.Status == Modified && !f.Binary && len(sec.hunks) == 0
	return f, nil
}

// checkNamed checks the "---" and "+++" lines against the other headers.
// Without renames the former also settle how to split the "diff --git" line.
func checkNamed(sec *section, x *extended) error {
	if !sec.named {
		return nil
	}
	from, to, err := namedSides(sec)
	if err != nil {
		return err
	}
	fromOK, toOK := from.name == x.oldName, to.name == x.newName
	if x.newFileMode != "" {
		fromOK = from.name == devNull
	}
	if x.deletedFileMode != "" {
		toOK = to.name == devNull
	}
	if x.renameFrom != "" || x.copyFrom != "" {
		// The split of the "diff --git" line is a guess when names differ; the
		// rename headers are exact, but without the prefix.
		fromOK = endsWithPath(from.name, x.renameFrom+x.copyFrom)
		toOK = endsWithPath(to.name, x.renameTo+x.copyTo)
	}
	if !fromOK || !toOK {
		// A pair of names with spaces may have been split at the wrong place.
		if sec.header[0] != "diff --git "+from.name+" "+to.name {
			return errorf(sec.line-1, remedyWhole, "the headers of the file %s contradict each other", quoteShort(to.name))
		}
		x.oldName, x.newName = from.name, to.name
	}
	return nil
}

// endsWithPath reports whether name is path, or path behind a prefix.
func endsWithPath(name, path string) bool { return strings.HasSuffix(name, path) }

// namedSides reads the "---" and "+++" lines of a section.
func namedSides(sec *section) (from, to headerName, err error) {
	from, ok1 := parseHeaderName(sec.oldHeader)
	to, ok2 := parseHeaderName(sec.newHeader)
	if !ok1 || !ok2 || from.absent && to.absent {
		return from, to, errorf(sec.line-1, remedyWhole, "the file names %s and %s are malformed",
			quoteShort(sec.oldHeader), quoteShort(sec.newHeader))
	}
	return from, to, nil
}

// plainFile makes the File of a section that diff -u wrote, without its edits.
// prefixed says whether the one name of an added or deleted file has a prefix.
func plainFile(sec *section, prefixed bool) (File, error) {
	if !sec.named {
		return plainBinary(sec)
	}
	from, to, err := namedSides(sec)
	if err != nil {
		return File{}, err
	}
	f := File{Status: Modified}
	f.OldPath, f.NewPath = stripGitPrefixes(from.name, to.name)
	first := sec.hunks[0]
	switch {
	case from.absent && first.oldCount == 0:
		f.Status, f.OldPath, f.NewPath = Added, "", stripIf(prefixed, to.name)
	case to.absent && first.newCount == 0:
		f.Status, f.OldPath, f.NewPath = Deleted, stripIf(prefixed, from.name), ""
	case from.name == devNull || to.name == devNull:
		return File{}, errorf(sec.line-1, remedyWhole, "a file named %s has lines", devNull)
	}
	return f, nil
}

func stripIf(prefixed bool, name string) string {
	if prefixed && hasGitPrefix(name) {
		return name[2:]
	}
	return name
}

// plainBinary makes the File of a "Binary files A and B differ" line.
func plainBinary(sec *section) (File, error) {
	text := strings.TrimSuffix(strings.TrimPrefix(sec.header[0], "Binary files "), " differ")
	from, to, ok := strings.Cut(text, " and ")
	if !ok || from == "" || to == "" {
		return File{}, errorf(sec.line-1, remedyPlain, "the file names in %s are malformed", quoteShort(sec.header[0]))
	}
	f := File{Status: Modified, Binary: true}
	f.OldPath, f.NewPath = stripGitPrefixes(from, to)
	switch {
	case from == devNull:
		f.Status, f.OldPath, f.NewPath = Added, "", stripIf(true, to)
	case to == devNull:
		f.Status, f.OldPath, f.NewPath = Deleted, stripIf(true, from), ""
	}
	return f, nil
}

// submoduleLine is a "Submodule PATH A..B" line of git diff --submodule=log.
type submoduleLine struct {
	path     string
	from, to string // object ids, zeros when the submodule is new or gone
}

// parseSubmoduleLine reads "Submodule PATH A..B:", with three dots for a rewind
// and perhaps a remark in parentheses.
func parseSubmoduleLine(line string) (s submoduleLine, ok bool) {
	rest, _ := strings.CutPrefix(line, "Submodule ")
	if i := strings.Index(rest, " ("); i > 0 {
		rest = rest[:i]
	}
	i := strings.LastIndexByte(rest, ' ')
	if i <= 0 {
		return s, false
	}
	from, to, ok := strings.Cut(strings.TrimSuffix(rest[i+1:], ":"), "..")
	s = submoduleLine{path: rest[:i], from: from, to: strings.TrimPrefix(to, ".")}
	// Seven digits are git's shortest default abbreviation; text of a commit
	// message rarely looks like that.
	return s, ok && len(s.from) >= 7 && isObjectID(s.from) && isObjectID(s.to)
}

// subprojectCommit is what git shows as the content of a submodule, in front of
// its commit.
const subprojectCommit = "Subproject commit "

// submoduleFile makes the File of such a line.
func submoduleFile(s *submoduleLine) File {
	f := File{OldPath: s.path, NewPath: s.path, Status: Modified, Submodule: true}
	edit := Edit{OldStart: 1, NewStart: 1, Old: []string{subprojectCommit + s.from}, New: []string{subprojectCommit + s.to}}
	switch {
	case strings.Trim(s.from, "0") == "":
		f.Status, f.OldPath, edit.Old = Added, "", nil
	case strings.Trim(s.to, "0") == "":
		f.Status, f.NewPath, edit.New = Deleted, "", nil
	}
	f.Edits = []Edit{edit}
	return f
}
