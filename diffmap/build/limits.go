package build

// Limits bound what is read: build output, sources and a compiler's answer are
// untrusted. A zero field means its default.
type Limits struct {
	// FileBytes bounds one file. The build-info of the largest public projects
	// has some 100 MB; the default is 256 MiB.
	FileBytes int64
	// Files bounds how many files of a folder are read. The default of 2,000 is
	// arbitrary: far above any project's number of build-infos or sources.
	Files int
	// Depth bounds how deep AST nodes nest. solc's own parser stops at 1,200
	// nested constructs, but a chain of operators nests further without them;
	// the default is 4,000.
	Depth int
	// OutputBytes bounds what a compiler may write. The default is that of
	// FileBytes.
	OutputBytes int64
}

func (l Limits) withDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 256 << 20
	}
	if l.Files <= 0 {
		l.Files = 2000
	}
	if l.Depth <= 0 {
		l.Depth = 4000
	}
	if l.OutputBytes <= 0 {
		l.OutputBytes = l.FileBytes
	}
	return l
}
