package sources

import (
	"fmt"
	"path"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Remapping is solc's "context:prefix=target": an import that starts with
// prefix, in a source whose name starts with context, starts with target
// instead.
type Remapping struct{ context, prefix, target string }

// ParseRemapping reads one.
func ParseRemapping(text string) (Remapping, error) {
	left, target, ok := strings.Cut(text, "=")
	if !ok {
		return Remapping{}, fmt.Errorf("%q is not a remapping (prefix=target)", reading.Shorten(text))
	}
	r := Remapping{prefix: left, target: target}
	if context, prefix, ok := strings.Cut(left, ":"); ok {
		r.context, r.prefix = context, prefix
	}
	if r.prefix == "" {
		return Remapping{}, fmt.Errorf("the remapping %q has no prefix", reading.Shorten(text))
	}
	return r, nil
}

// String is the remapping as solc reads it.
func (r Remapping) String() string {
	if r.context == "" {
		return r.prefix + "=" + r.target
	}
	return r.context + ":" + r.prefix + "=" + r.target
}

// asForge is a remapping as forge gives it to solc: both sides end with a slash, unless they
// name a file (foundry-compilers, Remapping's Display).
func (r Remapping) asForge() Remapping {
	slashed := func(s string) string {
		if s == "" || strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".sol") {
			return s
		}
		return s + "/"
	}
	return Remapping{r.context, slashed(r.prefix), slashed(r.target)}
}

// remap applies solc's rule (libsolidity/interface/ImportRemapper.cpp): the
// longest context wins, then the longest prefix, then the last one given.
func remap(remappings []Remapping, name, importer string) string {
	best := -1
	for i, r := range remappings {
		if !strings.HasPrefix(importer, r.context) || !strings.HasPrefix(name, r.prefix) {
			continue
		}
		if best >= 0 {
			b := remappings[best]
			if len(r.context) < len(b.context) || len(r.context) == len(b.context) && len(r.prefix) < len(b.prefix) {
				continue
			}
		}
		best = i
	}
	if best < 0 {
		return name
	}
	return remappings[best].target + name[len(remappings[best].prefix):]
}

// UnitName is the name of the source unit that an import means (solc
// documentation, "Import Path Resolution"): relative ones start at the
// importer's folder, others are names already; then remappings apply.
func UnitName(remappings []Remapping, imported, importer string) string {
	name := imported
	if strings.HasPrefix(imported, "./") || strings.HasPrefix(imported, "../") {
		name = relativeName(path.Clean(imported), importer)
	}
	return remap(remappings, name, importer)
}

// relativeName removes the importer's last segment, and one more for each
// leading "..", without tidying what remains: "./lib/A.sol" and "lib/A.sol" are
// two units to solc.
func relativeName(imported, importer string) string {
	prefix := withoutLast(importer)
	for {
		rest, up := strings.CutPrefix(imported, "../")
		if !up {
			break
		}
		imported, prefix = rest, withoutLast(prefix)
	}
	if prefix == "" {
		return imported
	}
	return prefix + "/" + imported
}

// withoutLast is a name without its last segment and the slashes before it.
func withoutLast(name string) string {
	i := strings.LastIndexByte(name, '/')
	return strings.TrimRight(name[:max(i, 0)], "/")
}
