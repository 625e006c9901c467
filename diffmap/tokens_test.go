package diffmap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestTokensGolden prints which nodes a change of each token alone belongs to, or what is said where it belongs to none, and what
// stands for code that was deleted before it. TestOwnershipGolden shows whole lines, in which one token hides what becomes of another.
func TestTokensGolden(t *testing.T) {
	for _, f := range allFixtures(t) {
		folder := ""
		switch f.name + "-" + f.version {
		case "forms-0.8.30", "forms-0.8.30-ir", "legacy-0.4.26", "legacy-0.5.17", "middle-0.7.6", "edited-0.8.30":
			folder = "testdata/targets/"
		case "common-0.5.17", "since08-0.8.30-ir": // assembly without nodes, and as one range
			folder = "testdata/run/"
		default:
			continue // they say little that the others do not
		}
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			golden.Check(t, folder+f.name+"-"+f.version+".tokens", tokenListing(trees(f), f.outputs[0]))
		})
	}
}

// tokenListing is a line for each run of tokens with the same owners: "12 a + b → 12 return a + b". Tokens in no function, and
// those that own what their neighbors do, say nothing new.
func tokenListing(tree *sourceTree, output *compile.Output) string {
	var b strings.Builder
	list := func(what string, owners func(token solidity.Token) string) {
		var words []string
		last, line := "", 0
		flush := func(next string, at int) {
			if len(words) > 0 && last != "" {
				fmt.Fprintf(&b, "%3d %s %s → %s\n", line, what, strings.Join(words, " "), last)
			}
			words, last, line = nil, next, at
		}
		for _, token := range tree.tokens {
			said := owners(token)
			if at := tree.lines.lineOf(token.Start); said != last || at != line {
				flush(said, at)
			}
			words = append(words, string(tree.text[token.Start:token.End]))
		}
		flush("", 0)
	}
	list("changed", func(token solidity.Token) string {
		set := map[int32]bool{}
		tree.owners(token, set)
		return tree.names(set)
	})
	list("unowned", func(token solidity.Token) string {
		set := map[int32]bool{}
		if tree.owners(token, set); len(set) > 0 {
			return ""
		}
		change := unified.ChangedLine{Line: tree.lines.lineOf(token.Start), Spans: []unified.Span{{Start: token.Start, End: token.End}}}
		state := lineState{}
		state.describe(tree, output, change, -1, false)
		if state.verdict.reason == "only punctuation changed" {
			return "" // as expected
		}
		if state.function != "" {
			state.function += ": "
		}
		return state.function + string(state.verdict.status) + ": " + state.verdict.reason
	})
	list("deleted before", func(token solidity.Token) string {
		set := map[int32]bool{}
		anchor := tree.gapOwners(token.Start, set)
		said := tree.names(set)
		if anchor >= 0 {
			said += fmt.Sprintf(" (anchor %s)", tree.names(map[int32]bool{anchor: true}))
		}
		return said
	})
	return b.String()
}

// names are the beginnings of nodes, with their lines.
func (t *sourceTree) names(set map[int32]bool) string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		text := strings.Join(strings.Fields(string(t.text[t.nodes[n].start:t.nodes[n].end])), " ")
		if len(text) > 24 {
			text = text[:20] + " …"
		}
		names = append(names, fmt.Sprintf("%d %q", t.lines.lineOf(t.nodes[n].start), text))
	}
	return strings.Join(names, ", ")
}
