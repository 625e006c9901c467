package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// maxTOML bounds a TOML file, in bytes. foundry.toml has a few KB in practice; 256 KiB is
// arbitrary, and small because the library takes time quadratic in the number of a
// table's keys: a second for a file of this size that holds nothing else.
const maxTOML = 256 << 10

// table is a table of a TOML file (https://toml.io/en/v1.1.0), decoded.
type table map[string]any

// readTOML reads a file. The error wraps fs.ErrNotExist when there is none, and is an
// [*reading.Error] of the kind ErrFormat or ErrTooLarge when it is not TOML or too large.
func readTOML(file string) (table, error) {
	text, err := Read(file)
	if err != nil {
		return nil, err
	}
	decoded, err := parseTOML([]byte(text))
	return decoded, reading.At(file, err)
}

// parseTOML decodes a text.
func parseTOML(text []byte) (table, error) {
	if len(text) > maxTOML {
		return nil, &reading.Error{Kind: reading.ErrTooLarge, Problem: "larger than " + reading.SizeText(maxTOML)}
	}
	var decoded table
	err := toml.Unmarshal(text, &decoded)
	if err == nil {
		return decoded, nil
	}
	e := &reading.Error{Kind: reading.ErrFormat, Problem: reading.Shorten(strings.TrimPrefix(err.Error(), "toml: ")), Cause: err}
	if decode := new(toml.DecodeError); errors.As(err, &decode) {
		line, _ := decode.Position()
		e.Place = fmt.Sprintf("line %d", line)
	}
	return nil, e
}

// sub follows keys to a table; nil when there is none.
func (t table) sub(keys ...string) table {
	for _, key := range keys {
		inner, _ := t[key].(map[string]any)
		t = inner
	}
	return t
}

// texts lists the strings of a setting, which is one or an array.
func (t table) texts(key string) []string {
	switch value := t[key].(type) {
	case string:
		return []string{value}
	case []any:
		var found []string
		for _, element := range value {
			if text, ok := element.(string); ok {
				found = append(found, text)
			}
		}
		return found
	}
	return nil
}

// scalars are the settings that are neither arrays nor tables, as text: strings without
// quotes, integers in decimal.
func (t table) scalars() map[string]string {
	texts := make(map[string]string, len(t))
	for key, value := range t {
		switch value := value.(type) {
		case string:
			texts[key] = value
		case bool:
			texts[key] = strconv.FormatBool(value)
		case int64:
			texts[key] = strconv.FormatInt(value, 10)
		case float64:
			texts[key] = strconv.FormatFloat(value, 'g', -1, 64)
		case time.Time:
			texts[key] = value.Format(time.RFC3339Nano)
		case fmt.Stringer: // the library's local dates and times
			texts[key] = value.String()
		}
	}
	return texts
}
