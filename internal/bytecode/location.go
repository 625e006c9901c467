package bytecode

import (
	"fmt"
	"strings"
)

// Location is an instruction of a compiled artifact.
type Location struct {
	Code CodeID
	PC   uint32
}

// Compare orders locations by code, then pc.
func (l Location) Compare(other Location) int {
	if l.Code != other.Code {
		return int(l.Code) - int(other.Code)
	}
	return int(l.PC) - int(other.PC)
}

// Position is a place in the head version's sources. Lines and columns count
// from 1; Column is in bytes, 0 when only the line is known.
type Position struct {
	File   string
	Line   int
	Column int
}

func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Target is one changed line in one contract's bytecode. It is reached when any
// of its entries is executed in any call of a regular execution.
type Target struct {
	Position Position
	Contract string     // qualified name of the contract whose bytecode holds the line
	Entries  []Location // the entry of every basic block that owns the line; sorted, at least one
	Deletion bool       // the line stands for code deleted before it
	Reverts  bool       // whatever runs the line reverts: running it is all that can be asked
}

// ShortName is the name in a contract's qualified one, "source:name".
func ShortName(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, ':')+1:]
}
