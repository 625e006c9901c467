package report

import (
	"reflect"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// maxShownText bounds a string in the page, in characters: it is far above what a report says of a project.
const maxShownText = 20_000

// maxIndent bounds the spaces before a line; arbitrary.
const maxIndent = 100

// cleanStrings replaces in all strings that data, a pointer, leads to what could deceive a reader: characters
// that are invisible, or that change the direction of text, are written out as in Go. Tabs become spaces, and
// lines stay lines. Nothing is changed in place but data itself.
func cleanStrings(data any) {
	v := reflect.ValueOf(data).Elem()
	v.Set(cleaned(v))
}

// cleaned is a copy of a value with clean strings.
func cleaned(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(cleanText(v.String())).Convert(v.Type())
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(cleaned(v.Elem()))
		return c
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(cleaned(v.Index(i)))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			c.Field(i).Set(cleaned(v.Field(i)))
		}
		return c
	}
	return v
}

// cleanText makes each line of a text clean, and keeps its indentation.
func cleanText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\t", "    "), "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		lines[i] = line[:min(len(line)-len(text), maxIndent)] + human.Clean(text, maxShownText)
	}
	return strings.Join(lines, "\n")
}
