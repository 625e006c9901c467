package solidity

import "slices"

// Contracts lists the names of the contracts and libraries that a source declares, as written:
// for sources that need not compile. Interfaces are not among them.
func Contracts(source []byte) []string {
	var names []string
	s := Scanner{Text: string(source), line: 1}
	depth := 0
	for s.Next() {
		switch {
		case s.IsString:
		case s.Token == "{":
			depth++
		case s.Token == "}":
			depth--
		case depth == 0 && (s.Token == "contract" || s.Token == "library"):
			if s.Next() && !s.IsString && !slices.Contains(names, s.Token) {
				names = append(names, s.Token)
			}
		}
	}
	return names
}
