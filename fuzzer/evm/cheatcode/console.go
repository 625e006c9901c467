package cheatcode

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/abi"
)

// consoleForms are the arguments of console.log by selector. Older libraries of Hardhat's
// say "uint" and "int" in their signatures, and that is what selectors are made of.
var consoleForms = sync.OnceValue(func() map[[4]byte][]abi.Type {
	forms := map[[4]byte][]abi.Type{}
	add := func(spelled string) {
		types, err := abi.Parse("(" + wide.Replace(spelled) + ")")
		if err != nil {
			panic("cheatcode: console.log(" + spelled + "): " + err.Error())
		}
		forms[[4]byte(crypto.Keccak256([]byte("log("+spelled+")")))] = types
	}
	for _, single := range strings.Fields("int256 int bytes string,int256 string,int " + fixedBytes()) {
		add(single)
	}
	// Up to four of these, in all combinations.
	rows := []string{""}
	for range 4 {
		var longer []string
		for _, row := range rows {
			for _, t := range []string{"uint256", "uint", "string", "bool", "address"} {
				longer = append(longer, strings.TrimPrefix(row+","+t, ","))
			}
		}
		for _, row := range longer {
			add(row)
		}
		rows = longer
	}
	add("")
	return forms
})

// wide spells out the short names of types.
var wide = strings.NewReplacer("uint256", "uint256", "int256", "int256", "uint", "uint256", "int", "int256")

func fixedBytes() string {
	var names []string
	for n := 1; n <= 32; n++ {
		names = append(names, fmt.Sprint("bytes", n))
	}
	return strings.Join(names, " ")
}

// ConsoleText is the text that a call of the console's account logs; false if it does not
// call console.log.
func ConsoleText(input []byte) (string, bool) {
	if len(input) < 4 {
		return "", false
	}
	types, ok := consoleForms()[[4]byte(input)]
	if !ok {
		return "", false
	}
	values, err := decode(types, input[4:])
	if err != nil {
		return "", false
	}
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = format(&types[i], &values[i])
	}
	if len(types) > 1 && types[0].Kind == abi.String {
		return strings.Join(fill(texts), " "), true
	}
	return strings.Join(texts, " "), true
}

// fill replaces %s, %d and the like in a text with the values that follow it, as far as both
// go; %% is a percent sign.
func fill(texts []string) []string {
	var b strings.Builder
	pattern, rest := texts[0], texts[1:]
	for {
		before, after, found := strings.Cut(pattern, "%")
		b.WriteString(before)
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, "%"):
			b.WriteByte('%')
			after = after[1:]
		case len(rest) > 0 && after != "" && strings.IndexByte("sdiox", after[0]) >= 0:
			b.WriteString(rest[0])
			rest, after = rest[1:], after[1:]
		default:
			b.WriteByte('%')
		}
		pattern = after
	}
	return append([]string{b.String()}, rest...)
}

// Described is a call of a cheatcode, for people.
type Described struct {
	Name      string
	Arguments []string
	Results   []string
}

// Describe reads a call of the cheatcodes' account and, if it succeeded, its result; false
// for an unknown cheatcode.
func Describe(input, output []byte, succeeded bool) (Described, bool) {
	if len(input) < 4 {
		return Described{}, false
	}
	c := index()[[4]byte(input)]
	if c == nil {
		return Described{}, false
	}
	d := Described{Name: c.name, Arguments: texts(c.arguments, input[4:])}
	if succeeded {
		d.Results = texts(c.result, output)
	}
	return d, true
}

// solidity writes values as Solidity does.
var solidity abi.Style

// texts writes the values of an encoding; nil if it is invalid.
func texts(types []abi.Type, data []byte) []string {
	values, err := decode(types, data)
	if err != nil {
		return nil
	}
	written := make([]string, len(values))
	for i := range values {
		written[i] = solidity.Format(&types[i], &values[i])
	}
	return written
}
