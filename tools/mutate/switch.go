package main

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// This file puts all mistakes into one program, each behind a switch: that is compiled once, and the tests run in it with
// one switch on (MUTATE_ON), or note which switches they come past (MUTATE_SEEN). A mistake of an expression becomes
//
//	a < b    (mutateIs(7) && ((a) <= (b)) || !mutateIs(7) && (a < b))
//	a + b    mutateAdd(7, a, b)
//
// where what is evaluated, and in what order, is as before. Only the operands of the original hold switches of their own.

// edit is a change of a text that lets others be made around and inside of it.
type edit struct {
	offset, size int
	text         string
	kind         editKind
	id           int // of the switch
}

type editKind int

// In the order in which they come at one place.
const (
	closes   editKind = iota // an expression that ends here
	opens                    // one that begins here
	replaces                 // the text itself
)

// apply makes edits, which are in the order in which nodes are visited: outer ones first. lines are the switches on each
// line of the result, from 1 on.
func apply(text []byte, edits []edit) (result []byte, lines map[int][]int) {
	order := make([]int, len(edits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := edits[i], edits[j]
		switch {
		case a.offset != b.offset:
			return a.offset - b.offset
		case a.kind != b.kind:
			return int(a.kind - b.kind)
		case a.kind == closes:
			return j - i
		}
		return i - j
	})
	var out bytes.Buffer
	lines = map[int][]int{}
	line, at := 1, 0
	for _, i := range order {
		e := edits[i]
		line += bytes.Count(text[at:e.offset], []byte("\n"))
		out.Write(text[at:e.offset])
		lines[line] = append(lines[line], e.id)
		for range strings.Count(e.text, "\n") {
			line++
			lines[line] = append(lines[line], e.id)
		}
		out.WriteString(e.text)
		at = e.offset + e.size
	}
	out.Write(text[at:])
	return out.Bytes(), lines
}

// arithmetic names the functions that stand for operators in a program with switches.
var arithmetic = map[token.Token]string{
	token.ADD: "mutateAdd", token.SUB: "mutateSub", token.MUL: "mutateMul", token.QUO: "mutateQuo", token.REM: "mutateRem",
	token.AND: "mutateAnd", token.OR: "mutateOr", token.XOR: "mutateXor", token.AND_NOT: "mutateAndNot",
	token.SHL: "mutateShl", token.SHR: "mutateShr",
}

// helpers is the file that a package with switches has more than without.
func helpers(pkg string, switches int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, helpersHead, pkg, switches+1)
	for _, op := range []token.Token{token.ADD, token.SUB, token.MUL, token.QUO} {
		fmt.Fprintf(&b, "func %s[T mutateNumber](id int, x, y T) T {\n\tif mutateIs(id) {\n\t\treturn x %s y\n\t}\n\treturn x %s y\n}\n", arithmetic[op], operators[op][0], op)
	}
	for _, op := range []token.Token{token.REM, token.AND, token.OR, token.XOR, token.AND_NOT} {
		fmt.Fprintf(&b, "func %s[T mutateInteger](id int, x, y T) T {\n\tif mutateIs(id) {\n\t\treturn x %s y\n\t}\n\treturn x %s y\n}\n", arithmetic[op], operators[op][0], op)
	}
	for _, op := range []token.Token{token.SHL, token.SHR} {
		fmt.Fprintf(&b, "func %s[T, N mutateInteger](id int, x T, y N) T {\n\tif mutateIs(id) {\n\t\treturn x %s y\n\t}\n\treturn x %s y\n}\n", arithmetic[op], operators[op][0], op)
	}
	return b.Bytes()
}

const helpersHead = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutateOn, _ = strconv.Atoi(os.Getenv("MUTATE_ON"))
	mutateSeen  [%d]atomic.Bool
	mutateFile  = func() *os.File {
		name := os.Getenv("MUTATE_SEEN")
		if name == "" {
			return nil
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		return f
	}()
)

func mutateIs(id int) bool {
	if mutateFile != nil && mutateSeen[id].CompareAndSwap(false, true) {
		if _, err := mutateFile.WriteString(strconv.Itoa(id) + "\n"); err != nil {
			panic(err)
		}
	}
	return id == mutateOn
}

type mutateInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutateNumber interface {
	mutateInteger | ~float32 | ~float64
}

func mutateInt(id, n int) int {
	if mutateIs(id) {
		return n + 1
	}
	return n
}
`
