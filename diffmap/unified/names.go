package unified

import (
	"strings"
	"time"
)

// devNull is the name a diff gives to the side on which a file does not exist.
const devNull = "/dev/null"

// headerName is what a "---" or "+++" line says.
type headerName struct {
	name   string
	absent bool // /dev/null, or the timestamp diff -N prints for a missing file
}

// parseHeaderName reads the text behind "--- " or "+++ ": a name, quoted if it
// holds special characters, and perhaps a tab and a timestamp. git ends names
// that hold a space with a lone tab.
func parseHeaderName(text string) (h headerName, ok bool) {
	stamp := ""
	if strings.HasPrefix(text, `"`) {
		var rest string
		if h.name, rest, ok = unquoteC(text); !ok || rest != "" && rest[0] != '\t' {
			return h, false
		}
		stamp = strings.TrimPrefix(rest, "\t")
	} else {
		h.name, stamp, _ = strings.Cut(text, "\t")
	}
	h.absent = h.name == devNull || isEpoch(stamp)
	return h, h.name != ""
}

// isEpoch reports whether a timestamp is 1970-01-01 00:00 UTC, by which diff -N
// marks a file that does not exist.
func isEpoch(stamp string) bool {
	t, err := time.Parse("2006-01-02 15:04:05 -0700", stamp) // fractions are accepted
	return err == nil && t.UnixNano() == 0
}

// unquoteC reads a C string literal as git and GNU diff quote file names: the
// escapes \a \b \f \n \r \t \v \\ \" and three octal digits for a byte. It
// returns the bytes and what follows the closing quote. A NUL byte is refused,
// since no file name holds one.
func unquoteC(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", false
	}
	const escapes, values = `abfnrtv\"`, "\a\b\f\n\r\t\v\\\""
	var out []byte
	for i := 1; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			return string(out), text[i+1:], true
		}
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		if i >= len(text) {
			break
		}
		if k := strings.IndexByte(escapes, text[i]); k >= 0 {
			out = append(out, values[k])
			continue
		}
		b, ok := octalByte(text[i:])
		if !ok {
			break
		}
		out = append(out, b)
		i += 2
	}
	return "", "", false
}

// octalByte reads three octal digits of value 1 to 255.
func octalByte(text string) (byte, bool) {
	if len(text) < 3 {
		return 0, false
	}
	v := 0
	for _, c := range []byte(text[:3]) {
		if c < '0' || c > '7' {
			return 0, false
		}
		v = v*8 + int(c-'0')
	}
	return byte(v), v > 0 && v < 256
}

// unquoteWhole unquotes a header value that is a name and nothing else.
func unquoteWhole(text string) (string, bool) {
	if !strings.HasPrefix(text, `"`) {
		return text, text != ""
	}
	name, rest, ok := unquoteC(text)
	return name, ok && rest == "" && name != ""
}

// splitGitNames splits the two names of a "diff --git" line. Unquoted names may
// hold spaces, which makes the line ambiguous; git writes this line with the
// same path twice unless the file was renamed (and then says so in other
// headers), so the split with the longest common end is the right one.
func splitGitNames(text string) (oldName, newName string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		var rest string
		if oldName, rest, ok = unquoteC(text); !ok || !strings.HasPrefix(rest, " ") {
			return "", "", false
		}
		newName, ok = unquoteWhole(rest[1:])
		return oldName, newName, ok
	}
	if strings.HasSuffix(text, `"`) {
		if i := strings.Index(text, ` "`); i > 0 {
			newName, ok = unquoteWhole(text[i+1:])
			return text[:i], newName, ok
		}
	}
	// Two names of the same length are the common case.
	if mid := len(text) / 2; len(text)%2 == 1 && text[mid] == ' ' && commonPath(text[:mid], text[mid+1:]) != "" {
		return text[:mid], text[mid+1:], true
	}
	best := -1
	for i, tries := 1, 0; i+1 < len(text) && tries < maxNameSplits; i++ {
		if text[i] != ' ' {
			continue
		}
		tries++
		if n := len(commonPath(text[:i], text[i+1:])); n > best {
			oldName, newName, best = text[:i], text[i+1:], n
		}
	}
	return oldName, newName, best >= 0
}

// maxNameSplits bounds the spaces of a "diff --git" line at which a split is
// tried, so that a hostile line costs linear time. Arbitrary, and far above the
// number of spaces in real file names.
const maxNameSplits = 32

// commonPath returns the longest path that both names end with, in whole
// components: "utils/A.sol" for "v1/utils/A.sol" and "v2/utils/A.sol".
func commonPath(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return a
	}
	tail := a[len(a)-n:]
	if n < len(a) && a[len(a)-n-1] == '/' && n < len(b) && b[len(b)-n-1] == '/' {
		return tail
	}
	_, tail, _ = strings.Cut(tail, "/")
	return tail
}

// gitPrefixes are the one-letter directories that git puts before the names of
// the two sides: a and b by default; i, w, c, o, 1 and 2 with
// diff.mnemonicPrefix.
const gitPrefixes = "abiwco12"

func hasGitPrefix(name string) bool {
	return len(name) > 2 && name[1] == '/' && strings.IndexByte(gitPrefixes, name[0]) >= 0
}

// stripGitPrefixes removes a/ and b/ where both names have such a prefix and the
// letters differ. Equal letters mean that the diff was made without prefixes
// and the directory is a real one.
func stripGitPrefixes(oldName, newName string) (string, string) {
	if hasGitPrefix(oldName) && hasGitPrefix(newName) && oldName[0] != newName[0] {
		return oldName[2:], newName[2:]
	}
	return oldName, newName
}
