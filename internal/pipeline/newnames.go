package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file makes names for accounts and contracts that the World lacks, of the code's own.

// senderName is a name for an account by the name that the code has for it.
func (v *view) senderName(s *side) string {
	text := ""
	if name := v.accountName(s.value.Bytes20()); !strings.HasPrefix(name, "0x") {
		text = name + "_account"
	} else if a := v.storedIn(s); a != nil {
		text = v.variable(a).root
	} else if p := v.head.Positions; p != nil {
		text, _ = p.TextAt(v.stop.Place)
		text = otherName(conditionText(text))
	}
	return v.newName(text)
}

// otherName is the name in a condition that is not msg.sender's: of `msg.sender == OWNER`, "OWNER".
func otherName(condition string) string {
	for _, operator := range []string{"==", "!="} {
		if left, right, ok := strings.Cut(condition, operator); ok {
			for _, s := range []string{right, left} {
				if name := firstWord(s); name != "" && !strings.Contains(s, "msg.sender") && !strings.Contains(strings.ToLower(s), "msgsender") && !strings.Contains(s, "tx.origin") {
					return name
				}
			}
		}
	}
	return ""
}

// firstWord is the last name before what is called, indexed or ends: "OWNER" of " OWNER, \"no\")".
func firstWord(s string) string {
	s = strings.TrimLeft(s, " (!")
	for _, prefix := range []string{"require(", "if (", "assert(", "address(", "return "} {
		s = strings.TrimPrefix(s, prefix)
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	if end >= 0 {
		s = s[:end]
	}
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		return "" // a literal
	}
	return s
}

// newName is a name for something that the World lacks, of plain characters.
func (d *describer) newName(text string) string {
	const most = 24 // characters; arbitrary
	name := strings.Trim(strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)), "_")
	name = cmp.Or(name[:min(len(name), most)], "wanted")
	if name[0] >= '0' && name[0] <= '9' || slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, name) {
		name = "the_" + name
	}
	for i := 2; d.taken(name); i++ {
		name = fmt.Sprintf("%s%d", strings.TrimRight(name, "0123456789"), i)
	}
	return name
}

// taken reports whether a sender or an instance has a name.
func (d *describer) taken(name string) bool {
	return slices.ContainsFunc(d.head.World.Senders, func(s evm.Sender) bool { return strings.EqualFold(s.Name, name) }) ||
		slices.ContainsFunc(d.head.World.Instances, func(in evm.Instance) bool { return strings.EqualFold(in.Name, name) })
}
