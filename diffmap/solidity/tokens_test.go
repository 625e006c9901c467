package solidity

import (
	"fmt"
	"strings"
	"testing"
)

var kindNames = map[Kind]string{Identifier: "id", Number: "num", String: "str", Punct: "op", Comment: "comment", Illegal: "illegal"}

func TestTokenize(t *testing.T) {
	cases := []struct{ src, want string }{
		{"", ""},
		{" \t\r\n", ""},
		{"\ufeffuint x;", `id"uint" id"x" op";"`},
		{"a$_1 _b", `id"a$_1" id"_b"`},
		{"0x1F_f 1_000 .5 2.5e-3 1e+9 0xe-1 1.f 7 wei", `num"0x1F_f" num"1_000" num".5" num"2.5e-3" num"1e+9" num"0xe" op"-" num"1" num"1" op"." id"f" num"7" id"wei"`},
		{`"a\"b" 'c"d' hex"00" unicode"ä"`, `str"\"a\\\"b\"" str"'c\"d'" id"hex" str"\"00\"" id"unicode" str"\"ä\""`},
		{"\"open\nx", `str"\"open" id"x"`},
		{"\"a\\\nb\" c", `str"\"a\\\nb\"" id"c"`},
		{"\"a\\\r\nb\" c", `str"\"a\\\r\nb\"" id"c"`},
		{`"a\`, `str"\"a\\"`},
		{"a // b\nc", `id"a" comment"// b" id"c"`},
		{"// b \r c", `comment"// b " id"c"`},
		{"// b \u2028 c", `comment"// b " illegal"\u2028" id"c"`},
		{"/* a\n*/b/**/c/*/ d", `comment"/* a\n*/" id"b" comment"/**/" id"c" comment"/*/ d"`},
		{"a>>>=b>>>c>>=d", `id"a" op">>>=" id"b" op">>>" id"c" op">>=" id"d"`},
		{"x := y -> z => w ** 2 --q", `id"x" op":=" id"y" op"->" id"z" op"=>" id"w" op"**" num"2" op"--" id"q"`},
		{"a?b:c[1]{}(~!^&&|", `id"a" op"?" id"b" op":" id"c" op"[" num"1" op"]" op"{" op"}" op"(" op"~" op"!" op"^" op"&&" op"|"`},
		{"#é\x80@", `illegal"#" illegal"é" illegal"\x80" illegal"@"`},
	}
	for _, c := range cases {
		var got []string
		for _, tok := range Tokenize([]byte(c.src)) {
			got = append(got, fmt.Sprintf("%s%q", kindNames[tok.Kind], c.src[tok.Start:tok.End]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.src, s, c.want)
		}
	}
}

// checkTokenStream returns what is wrong with a token list, or "".
func checkTokenStream(src []byte, tokens []Token) string {
	at := len(bomOf(string(src)))
	for _, tok := range tokens {
		if tok.Start < at || tok.End <= tok.Start || tok.End > len(src) {
			return fmt.Sprintf("bad range %v", tok)
		}
		if strings.Trim(string(src[at:tok.Start]), " \t\n\v\f\r") != "" {
			return fmt.Sprintf("%q is in no token", src[at:tok.Start])
		}
		at = tok.End
	}
	if strings.Trim(string(src[at:]), " \t\n\v\f\r") != "" {
		return fmt.Sprintf("%q is in no token", src[at:])
	}
	return ""
}

// FuzzTokenize checks that tokens cover everything but whitespace, and that
// each is a token of its own.
func FuzzTokenize(f *testing.F) {
	f.Add([]byte("contract C { string s = \"a\\\nb\"; /* c */ } // d\r e"))
	f.Add([]byte("\ufeff1.e-5 .x '\\"))
	f.Fuzz(func(t *testing.T, src []byte) {
		tokens := Tokenize(src)
		if msg := checkTokenStream(src, tokens); msg != "" {
			t.Fatalf("%q: %s", src, msg)
		}
		for _, tok := range tokens {
			text := src[tok.Start:tok.End]
			if bomOf(string(text)) != "" {
				continue // whitespace at the start of a text only
			}
			if again := Tokenize(text); len(again) != 1 || again[0] != (Token{tok.Kind, 0, len(text)}) {
				t.Fatalf("%q alone: %v", text, again)
			}
		}
	})
}
