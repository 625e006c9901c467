package solidity

// Declared is a contract or library that a source declares.
type Declared struct {
	Name  string
	Bases []string // that it inherits from directly, as written: "Test", "lib.Test"
}

// Contracts lists the contracts and libraries that a source declares: also for sources that do
// not compile. Interfaces are not among them.
func Contracts(source []byte) []Declared {
	var list []Declared
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
			if !s.Next() || s.IsString {
				continue
			}
			name := s.Token
			list = append(list, Declared{name, s.bases()})
			depth++
		}
	}
	return list
}

// bases reads a declaration up to its body, and returns what it inherits from.
func (s *Scanner) bases() []string {
	var bases []string
	parentheses, name := 0, ""
	add := func() {
		if name != "" && name != "is" {
			bases = append(bases, name)
		}
		name = ""
	}
	for s.Next() && (s.IsString || s.Token != "{" || parentheses > 0) {
		switch {
		case s.IsString:
		case s.Token == "(":
			parentheses++
		case s.Token == ")":
			parentheses--
		case parentheses > 0:
		case s.Token == ",":
			add()
		case name == "is":
			name = s.Token
		default:
			name += s.Token
		}
	}
	add()
	return bases
}
