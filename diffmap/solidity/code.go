package solidity

import (
	"regexp"
	"slices"
	"strings"
)

// Code lists what a source says to a compiler: its tokens, import directives first, in order of
// their text, since their own order means nothing. means says which source unit the path of an
// import stands for; nil leaves paths as they are. Comments are not part of it, but for those with
// tags beyond documentation: "@solidity memory-safe-assembly" changes what the optimizer does, and
// tools read others. Sources with equal lists have equal code, but for the hash of the source in
// its metadata. False for a source that no compiler takes.
func Code(source []byte, means func(imported string) string) (code []string, ok bool) {
	var imports, rest []string
	tokens := Tokenize(source)
	depth := 0
	for i := 0; i < len(tokens); i++ {
		word := string(source[tokens[i].Start:tokens[i].End])
		switch {
		case tokens[i].Kind == Illegal || !closed(tokens[i].Kind, word):
			return nil, false
		case tokens[i].Kind == Comment && !read(word):
			continue
		case depth == 0 && word == "import":
			directive, after := directiveOf(source, tokens, i, means)
			imports, i = append(imports, directive), after
			continue
		case word == "{":
			depth++
		case word == "}":
			depth--
		case tokens[i].Kind == String && i > 0 && tokens[i-1].End == tokens[i].Start:
			word = "+" + word // hex"00" is one literal
		}
		rest = append(rest, word)
	}
	slices.Sort(imports)
	return append(imports, rest...), true
}

// closed reports whether a string or comment has its end.
func closed(kind Kind, word string) bool {
	switch {
	case kind == String:
		return len(word) > 1 && word[len(word)-1] == word[0]
	case kind == Comment && strings.HasPrefix(word, "/*"):
		return len(word) > 3 && strings.HasSuffix(word, "*/")
	}
	return true
}

// tags are the words after "@" in a comment.
var tags = regexp.MustCompile(`@([A-Za-z][\w:-]*)`)

// documentation are NatSpec's tags (Solidity documentation, "NatSpec Format"), without custom ones.
var documentation = []string{"title", "author", "notice", "dev", "param", "return", "inheritdoc"}

// read reports whether a comment may be more than documentation.
func read(comment string) bool {
	return slices.ContainsFunc(tags.FindAllStringSubmatch(comment, -1), func(tag []string) bool { return !slices.Contains(documentation, tag[1]) })
}

// directiveOf is an import directive in one spelling, with its names in order; after is its last token.
func directiveOf(source []byte, tokens []Token, from int, means func(imported string) string) (directive string, after int) {
	var words, names []string
	braces := false
	name := ""
	for after = from; after < len(tokens); after++ {
		word := string(source[tokens[after].Start:tokens[after].End])
		switch {
		case tokens[after].Kind == Comment:
		case word == ";":
			return strings.Join(append(words, names...), "\x00"), after
		case word == "{":
			braces = true
		case braces && (word == "," || word == "}"):
			braces = word == ","
			names, name = append(names, name), ""
			slices.Sort(names)
		case braces:
			name += " " + word
		case tokens[after].Kind == String && len(word) > 1 && !strings.Contains(word, `\`):
			if word = word[1 : len(word)-1]; means != nil {
				word = means(word)
			}
			words = append(words, word)
		default:
			words = append(words, word)
		}
	}
	return strings.Join(append(words, names...), "\x00"), after
}
