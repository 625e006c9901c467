package sarif

import (
	"strconv"
	"unicode/utf16"
)

// LineHash is the key of the fingerprint that GitHub reads.
const LineHash = "primaryLocationLineHash"

// The fingerprint's constants, fixed by GitHub's uploader: other values give
// other alerts.
const (
	hashWindow     = 100   // characters that the hash of a line covers
	hashMultiplier = 37    // of the polynomial
	hashEOF        = 65535 // stands for the end of the file
)

// LineHashes computes the fingerprint of every line of a file: element i is of
// line i+1. Every line has one, the one after a final line break too.
//
// The hash of a line is the polynomial Σ cₖ·37^(99−k) mod 2^64 over the 100
// characters that start with the line's first one: UTF-16 units without blanks
// and tabs; every line break (CRLF, CR, LF) is one LF; after the text come 65535
// and 100 zeros. So neither indentation changes it, nor lines that are added before
// the line or more than 100 characters after it. The n-th line with the same hash has
// ":n" appended to it.
func LineHashes(source []byte) []string {
	chars, starts := hashInput(source)
	weight := uint64(1) // of a character that leaves the window: 37^100
	for range hashWindow {
		weight *= hashMultiplier
	}
	at := func(i int) uint64 {
		if i < len(chars) {
			return uint64(chars[i])
		}
		return 0
	}

	hashes := make([]string, 0, len(starts))
	seen := make(map[uint64]int)
	hash, end := uint64(0), 0 // hash is of the window that ends before end
	for _, start := range starts {
		for ; end < start+hashWindow; end++ {
			hash = hash*hashMultiplier + at(end)
			if end >= hashWindow {
				hash -= weight * at(end-hashWindow)
			}
		}
		seen[hash]++
		hashes = append(hashes, strconv.FormatUint(hash, 16)+":"+strconv.Itoa(seen[hash]))
	}
	return hashes
}

// hashInput is the text that is hashed, and where each line starts in it.
func hashInput(source []byte) (chars []uint16, starts []int) {
	chars = make([]uint16, 0, len(source)+1)
	lineStart, afterCR := true, false
	add := func(c uint16) {
		if lineStart {
			starts = append(starts, len(chars))
		}
		lineStart = c == '\n'
		chars = append(chars, c)
	}
	for _, r := range string(source) {
		skip := r == ' ' || r == '\t' || (afterCR && r == '\n')
		afterCR = r == '\r'
		switch {
		case skip:
		case r == '\r':
			add('\n')
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			add(uint16(high))
			add(uint16(low))
		default:
			add(uint16(r))
		}
	}
	add(hashEOF)
	return chars, starts
}
