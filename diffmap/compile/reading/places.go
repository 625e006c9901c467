package reading

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
)

// maxPlaces bounds the places of an error; arbitrary: GitHub shows ten annotations a step.
const maxPlaces = 5

// placed are the ways in which solc, and the tools that print what it says, name a place: on a
// line of its own since 0.6 (" --> src/A.sol:6:17:", below the message), and before the message
// until then ("src/A.sol:6:17: TypeError: …").
var placed = regexp.MustCompile(`^\s*-->\s+(.+?):(\d{1,7}):(\d{1,7}):?\s*$|^(\S[^:]*\.sol):(\d{1,7}):(\d{1,7}): (\w*(?:Error|error)\b.*)$`)

// PlacesIn finds the places that a compiler's message names. The message may quote sources of
// strangers: the worst that it leads to is another place.
func PlacesIn(message string) []exit.Place {
	var places []exit.Place
	before := ""
	for line := range strings.Lines(message) {
		line = strings.TrimRight(line, "\r\n")
		if m := placed.FindStringSubmatch(line); m != nil && len(places) < maxPlaces {
			p := exit.Place{File: m[1], Text: strings.TrimSpace(before)}
			n, c := m[2], m[3]
			if m[1] == "" {
				p.File, n, c, p.Text = m[4], m[5], m[6], m[7]
			}
			p.Line, _ = strconv.Atoi(n) // digits, and few
			p.Column, _ = strconv.Atoi(c)
			if isProblem(p.Text) {
				places = append(places, p)
			}
		}
		if strings.TrimSpace(line) != "" {
			before = line
		}
	}
	return places
}

// isProblem reports whether a message is an error: tools print warnings in the same way.
func isProblem(text string) bool {
	return !strings.HasPrefix(text, "Warning") && !strings.HasPrefix(text, "Note")
}
