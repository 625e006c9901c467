package report

// Options are how a report is rendered. The zero value renders everything, without links
// and fingerprints.
type Options struct {
	// Source returns the head version's text of a file, by its path relative to
	// the repository's root, and false if there is none. It is used for
	// fingerprints and columns; nil: there are no files.
	Source func(file string) ([]byte, bool)

	OmitTimes bool // leave out everything that a clock measured, see [WriteJSON]
	Canceled  bool // the program ends with exit.Canceled, whatever the verdict

	// Out is the output folder as the user would type it. The terminal's
	// "sightline replay" commands begin the reproducers' paths with it.
	Out string

	// FileURL is the address to which a link appends a file's path, with a slash at
	// its end ("https://github.com/o/r/blob/<sha>/"); empty: no links.
	FileURL string
	// Fuzzed is the commit that was fuzzed, and MergeOf the pull request's commit if that is
	// a merge commit of it; CommitURL is the address to which a link appends an id.
	Fuzzed, MergeOf, CommitURL string
	// SummaryURL is the address of the summary; empty: the comment only names it.
	SummaryURL string

	// Key, SHA and Run go into the comment's marker, see [Marker]. Run is also
	// part of the SARIF run's id.
	Key, SHA, Run string

	// Category is the code-scanning category; empty: "sightline". Shards and projects
	// of one repository need different ones.
	Category string
}

// source returns the text of a file.
func (o *Options) source(file string) ([]byte, bool) {
	if o.Source == nil || file == "" {
		return nil, false
	}
	return o.Source(file)
}
