package compile

import (
	"encoding/hex"
	"slices"
)

// Bounds of the texts that are kept of one source. Arbitrary: a source has some tens.
const (
	maxTexts      = 512
	maxTextLength = 256 // bytes; longer ones are data, not something to compare with
)

// textsOf lists the string and byte literals of a source, each once, in its order. The
// messages of require and revert are not among them: code does not compare with them.
func textsOf(source *Source) []string {
	var texts []string
	seen := map[string]bool{}
	source.AST.Walk(func(n *Node) bool {
		if n.Type != "Literal" {
			return n.Type != "ImportDirective" && n.Type != "PragmaDirective"
		}
		text, ok := literalText(n)
		if ok && !isMessage(n) && !seen[text] && len(texts) < maxTexts {
			seen[text] = true
			texts = append(texts, text)
		}
		return false
	})
	return texts
}

// literalText is the content of a string or byte literal.
func literalText(n *Node) (string, bool) {
	if !slices.Contains([]string{"string", "hexString", "unicodeString"}, n.Attribute("kind")) {
		return "", false
	}
	content, err := hex.DecodeString(n.Attribute("hexValue"))
	return string(content), err == nil && len(content) > 0 && len(content) <= maxTextLength
}

// isMessage reports whether a literal is an argument of require or revert itself.
func isMessage(n *Node) bool {
	if n.Parent == nil || n.Parent.Type != "FunctionCall" || n.Role != "arguments" {
		return false
	}
	called := n.Parent.Child("expression")
	return called != nil && called.Type == "Identifier" && slices.Contains([]string{"require", "revert"}, called.Attribute("name"))
}

// giveTexts gives every contract the texts of its own source, then those of its
// bases' sources.
func (o *Output) giveTexts(all declarations) {
	known := map[string][]string{}
	for _, s := range o.Sources {
		if s.AST != nil {
			known[s.Path] = textsOf(s)
		}
	}
	for _, c := range o.Contracts {
		declaration := all.contracts[contractName{c.Source, c.Name}]
		if declaration == nil {
			continue
		}
		seen := map[string]bool{}
		for _, path := range all.linearizedSources(declaration) {
			for _, text := range known[path] {
				if !seen[text] && len(c.Texts) < maxTexts {
					seen[text] = true
					c.Texts = append(c.Texts, text)
				}
			}
		}
	}
}
