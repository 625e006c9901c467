package replay

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// imports are the contracts that a test imports, under names that are unique in it.
type imports struct {
	within  string                        // the folder of the test in its project
	folder  string                        // of the project, relative to the repository; empty: its root
	names   map[string]string             // of contracts by qualified name
	sources map[*bytecode.Contract]string // where each is imported from
	list    []*bytecode.Contract
	fixed   bool // the folder is the test's, also before anything is imported

	harnesses map[string]string // texts of sources that the project lacks, which the test gets
}

// name is the name of a contract in the test; false if it cannot be imported: it is in
// another project, or its name or source is not one that solc could have made of a file.
func (i *imports) name(c *bytecode.Contract) (string, bool) {
	if name, ok := i.names[c.QualifiedName()]; ok {
		return name, name != ""
	}
	i.names[c.QualifiedName()] = ""
	source, ok := i.importable(c.Source)
	if c.Generated && (i.harnesses[c.Source] == "" || slices.Contains(slices.Collect(maps.Values(i.names)), c.Name)) {
		return "", false
	}
	if !ok || c.Name == "" || c.Name != solidityName(c.Name) || c.Name[0] >= '0' && c.Name[0] <= '9' || (i.fixed || len(i.list) > 0) && c.Folder != i.folder {
		return "", false
	}
	i.folder = c.Folder
	name := c.Name
	for n := 2; slices.Contains(slices.Collect(maps.Values(i.names)), name); n++ {
		name = fmt.Sprintf("%s_%d", c.Name, n)
	}
	i.names[c.QualifiedName()], i.sources[c] = name, source
	i.list = append(i.list, c)
	return name, true
}

// write writes the imports, and the texts of what cannot be imported.
func (i *imports) write(b *strings.Builder) {
	for _, c := range i.list {
		switch name := i.names[c.QualifiedName()]; {
		case c.Generated:
		case name != c.Name:
			fmt.Fprintf(b, "import {%s as %s} from \"%s\";\n", c.Name, name, i.sources[c])
		default:
			fmt.Fprintf(b, "import {%s} from \"%s\";\n", c.Name, i.sources[c])
		}
	}
	for _, text := range i.written() {
		b.WriteString(text)
	}
}

// written are the texts of harnesses among the contracts, each with imports as a test makes them.
func (i *imports) written() []string {
	var texts []string
	done := map[string]bool{}
	for _, c := range i.list {
		if !c.Generated || done[c.Source] {
			continue
		}
		done[c.Source] = true
		var kept []string
		for _, line := range strings.Split(i.harnesses[c.Source], "\n") {
			before, rest, quoted := strings.Cut(line, "\"")
			name, after, ended := strings.Cut(rest, "\"")
			switch {
			case strings.HasPrefix(line, "// SPDX-License-Identifier:"), strings.HasPrefix(line, "pragma solidity"):
				continue // the test has its own
			case strings.HasPrefix(line, "import ") && quoted && ended:
				if source, ok := i.importable(name); ok {
					line = before + "\"" + source + "\"" + after
				}
			}
			kept = append(kept, line)
		}
		texts = append(texts, strings.Join(kept, "\n"))
	}
	return texts
}

// importable is how the test imports a source of its project; false if its name has characters
// that do not occur in those of sources, or leads out of the project.
func (i *imports) importable(source string) (string, bool) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/@ "
	if !strings.HasSuffix(source, ".sol") || strings.Trim(source, allowed) != "" || path.IsAbs(source) || path.Clean(source) != source || strings.HasPrefix(source, "../") {
		return "", false
	}
	if strings.HasPrefix(source, "@") { // a package, which the project's remappings or node_modules lead to
		return source, true
	}
	from := strings.Split(i.within, "/")
	to := strings.Split(source, "/")
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	if i.within == "." || len(from) == 0 {
		return "./" + strings.Join(to, "/"), true
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/"), true
}
