package cheatcode

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
)

var (
	callsOfEach = flag.Int("calls", 4, "calls of each cheatcode that forge is compared on")
	callSeed    = flag.Uint64("call-seed", 1, "of their arguments")
)

// computing are the tables whose cheatcodes compute something from their arguments, and
// from what such calls before them left behind.
var computing = [][]function{assertTable, textTable, jsonTable, tomlTable, variableTable, keyTable, toolTable, expectTable[:0]}

// unlike are cheatcodes whose results are not forge's.
var unlike = map[string]bool{"unixTime()": true, "getFoundryVersion()": true, "isContext(uint8)": true, "setEnv(string,string)": true}

// texts that mean something to one cheatcode or another, and JSON with paths in it.
var (
	someTexts = []string{"", "a", "abc", "a,b,,c", ",", "12", "0x12", "-5", "true", "false", "1", "0xdeadbeef", " x ", "1.0.0", "1.7.1", "2.0.0", "eth", "vitalik.eth",
		"0x00000000000000000000000000000000DeaDBeef", "0x00000000000000000000000000000000000000000000000000000000000000ff", "SL_A", "SL_B", "SL_C",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935", "ABC", "aXbXc", "X", "1,2,3", "0x", "0101", "00000000000000000000000000000000DeaDBeef",
		"00000000000000000000000000000000000000000000000000000000000000ff", "0X12", "+5", "1e18", "1_000", "-0x10", "0x123", " 12 ", "TRUE", "0"}
	someJSON = []string{`{"a":1,"b":"two","c":[1,2],"d":{"e":true,"f":"0x01"},"g":-3,"h":["x","y"],"i":[true,false]}`, `{"a":"12","c":["0x01","0x02"],"d":{}}`, `[1,2]`, `{}`, `no`,
		`{"z":{"y":"0x00000000000000000000000000000000DeaDBeef","b":[{"q":1,"p":"x"}],"k":null},"a":1e18,"c":"0x123","d":{"e":-4,"f":115792089237316195423570985008687907853269984665640564039457584007913129639935},"b":[[],["0x"],[null,"0xzz"]],"g":1.5,"h":[{"b":1,"a":[2,3]},{"b":4,"a":[]}],"i":1.0}`}
	somePath = []string{".a", ".b", ".c", ".c[1]", ".d", ".d.e", ".d.f", ".g", ".h", ".i", "$", ".", ".none", ".c[7]", "$.a", ".c[0]", ".d['e']", "$['a']"}

	someTOML = []string{"", "a = 1\nb = 'two'\nc = [1, 2]\nd = {e = true, f = \"0x01\"}\ng = -3\nh = [\"x\", \"y\",]\ni = [\n  true, # yes\n  false\n]\n",
		"a = \"12\"\nc = ['0x01', \"0x02\"]\n[d]\ne = false\n[d.deeper]\nx = 1_000\n[[h]]\nb = 1\na = 0xff\n[[h]]\nb = 0b11\na = 0o17\n", "a =", "a = 1\na = 2", "[a]\n[a]",
		"d.e = 1\nd.f = 1.0\n\"b\" = \"a\\tb\\u00e9\"\n'c' = 1979-05-27T07:32:00Z\ng = 1e20\ni = \"\"\"\nlines\\\n   on\n\"\"\"\na = 2.5 # half",
		"a = 9223372036854775808", "a = [[1, 2], [3]]\nc = [{b = 1, a = 'x'}, {b = 2, a = 'y'}]\nb = '0x00000000000000000000000000000000DeaDBeef'\ng = +7\nd = {}\n", "a = 1 b = 2", "a = 1e3\nb = 1e400", "# only this"}
)

// isDocument reports whether a cheatcode reads a JSON or TOML text.
func isDocument(f *function) bool {
	return strings.Contains(f.Signature, "Json") || strings.Contains(f.Signature, "Toml") || strings.HasPrefix(f.Signature, "keyExists")
}

// caller writes random arguments.
type caller struct{ rng *rand.Rand }

