package harness

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Oldest is the first compiler for which contracts are written: it knows calldata, and has
// constructors of the form that all later ones take.
var Oldest = solc.Version{Minor: 5}

// maxWrapped bounds the functions that one contract exposes; arbitrary. Abstract contracts of
// @openzeppelin/contracts have up to 60 internal ones with their bases.
const maxWrapped = 96

// Harness is a source with contracts that make code callable.
type Harness struct {
	unit      *unit
	version   solc.Version
	writers   []*writer
	at        []placed // what the text that Source returned holds
	unwritten []Contract
}

// Write writes contracts for declarations of a build that no deployable contract holds: functions,
// modifiers and variables, nodes of its ASTs. It must be compiled with a compiler of the version
// that made the build.
func Write(o *compile.Output, wanted []*compile.Node, version solc.Version) *Harness {
	h := &Harness{unit: readUnit(o), version: version}
	if version.Less(Oldest) {
		for _, n := range wanted {
			h.exclude(n, fmt.Sprintf("harnesses are written for solc %s and later", Oldest))
		}
		return h
	}
	seen := map[*compile.Node]bool{}
	for _, n := range wanted {
		h.want(n, n, seen)
	}
	names := map[string]bool{}
	for _, w := range h.writers {
		w.contract.Name = unique(names, w.contract.Name)
		w.write()
	}
	return h
}

// unique returns the name, or with a number behind it if it is taken, and takes it.
func unique(taken map[string]bool, name string) string {
	text := name
	for n := 2; taken[text]; n++ {
		text = fmt.Sprintf("%s_%d", name, n)
	}
	taken[text] = true
	return text
}

// want has a declaration made callable: n, for the sake of first, which is what was asked for.
func (h *Harness) want(n, first *compile.Node, seen map[*compile.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	container := containerOf(n)
	kind := ""
	if container != nil {
		kind = container.Attribute("contractKind")
	}
	if kind == "interface" || isCallable(n) && n.Child("body") == nil {
		return
	}
	inContract := kind == "contract"
	switch {
	case n.Type == "VariableDeclaration" && inContract && n.Attributes.Get("constant") != true,
		n.Type == "FunctionDefinition" && inContract && (!isInternal(n) || n.Attribute("kind") != "function"):
		h.writerOf(n) // whoever deploys it has that
		return
	case n.Type == "ModifierDefinition" && inContract, n.Type == "FunctionDefinition" && n.Attribute("visibility") != "private":
		w := h.writerOf(n)
		w.wanted = append(w.wanted, n)
		return
	}
	users := h.unit.uses[n.ID]
	if len(users) == 0 && n == first {
		h.exclude(n, "no function that a harness can call uses it")
	}
	for _, user := range users {
		if user != n {
			h.want(user, first, seen)
		}
	}
}

// isInternal reports whether a function of a contract can only be called from within.
func isInternal(n *compile.Node) bool {
	v := n.Attribute("visibility")
	return v == "internal" || v == "private"
}

func (h *Harness) exclude(n *compile.Node, reason string) {
	name := printable(n.Attribute("name"))
	h.unwritten = append(h.unwritten, Contract{Of: name, Source: h.unit.path(n), Missing: []Missing{{cmp.Or(name, "a declaration"), reason}}})
}

// path is that of the source that a node stands in.
func (u *unit) path(n *compile.Node) string {
	if s := u.sources[n.File]; s != nil {
		return s.Path
	}
	return ""
}

// printable is a name for people.
func printable(name string) string {
	if isIdentifier(name) {
		return name
	}
	return ""
}

// writerOf is the writer for the contract, library or file that a declaration stands in.
func (h *Harness) writerOf(n *compile.Node) *writer {
	container := containerOf(n)
	for _, w := range h.writers {
		if w.of == container && (container != nil || w.file == n.File) {
			return w
		}
	}
	source := h.unit.path(n)
	w := &writer{harness: h, of: container, file: n.File, names: map[string]bool{}, states: map[string]string{}}
	if container != nil {
		w.contract.Of = printable(container.Attribute("name"))
		w.child = container.Attribute("contractKind") == "contract"
	} else {
		w.contract.Of = source
	}
	w.contract.Source = source
	base := w.contract.Of
	if container == nil {
		base = strings.TrimSuffix(path.Base(source), path.Ext(source))
	}
	w.contract.Name = cmp.Or(printable(base), "Unnamed") + "Harness"
	h.writers = append(h.writers, w)
	return w
}

// Contracts are those of the source, and those that could not be written, without a name.
func (h *Harness) Contracts() []Contract {
	var list []Contract
	for _, w := range h.writers {
		c := w.contract
		for _, p := range w.pieces {
			switch {
			case p.name == "":
			case p.dropped():
				c.Missing = append(c.Missing, Missing{p.name, p.reason})
			default:
				c.Wrapped = append(c.Wrapped, p.name)
			}
		}
		if w.empty() {
			c.Name, c.Wrapped = "", nil
			if w.reason != "" {
				c.Missing = append(c.Missing, Missing{c.Of, w.reason})
			}
		}
		list = append(list, c)
	}
	return append(list, h.unwritten...)
}

// placed is a piece of a text.
type placed struct {
	start, end int // bytes
	writer     *writer
	piece      *piece // nil: the contract's header
}

// Source is the text of all contracts; nil where there are none.
func (h *Harness) Source() []byte {
	h.at = nil
	var b strings.Builder
	for _, w := range h.writers {
		if w.empty() {
			continue
		}
		if b.Len() == 0 {
			h.begin(&b)
		}
		b.WriteString("\n")
		start := b.Len()
		fmt.Fprintf(&b, "/// Written by Sightline, to call %s.\n%s {\n", w.contract.Of, w.header)
		h.at = append(h.at, placed{start, b.Len(), w, nil})
		for i, p := range w.pieces {
			text := p.text()
			if text == "" {
				continue
			}
			if i > 0 {
				b.WriteString("\n")
			}
			start := b.Len()
			b.WriteString(text)
			h.at = append(h.at, placed{start, b.Len(), w, p})
		}
		b.WriteString("}\n")
	}
	if b.Len() == 0 {
		return nil
	}
	return []byte(b.String())
}

// begin writes what comes before contracts.
func (h *Harness) begin(b *strings.Builder) {
	b.WriteString("// SPDX-License-Identifier: UNLICENSED\n")
	fmt.Fprintf(b, "pragma solidity %s;\n", h.version)
	if h.version.Less(solc.Version{Minor: 8}) { // structs as parameters; later ones have it by default
		b.WriteString("pragma experimental ABIEncoderV2;\n")
	}
	b.WriteString("\n")
	for i, s := range h.unit.imported {
		fmt.Fprintf(b, "import \"%s\" as %s%d;\n", s.Path, aliasPrefix, i)
	}
	for i, n := range h.unit.bases {
		fmt.Fprintf(b, "import {%s as %s} from \"%s\";\n", n.Attribute("name"), baseName(i), h.unit.path(n))
	}
}

// Reject has less written of what stands at a byte of the last Source, since a compiler does not
// take it for a reason. It reports whether Source is another one now.
func (h *Harness) Reject(at int, reason string) bool {
	i := slices.IndexFunc(h.at, func(p placed) bool { return at >= p.start && at < p.end })
	if i < 0 {
		return false
	}
	if p := h.at[i]; p.piece == nil || !p.piece.reject(reason) {
		p.writer.reason = cmp.Or(p.writer.reason, reason)
	}
	return true
}
