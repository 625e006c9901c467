package diffmap

import (
	"path"
)

// otherLanguage says why lines of a file that is not Solidity are not mapped;
// empty for Solidity.
func otherLanguage(file string) string {
	switch path.Ext(file) {
	case ".yul":
		return "Yul source: none of the builds has its standard-JSON input and output"
	case ".vy", ".vyi":
		return "Vyper source: only what solc compiles can be mapped yet"
	case ".huff":
		return "Huff source: only what solc compiles can be mapped yet"
	case ".fe":
		return "Fe source: only what solc compiles can be mapped yet"
	}
	return ""
}