func (c *caller) values(f *function, types []abi.Type) []abi.Value {
	values := make([]abi.Value, len(types))
	for i := range types {
		if isDocument(f) {
			pool := someJSON
			if strings.Contains(f.Signature, "Toml") {
				pool = someTOML
			}
			if i == 1 {
				pool = somePath
			}
			values[i] = textOf(pool[c.rng.IntN(len(pool))])
			continue
		}
		values[i] = c.value(&types[i])
	}
	if len(types) > 1 && isDocument(f) {
		return values
	}
	if strings.HasPrefix(f.Signature, "env") {
		values[0] = textOf([]string{"SL_A", "SL_B", "SL_C", "SL_NONE"}[c.rng.IntN(4)])
		if len(values) > 1 && strings.Contains(f.Signature, "[]") || f.Returns[len(f.Returns)-1] == ']' {
			values[1] = textOf(",")
		}
		return values
	}
	if len(values) > 1 && c.rng.IntN(2) == 0 && types[0].Kind == types[1].Kind && types[0].Kind != abi.Tuple { // for asserts that hold
		values[1] = values[0]
		if types[0].Kind == abi.Slice && types[0].Elem.Kind != types[1].Elem.Kind {
			values[1] = c.value(&types[1])
		}
	}
	return values
}

func (c *caller) value(t *abi.Type) abi.Value {
	var v abi.Value
	switch t.Kind {
	case abi.String:
		return textOf(someTexts[c.rng.IntN(len(someTexts))])
	case abi.Bytes:
		return bytesOf([][]byte{{}, {1}, {1, 2, 3}, make([]byte, 33), {0xc2, 1, 2}, {0xc3, 0x82, 1, 2}}[c.rng.IntN(6)])
	case abi.Slice, abi.Array:
		for range c.rng.IntN(3) {
			v.Elems = append(v.Elems, c.value(t.Elem))
		}
		return v
	case abi.Tuple:
		for i := range t.Fields {
			v.Elems = append(v.Elems, c.value(&t.Fields[i]))
		}
		return v
	case abi.Bool:
		return boolOf(c.rng.IntN(2) == 0)
	case abi.Address:
		return addressOf([]common.Address{{}, {19: 1}, common.HexToAddress("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")}[c.rng.IntN(3)])
	case abi.FixedBytes:
		word := common.Hash(crypto.Keccak256([]byte{byte(c.rng.IntN(3))}))
		v.Word.SetBytes32(word[:])
		v.Word = t.Wrap(&v.Word)
		return v
	}
	limits := []uint256.Int{{0}, {1}, {2}, {3}, {18}, {1e18}, {1500000000000000000}, *new(uint256.Int).SetAllOne()}
	v.Word = limits[c.rng.IntN(len(limits))]
	if t.Kind == abi.Int && c.rng.IntN(3) == 0 {
		v.Word = *signBit
	}
	if t.Kind == abi.Uint && t.Bits < 256 {
		v.Word.Rsh(&v.Word, uint(256-t.Bits))
	}
	return v
}

// TestForgeComputes: cheatcodes return what forge's return, for random arguments; those
// that fail fail there, and assertions with the same text.
func TestForgeComputes(t *testing.T) {
	c := &caller{rand.New(rand.NewPCG(*callSeed, 3))}
	var asked [][]question
	for _, table := range computing {
		for i := range table {
			f := &table[i]
			if f.run == nil || unlike[f.Signature] {
				continue
			}
			var questions []question
			if strings.HasPrefix(f.Signature, "env") {
				for _, set := range [][2]string{{"SL_A", "12"}, {"SL_B", "true,false"}, {"SL_C", "0x12, 1"}} {
					data := encoded(t, "setEnv(string,string)", "(string,string)", textOf(set[0]), textOf(set[1]))
					questions = append(questions, question{f.Signature, data})
				}
			}
			for range *callsOfEach {
				questions = append(questions, questionOf(f.Signature, func(arguments []abi.Type) []abi.Value { return c.values(f, arguments) }))
			}
			asked = append(asked, questions)
		}
	}
	compareWithForge(t, asked)
}

