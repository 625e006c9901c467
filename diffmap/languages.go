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
		return notCompiled("Vyper", "*.vy*")
	case ".huff":
		return notCompiled("Huff", "*.huff")
	case ".fe":
		return notCompiled("Fe", "*.fe")
	}
	return ""
}

// notCompiled says why files of a language are not mapped, and how a project that has such files leaves them out.
func notCompiled(language, files string) string {
	return language + " source: only what solc compiles can be mapped yet; `ignore: [\"" + files + "\"]` in sightline.yml leaves such files out"
}
