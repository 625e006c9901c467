package solc

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Version is a compiler's version. The commit is not part of it.
type Version struct {
	Major, Minor, Patch int
	Pre                 string // "nightly.2024.1.5"; empty for a release
}

// ParseVersion reads "0.8.30", "v0.8.30", "0.8.30-nightly.2024.1.5" and any of these
// with "+commit…" appended.
func ParseVersion(text string) (Version, error) {
	core, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), "+")
	core, pre, _ := strings.Cut(core, "-")
	numbers := strings.Split(core, ".")
	if len(numbers) != 3 {
		return Version{}, fmt.Errorf("%q is not a version", reading.Shorten(text))
	}
	v := Version{Pre: pre}
	for i, into := range []*int{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(numbers[i], 10, 31)
		if err != nil {
			return Version{}, fmt.Errorf("%q is not a version", reading.Shorten(text))
		}
		*into = int(n)
	}
	return v, nil
}

func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		text += "-" + v.Pre
	}
	return text
}

// Compare orders versions; a pre-release comes before its release.
func (v Version) Compare(other Version) int {
	if c := cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch)); c != 0 {
		return c
	}
	switch {
	case v.Pre == other.Pre:
		return 0
	case v.Pre == "":
		return 1
	case other.Pre == "":
		return -1
	}
	return strings.Compare(v.Pre, other.Pre)
}

// Less reports whether v comes before other.
func (v Version) Less(other Version) bool { return v.Compare(other) < 0 }
