package compile

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxModifierDepth bounds the fifth field. solc writes the depth of modifier
// placeholders there, and its stack ends long before 1,024.
const maxModifierDepth = 1024

// offsetBits is the width of offsets, lengths and indices in source maps and
// ASTs: with 31 a range's end fits into an int everywhere.
const offsetBits = 31

// ParseSourceMap decompresses solc's source map: elements "s:l:f:j:m" divided
// by ";", where an empty or missing field repeats that of the element before
// (solc documentation, "Source Mappings"). Compilers before 0.6 write no m; it
// is 0 then. An empty text is an empty map.
func ParseSourceMap(text string) (SourceMap, error) {
	if text == "" {
		return nil, nil
	}
	// One element costs a byte of text at least and 16 bytes in memory.
	m := make(SourceMap, 0, strings.Count(text, ";")+1)
	entry := SourceMapEntry{Start: -1, Length: -1, File: -1, Jump: '-'}
	for element := range strings.SplitSeq(text, ";") {
		if err := entry.update(element); err != nil {
			return nil, fmt.Errorf("source map element %d: %w", len(m), err)
		}
		m = append(m, entry.packed())
	}
	return m, nil
}

// At is the i-th entry.
func (m SourceMap) At(i int) SourceMapEntry {
	e := &m[i]
	return SourceMapEntry{int(e.start), int(e.length), int(e.file), e.jump, int(e.modifierDepth)}
}

// packed is the entry as a map holds it. Its numbers have to be such as
// [ParseSourceMap] accepts.
func (e SourceMapEntry) packed() packedEntry {
	return packedEntry{int32(e.Start), int32(e.Length), int32(e.File), uint16(e.ModifierDepth), e.Jump}
}

// update applies one compressed element to the entry before it.
func (e *SourceMapEntry) update(element string) error {
	if element == "" {
		return nil
	}
	fields := strings.SplitN(element, ":", 6)
	if len(fields) > 5 {
		return fmt.Errorf("%q has more than five fields", reading.Shorten(element))
	}
	for i, field := range fields {
		if field == "" {
			continue
		}
		if i == 3 {
			if field != "i" && field != "o" && field != "-" {
				return fmt.Errorf("%q is not a jump type (i, o or -)", reading.Shorten(field))
			}
			e.Jump = field[0]
			continue
		}
		n, err := strconv.ParseInt(field, 10, offsetBits)
		if err != nil || n < -1 {
			return fmt.Errorf("%q is not an offset, length or index", reading.Shorten(field))
		}
		switch i {
		case 0:
			e.Start = int(n)
		case 1:
			e.Length = int(n)
		case 2:
			e.File = int(n)
		case 4:
			if n < 0 || n > maxModifierDepth {
				return fmt.Errorf("modifier depth %d is out of range", n)
			}
			e.ModifierDepth = int(n)
		}
	}
	return nil
}

// String is the map in solc's compressed form; [ParseSourceMap] reads it back.
func (m SourceMap) String() string {
	var text strings.Builder
	last := SourceMapEntry{Start: math.MinInt, Length: math.MinInt, File: math.MinInt, ModifierDepth: math.MinInt}
	for i := range m {
		e := m.At(i)
		if i > 0 {
			text.WriteByte(';')
		}
		fields := [5]string{
			changed(e.Start, last.Start), changed(e.Length, last.Length), changed(e.File, last.File),
			"", changed(e.ModifierDepth, last.ModifierDepth),
		}
		if e.Jump != last.Jump {
			fields[3] = string(rune(e.Jump))
		}
		text.WriteString(strings.TrimRight(strings.Join(fields[:], ":"), ":"))
		last = e
	}
	return text.String()
}

// changed is n as text, or nothing when it repeats the last one.
func changed(n, last int) string {
	if n == last {
		return ""
	}
	return strconv.Itoa(n)
}

// Instructions pairs the pc of each instruction of code with its entry. It ends with
// the shorter of the two: the data and metadata after the last instruction decode as
// instructions too, but have no entries.
func (m SourceMap) Instructions(code []byte) iter.Seq2[uint32, SourceMapEntry] {
	return func(yield func(uint32, SourceMapEntry) bool) {
		pc := uint32(0)
		for i := range m {
			if int64(pc) >= int64(len(code)) || !yield(pc, m.At(i)) {
				return
			}
			pc += 1 + bytecode.PushSize(code[pc])
		}
	}
}

// AtPC is the entry of the instruction that starts at pc; false when none does
// or the map has none for it. It walks the code from its start: to look up many,
// use [SourceMap.Instructions].
func (m SourceMap) AtPC(code []byte, pc uint32) (SourceMapEntry, bool) {
	for at, entry := range m.Instructions(code) {
		if at >= pc {
			return entry, at == pc
		}
	}
	return SourceMapEntry{}, false
}
