package build

import "strings"

// tomlTable finds the values of one table in a TOML file, as they are written.
// It knows as much of TOML as foundry.toml's remappings and src need: tables,
// keys, strings and arrays of strings, over several lines, with comments.
func tomlTable(text, table string) map[string]string {
	values := map[string]string{}
	inside := false
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(uncomment(lines[i]))
		if strings.HasPrefix(line, "[") {
			inside = strings.ReplaceAll(strings.Trim(line, "[] \t"), `"`, "") == table
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !inside || !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "[") {
			for !strings.HasSuffix(value, "]") && i+1 < len(lines) {
				i++
				value += " " + strings.TrimSpace(uncomment(lines[i]))
				value = strings.TrimSpace(value)
			}
		}
		values[strings.Trim(strings.TrimSpace(key), `"`)] = value
	}
	return values
}

// uncomment cuts a line's comment off, minding strings.
func uncomment(line string) string {
	var quote rune
	for i, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

// tomlStrings lists the strings of a value, which is one or an array.
func tomlStrings(value string) []string {
	var found []string
	for {
		start := strings.IndexAny(value, `"'`)
		if start < 0 {
			return found
		}
		quote := value[start]
		rest := value[start+1:]
		end := strings.IndexByte(rest, quote)
		if end < 0 {
			return found
		}
		found = append(found, rest[:end])
		value = rest[end+1:]
	}
}
