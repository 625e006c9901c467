package input

import (
	"fmt"
	"strings"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
)

// DescribeScript is what the attacker's contract does when it is called, for people, each answer by
// itself:
//
//	called back by onERC721Received, attackerContract calls nft.mint(1)
//	paid, attackerContract refuses
func (s *Space) DescribeScript(script *Script) []string {
	if script == nil {
		return nil
	}
	answers := make([]string, len(script.Answers))
	for i := range script.Answers {
		var b strings.Builder
		a := &script.Answers[i]
		b.WriteString(s.describeOn(a))
		if a.Times > 0 && len(a.Calls) == 0 || a.Times > 1 {
			b.WriteString(" (" + firstTimes(a.Times) + ")")
		}
		if a.After > 0 {
			b.WriteString(", after it was " + s.describeOn(&script.Answers[a.After-1]))
		}
		b.WriteString(", " + s.ContractName())
		and := " "
		for j := range a.Calls {
			b.WriteString(and + []string{"calls ", ""}[min(j, 1)] + s.Expression(&a.Calls[j]))
			and = " and "
		}
		if end := s.describeEnd(a); end != "" {
			b.WriteString(and + end)
		}
		answers[i] = b.String()
	}
	return answers
}

// ContractName is what the attacker's contract is called in descriptions.
func (s *Space) ContractName() string {
	if s.contract < 0 {
		return attacker.Name
	}
	return quoteName(variableName(s.Senders[s.contract].Name))
}

func (s *Space) describeOn(a *Answer) string {
	switch {
	case a.Any:
		return "called back"
	case a.On == [4]byte{}:
		return "paid"
	}
	name, _, _ := strings.Cut(s.CallbackName(a.On), "(")
	return "called back by " + name
}

func firstTimes(n uint8) string {
	if n == 1 {
		return "the first time"
	}
	return fmt.Sprintf("the first %d times", n)
}

func (s *Space) describeEnd(a *Answer) string {
	switch a.End {
	case attacker.Return:
		return "answers " + s.describeWords(a)
	case attacker.Revert:
		if a.On == [4]byte{} && !a.Any {
			return "refuses"
		}
		return "reverts"
	case attacker.Burn:
		return "uses up all gas"
	case attacker.Destruct:
		return "destroys itself in favor of " + s.describeAddress(&a.Words[0])
	}
	if len(a.Calls) == 0 {
		return "answers as expected"
	}
	return ""
}

// describeWords writes what an answer gives back, as the called function's types where they are known.
func (s *Space) describeWords(a *Answer) string {
	if len(a.Words) == 0 {
		return "nothing"
	}
	var b strings.Builder
	known := s.callbacks[a.On].Outputs
	for i := range a.Words {
		if i > 0 {
			b.WriteString(", ")
		}
		if i < len(known) && len(known) == len(a.Words) && known[i].Elementary() && known[i].Fits(&a.Words[i]) {
			describer{s, nil, 0}.value(&b, &Value{Word: a.Words[i]}, &known[i])
			continue
		}
		b.WriteString(s.describeWord(&a.Words[i]))
	}
	return b.String()
}

// describeWord writes a word of no known type: an account's name, or a number.
func (s *Space) describeWord(x *uint256.Int) string {
	if name, ok := s.NameOf(x.Bytes20()); ok && !x.IsZero() && x.BitLen() <= 160 {
		return name
	}
	return describeNumber(x, &wordType)
}
