package solidity

import "path"

// IsSource reports whether a file is a source of solc's, by its name: Solidity and Yul.
func IsSource(file string) bool {
	ext := path.Ext(file)
	return ext == ".sol" || ext == ".yul"
}