// TestForgeReadsTOML: TOML is to us what it is to forge, down to the order of keys.
func TestForgeReadsTOML(t *testing.T) {
	var asked [][]question
	for _, text := range slices.Concat(someTOML, []string{
		"a = {b = 1,\nc = 2}", "a = {b = 1,}", `a = "\e\x41"`, "a = \"x\x01y\"", "a = \"\"\"\r\nx\r\ny\"\"\"", "a = '''x'''''\nb = 1", "a = 1\rb = 2", "\xef\xbb\xbfa = 1",
		"a = 07:32", "a = 1979-05-27 07:32:00.500z", "a = 1979-05-27t07:32:00.000-00:00", "a = 1979-05-27 07:32", "a = 07:32:00.1234567891", "a = 1979-05-27", "a = 1979-02-30",
		"a = nan", "a = -nan", "a = +inf", "a = -inf", "a = -0.0", "a = 1_0.5_0", "a = 1e16", "a = 1e15", "a = 1e-5", "a = 1.5e-7", "a = 123456789012345.678", "a = 0xffffffffffffffff",
		"z.x = 1\ny = 2\nz.a = 3", "[z.y]\nq = 1\n[b]\n[z]\na = 1", "[z.y]\n[z.x]\n[b]\n[c]\n[d]\n[z]\n[z.w]", "[z.y.w]\n[z.c]\n[z.y]\n[b]\n[z]", "[[z.y]]\n[b]\n[z]\na = 1",
		"a = [{z = 1, b = 2}, {b = 1, z = 2}]", "[[a]]\nz = 1\nb = 1\n[[a]]\nb = 1\nz = 1", "[[a]]\n[a.z]\n[a.b]\n[[a]]\n[a.b]\n[a.z]",
		"a.b = 1\n[a]\nc = 2", "a = {b = 1}\na.c = 2", "a = [{b = 1}]\n[[a]]\nb = 2", "[a]\nb.c = 1\n[a.b]\nd = 2", "a.b.c = 1\n[a.b.d]\nx = 1", "[a]\n[a.b]\n[[a.b]]",
		strings.Repeat("a.", maxTOMLDepth-1) + "a = 1", strings.Repeat("a.", maxTOMLDepth) + "a = 1",
		"z = " + strings.Repeat("[", maxTOMLDepth) + strings.Repeat("]", maxTOMLDepth), "z = " + strings.Repeat("[", maxTOMLDepth+1) + strings.Repeat("]", maxTOMLDepth+1),
	}) {
		var questions []question
		for _, path := range []string{"$", ".a", ".z", ".a[1]"} {
			for _, signature := range []string{"parseTomlKeys(string,string)", "parseTomlString(string,string)", "parseTomlInt(string,string)", "parseToml(string,string)"} {
				if signature == "parseToml(string,string)" && len(text) > 2*maxNesting && strings.Count(text, ".")+strings.Count(text, "[") > maxNesting {
					continue // nests deeper than what is encoded
				}
				questions = append(questions, questionOf(signature, func([]abi.Type) []abi.Value { return []abi.Value{textOf(text), textOf(path)} }))
			}
		}
		asked = append(asked, questions)
	}
	compareWithForge(t, asked)
}

// question is a call of a cheatcode.
type question struct {
	signature string
	data      []byte
}

func questionOf(signature string, arguments func([]abi.Type) []abi.Value) question {
	selector := [4]byte(crypto.Keccak256([]byte(signature)))
	types := index()[selector].arguments
	return question{signature, append(selector[:4:4], abi.Append(nil, types, arguments(types))...)}
}

// compareWithForge asks forge and us, each list of questions in one test function, with one
// state.
func compareWithForge(t *testing.T, asked [][]question) {
	t.Helper()
	var source strings.Builder
	source.WriteString("// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n\ncontract ComputesTest {\n    bool public IS_TEST = true;\n    event log_bytes(bytes);\n\n" +
		"    function ask(bytes memory data) internal {\n        (bool ok, bytes memory out) = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D.call(data);\n" +
		"        emit log_bytes(bytes.concat(ok ? bytes1(0x01) : bytes1(0x00), out));\n    }\n")
	for n, questions := range asked {
		fmt.Fprintf(&source, "\n    function test%d() public {\n", n)
		for _, q := range questions {
			fmt.Fprintf(&source, "        ask(hex\"%x\");\n", q.data)
		}
		source.WriteString("    }\n")
	}
	source.WriteString("}\n")
	theirs := testforge.Test(t, map[string][]byte{"Computes.t.sol": []byte(source.String())})["test/Computes.t.sol:ComputesTest"]
	for n, questions := range asked {
		result := theirs[fmt.Sprintf("test%d()", n)]
		if len(result.Logs) != len(questions) {
			t.Fatalf("test%d: forge answered %d of %d: %s", n, len(result.Logs), len(questions), result.Reason)
		}
		h, s := newMemory(), new(State)
		for i, q := range questions {
			their, err := hex.DecodeString(strings.TrimPrefix(result.Logs[i], "0x"))
			if err != nil || len(their) == 0 {
				t.Fatalf("%s: %q, %v", q.signature, result.Logs[i], err)
			}
			output, ok := Run(h, s, nil, common.Address{1}, 0, q.data)
			switch exact := ok || strings.HasPrefix(q.signature, "assert"); {
			case ok != (their[0] == 1), exact && string(output) != string(their[1:]):
				d, _ := Describe(q.data, nil, false)
				t.Errorf("%s: %q\nwe    %t %s\nforge %t %s", q.signature, d.Arguments, ok, readable(output), their[0] == 1, readable(their[1:]))
			}
		}
	}
}

// readable is an output for people.
func readable(output []byte) string {
	if text, ok := Reason(output); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%x", output)
}
