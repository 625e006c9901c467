package solidity

// Item is a declaration or directive of a source: at its top level, or a member of a contract.
type Item struct {
	Kind       string // its keyword: "pragma", "function", "event" …; "variable" where it has none
	Name       string // empty where it has none
	Contract   string // that it is a member of; empty: none
	In         string // "contract", "library", "interface", also of a header; empty at the top level
	Start, End int    // half-open byte range
	Body       bool   // it has braces with something in them
}

// keywords begin items; all others declare variables.
var keywords = map[string]bool{
	"pragma": true, "import": true, "using": true, "struct": true, "enum": true, "event": true, "error": true, "type": true,
	"function": true, "constructor": true, "modifier": true, "receive": true, "fallback": true,
}

// Outline lists the items of a source, in order, also of one that does not compile. Of contracts, it has the
// headers, up to the brace, and the members.
func Outline(source []byte) []Item {
	o := outline{text: source}
	for _, t := range Tokenize(source) {
		if t.Kind != Comment {
			o.tokens = append(o.tokens, t)
		}
	}
	for o.at < len(o.tokens) {
		o.top()
	}
	return o.items
}

type outline struct {
	text   []byte
	tokens []Token
	at     int
	items  []Item
}

// word is the text of a token; empty behind the end.
func (o *outline) word(at int) string {
	if at >= len(o.tokens) {
		return ""
	}
	return string(o.text[o.tokens[at].Start:o.tokens[at].End])
}

// top reads an item of the top level, or a contract.
func (o *outline) top() {
	if o.word(o.at) == "}" || o.word(o.at) == "abstract" && o.at+1 < len(o.tokens) {
		o.at++ // a brace here is a mistake
		return
	}
	kind := o.word(o.at)
	if kind != "contract" && kind != "library" && kind != "interface" {
		o.item("", "")
		return
	}
	name := o.word(o.at + 1)
	header := Item{Kind: kind, Name: name, In: kind, Start: o.tokens[o.at].Start}
	for o.at < len(o.tokens) && o.word(o.at) != "{" {
		header.End = o.tokens[o.at].End
		o.at++
	}
	o.items = append(o.items, header)
	for o.at++; o.at < len(o.tokens) && o.word(o.at) != "}"; {
		o.item(name, kind)
	}
	o.at++
}

// item reads an item up to its semicolon, or the brace that ends its body.
func (o *outline) item(contract, in string) {
	item := Item{Kind: o.word(o.at), Contract: contract, In: in, Start: o.tokens[o.at].Start}
	if next := o.word(o.at + 1); next != "(" && next != "{" {
		item.Name = next
	}
	if !keywords[item.Kind] {
		item.Kind, item.Name = "variable", ""
	}
	depth := 0
	for ; o.at < len(o.tokens); o.at++ {
		item.End = o.tokens[o.at].End
		switch word := o.word(o.at); {
		case word == "{":
			depth++
			item.Body = item.Body || o.word(o.at+1) != "}"
		case word == "}":
			depth--
		case word != ";" || depth > 0:
			continue
		}
		// Braces inside of a variable's value or before a path ("import {A} from") do not end it.
		if depth == 0 && (o.word(o.at) == ";" || o.word(o.at) == "}" && item.Kind != "variable" && item.Kind != "import" && item.Kind != "using") {
			o.at++
			break
		}
		if depth < 0 { // the brace of the contract around it
			break
		}
	}
	o.items = append(o.items, item)
}
