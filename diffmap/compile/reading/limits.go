package reading

import "fmt"

// Limits bound what is read: build output, sources and a compiler's answer are
// untrusted. A zero field means its default.
type Limits struct {
	// FileBytes bounds one file, and the sources of a project together. The
	// build-info of 46 contracts has 6 MB (Gnosis Safe 1.3.0); the default of
	// 256 MiB is arbitrary.
	FileBytes int64
	// ASTBytes bounds the JSON of one source's AST, which takes about ten times as much
	// memory while it is decoded. A source of 400 lines has 1 MB; the default of 32 MiB
	// is arbitrary.
	ASTBytes int64
	// FolderBytes bounds the artifacts of a folder together, which are read as one. The
	// out folder of @openzeppelin/contracts 4.9 has about 100 MB with ASTs; the default
	// of 1 GiB is arbitrary.
	FolderBytes int64
	// Files bounds how many files of a folder are read. The default of 10,000 is
	// arbitrary: a folder of artifacts holds one file for each contract.
	Files int
	// Depth bounds how deep AST nodes nest. solc's own parser stops at 1,200
	// nested constructs, but a chain of operators nests further without them;
	// the default is 4,000.
	Depth int
	// OutputBytes bounds what a compiler may write. The default is that of
	// FileBytes.
	OutputBytes int64
}

// SizeText is a number of bytes for a message.
func SizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// WithDefaults replaces zero fields by their defaults.
func (l Limits) WithDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 256 << 20
	}
	if l.ASTBytes <= 0 {
		l.ASTBytes = 32 << 20
	}
	if l.FolderBytes <= 0 {
		l.FolderBytes = 1 << 30
	}
	if l.Files <= 0 {
		l.Files = 10_000
	}
	if l.Depth <= 0 {
		l.Depth = 4000
	}
	if l.OutputBytes <= 0 {
		l.OutputBytes = l.FileBytes
	}
	return l
}
