package seeds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/human"
)

// None is the name of a source that stands for none at all.
const None = "none"

// Source is a file or a folder of a corpus.
type Source struct {
	Name string // for people
	Path string
	// Config is the configuration of another fuzzer's that names it; empty: it was asked for.
	Config string
}

// Reading is what came of a source.
type Reading struct {
	Sequences []input.Sequence // each once, in order of the files
	Read      int              // entries of the corpus that gave a sequence
	Of        int              // entries
	Part      int              // of Read, those that lost calls
	Tools     []string         // whose they are, in order
	losses    map[loss]int     // of entries that were not read
	broken    int              // entries that are not what they look like
	unread    int              // files that could not be read
	large     int              // files beyond a bound
	example   string           // of what is broken: the file and why
}

// Read reads the sequences of a source as those of a Space. An error is that nothing can be read
// there.
func (s *Source) Read(space *input.Space) (*Reading, error) {
	from, err := readSource(s.Path)
	if err != nil {
		return nil, err
	}
	r := &Reading{losses: map[loss]int{}, unread: from.unread, large: from.large}
	var corpus []sequence
	var own []input.Sequence
	for i := range from.files {
		f := &from.files[i]
		tool := formatOf(f.data)
		r.Of++
		if tool != "" && !slices.Contains(r.Tools, tool) {
			r.Tools = append(r.Tools, tool)
		}
		if tool == Sightline {
			seq, part, err := parseOwn(space, f.data)
			r.count(f, len(seq), part, noFunction, err)
			own = append(own, seq)
			continue
		}
		seq, err := parse(tool, f)
		if err != nil || len(seq) == 0 {
			r.count(f, 0, false, kept, err)
			continue
		}
		corpus = append(corpus, seq)
	}
	m := newMapper(space, corpus)
	seen := map[string]bool{}
	add := func(seq input.Sequence) {
		if text := input.Format(space, seq); len(seq) > 0 && !seen[text] {
			seen[text] = true
			r.Sequences = append(r.Sequences, seq)
		}
	}
	for _, theirs := range corpus {
		seq, why := m.sequence(theirs)
		r.count(nil, len(seq), why != kept, why, nil)
		add(seq)
	}
	for _, seq := range own {
		add(seq)
	}
	slices.Sort(r.Tools)
	return r, nil
}

// count notes what came of an entry of so many calls.
func (r *Reading) count(f *found, calls int, part bool, why loss, err error) {
	switch {
	case err != nil:
		if r.broken++; r.example == "" {
			r.example = fmt.Sprintf("%s: %v", f.name, err)
		}
	case calls == 0:
		r.losses[why]++
	default:
		r.Read++
		if part {
			r.Part++
		}
	}
}

// Describe says for people what was read and what was not: "120 of 131 sequences of echidna's
// corpus: 11 call functions that do not exist now".
func (r *Reading) Describe() string {
	var whose []string
	for _, tool := range r.Tools {
		whose = append(whose, tool+"'s")
	}
	text := fmt.Sprintf("read %s of %s", human.Count(uint64(r.Read)), human.Plural(r.Of, "sequence"))
	if len(whose) > 0 {
		text += " of " + strings.Join(whose, " and ") + " corpus"
	}
	var why []string
	say := func(n int, one, many string) {
		switch n {
		case 0:
		case 1:
			why = append(why, "1 "+one)
		default:
			why = append(why, human.Count(uint64(n))+" "+many)
		}
	}
	say(r.losses[noFunction], "calls functions that do not exist now", "call functions that do not exist now")
	say(r.losses[misfit], "has arguments that do not fit now", "have arguments that do not fit now")
	say(r.losses[creates], "only deploys contracts", "only deploy contracts")
	say(r.losses[kept], "has no calls", "have no calls")
	say(r.broken, "cannot be read", "cannot be read")
	say(r.Part, "was read without some of its calls", "were read without some of their calls")
	say(r.unread, "file cannot be opened", "files cannot be opened")
	say(r.large, "file is too large, or more than are read", "files are too large, or more than are read")
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	if r.example != "" {
		text += " (" + human.Clean(r.example, maxExample) + ")"
	}
	return text
}

// maxExample bounds what is said of a file that cannot be read, in characters; arbitrary.
const maxExample = 160
