package unified

import "strings"

// A declaration that occurs, token for token, in the same contract of both
// versions has not changed, wherever it stands now and whatever lines the diff
// shows of it. This is the only kind of move that counts as no change: the order
// of statements inside a function is behavior (a state update moved behind an
// external call is the classic re-entrancy bug), and so is the order of state
// variables, which is their storage layout.

// declaration is a range of code tokens [from, to) directly inside a file or a
// contract.
type declaration struct {
	container string // name of the contract; "" for the file
	from, to  int
}

// declarations lists the declarations of a Solidity file that may move. Broken
// nesting ends the list early; it cannot invent one.
func (s *source) declarations() []declaration {
	var list []declaration
	container, opened := "", 0 // the contract we are in and its first token
	depth := 0                 // of braces, counted inside the current declaration
	parens := 0
	start := 0
	for i := range s.code {
		switch s.tokenText(i) {
		case "(", "[":
			parens++
		case ")", "]":
			parens--
		case "{":
			if name, ok := s.containerName(start, i); ok && depth == 0 && parens == 0 && container == "" {
				container, opened, start = name, start, i+1
				continue
			}
			depth++
		case "}":
			if depth == 0 { // the end of the contract, itself a declaration of the file
				list = append(list, declaration{"", opened, i + 1})
				container, opened, start, parens = "", i+1, i+1, 0
				continue
			}
			if depth--; depth == 0 && parens == 0 {
				list = append(list, declaration{container, start, i + 1})
				start = i + 1
			}
		case ";":
			if depth == 0 && parens == 0 {
				if s.orderFree(start, i) {
					list = append(list, declaration{container, start, i + 1})
				}
				start = i + 1
			}
		}
	}
	return list
}

// containerName returns the name of the contract, interface or library whose
// header is the tokens [from, brace).
func (s *source) containerName(from, brace int) (string, bool) {
	if from < brace && s.tokenText(from) == "abstract" {
		from++
	}
	if from+1 >= brace {
		return "", false
	}
	switch s.tokenText(from) {
	case "contract", "interface", "library":
		return s.tokenText(from + 1), true
	}
	return "", false
}

// orderFree reports whether a declaration that ends with ";" means the same
// anywhere in its contract. State variables do not.
func (s *source) orderFree(from, to int) bool {
	if from >= to {
		return false
	}
	switch s.tokenText(from) {
	case "event", "error", "function":
		return true
	}
	for i := from; i < to; i++ {
		switch s.tokenText(i) {
		case "constant":
			return true
		case "=", "(":
			return false
		}
	}
	return false
}

// key identifies a declaration by its contract and tokens.
func (s *source) key(d declaration) string {
	var b strings.Builder
	b.WriteString(d.container)
	for i := d.from; i < d.to; i++ {
		b.WriteByte(0)
		b.Write(s.text[s.code[i].Start:s.code[i].End])
	}
	return b.String()
}

// unmoved marks, on each side, the code tokens of declarations that both sides
// have, and tells which old token is which of the head.
func unmoved(old, head *source) (oldKept, headKept []bool, origin []int) {
	oldKept, headKept, origin = make([]bool, len(old.code)), make([]bool, len(head.code)), make([]int, len(head.code))
	places := map[string][]declaration{}
	for _, d := range old.declarations() {
		k := old.key(d)
		places[k] = append(places[k], d)
	}
	for _, d := range head.declarations() {
		k := head.key(d)
		if len(places[k]) == 0 {
			continue
		}
		was := places[k][0]
		places[k] = places[k][1:]
		for i := was.from; i < was.to; i++ {
			oldKept[i] = true
		}
		for i := d.from; i < d.to; i++ {
			headKept[i], origin[i] = true, was.from+i-d.from
		}
	}
	return oldKept, headKept, origin
}
