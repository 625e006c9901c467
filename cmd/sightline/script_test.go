package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-evm/sightline/report"
)

// scriptCommands are the commands that scripts have in addition to testscript's own.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":     cmdExits,
	"toolchain": cmdToolchain,
	"try":       cmdTry,
	"json":      cmdJSON,
	"edit":      cmdEdit,
	"head":      cmdHead,
	"intact":    cmdIntact,
	"screen":    cmdScreen,
}

// usage ends a script that calls a command wrongly.
func usage(ts *testscript.TestScript, ok bool, text string) {
	if !ok {
		ts.Fatalf("usage: %s", text)
	}
}

// cmdScreen is "screen FILE": fails if a comment fills more than one screen.
func cmdScreen(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "screen FILE")
	if n := report.VisibleLines(ts.ReadFile(args[0])); n == 0 || n > report.Screen {
		ts.Fatalf("%d lines are seen, at most %d fit", n, report.Screen)
	}
}

// cmdExits is "exits CODE PROGRAM ARGUMENT...": runs a program and fails unless
// it ends with the exit code. Arguments with a * are expanded to the files of
// that name, and there must be one.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "exits CODE PROGRAM ARGUMENT...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], expand(ts, args[2:])...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func expand(ts *testscript.TestScript, args []string) []string {
	var expanded []string
	for _, arg := range args {
		if !strings.Contains(arg, "*") {
			expanded = append(expanded, arg)
			continue
		}
		files, err := filepath.Glob(ts.MkAbs(arg))
		ts.Check(err)
		if len(files) == 0 {
			ts.Fatalf("no file is named like %s", arg)
		}
		expanded = append(expanded, files...)
	}
	return expanded
}

// cmdTry is "try CODE PROGRAM ARGUMENT...": exits, and what the user saw is added
// to the file transcript of the script's first folder, the program's standard
// output before its errors. Folders of the machine are shown by their variables.
func cmdTry(ts *testscript.TestScript, neg bool, args []string) {
	cmdExits(ts, neg, args)
	f, err := os.OpenFile(filepath.Join(ts.Getenv("WORK"), "transcript"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	text := "$ " + strings.Join(args[1:], " ") + "\n" + ts.ReadFile("stdout") + ts.ReadFile("stderr") + "\n"
	for _, name := range []string{"WORK", "NPM", "EXAMPLES"} {
		text = strings.ReplaceAll(text, ts.Getenv(name), "$"+name)
	}
	_, err = f.WriteString(text)
	ts.Check(errors.Join(err, f.Close()))
}

// cmdJSON is "json FILE PATH": prints the values at a path of a JSON file, a line
// each: strings as they are, all else as JSON. A path's steps are keys, * for
// every element, and KEY=VALUE for the elements in which it is so:
//
//	json report.json findings * oracle
//	json report.json targets status=reached line
//
// With ! nothing may be there.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) >= 2, "json FILE STEP...")
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &document))
	values := []any{document}
	for _, step := range args[1:] {
		var next []any
		for _, v := range values {
			next = append(next, stepInto(v, step)...)
		}
		values = next
	}
	for _, v := range values {
		if _, err := fmt.Fprintln(ts.Stdout(), plainValue(v)); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	if neg != (len(values) == 0) {
		ts.Fatalf("%s: %d values at %s", args[0], len(values), strings.Join(args[1:], " "))
	}
}

// stepInto takes one step of a path from a value.
func stepInto(v any, step string) []any {
	if object, ok := v.(map[string]any); ok && step != "*" {
		if inner, ok := object[step]; ok {
			return []any{inner}
		}
		return nil
	}
	key, want, filters := strings.Cut(step, "=")
	var matching []any
	for _, element := range elements(v) {
		object, _ := element.(map[string]any)
		if inner, ok := object[key]; step == "*" || filters && ok && plainValue(inner) == want {
			matching = append(matching, element)
		}
	}
	return matching
}

// elements are those of a list, or of an object in order of its keys.
func elements(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		var all []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, v[key])
		}
		return all
	}
	return nil
}

func plainValue(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a decoded JSON value: %v", err))
	}
	return string(text)
}

// cmdEdit is "edit FILE STEP... [= VALUE]": removes what is at the path of a
// JSON file, or sets it to a JSON value.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	const text = "edit FILE STEP... [= JSON]"
	usage(ts, !neg && len(args) >= 2, text)
	file, steps := args[0], args[1:]
	var value any
	remove := true
	if n := len(steps); n >= 3 && steps[n-2] == "=" {
		ts.Check(json.Unmarshal([]byte(steps[n-1]), &value))
		steps, remove = steps[:n-2], false
	}
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &document))
	parents, last := []any{document}, steps[len(steps)-1]
	for _, step := range steps[:len(steps)-1] {
		var next []any
		for _, v := range parents {
			next = append(next, stepInto(v, step)...)
		}
		parents = next
	}
	edited := 0
	for _, parent := range parents {
		object, ok := parent.(map[string]any)
		if !ok {
			continue
		}
		edited++
		if remove {
			delete(object, last)
		} else {
			object[last] = value
		}
	}
	if edited == 0 {
		ts.Fatalf("%s: nothing is at %s", file, strings.Join(steps, " "))
	}
	data, err := json.Marshal(document)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(file), data, 0o644))
}

// cmdHead is "head BYTES FILE DESTINATION": copies the first bytes of a file, as
// an interrupted download leaves it.
func cmdHead(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "head BYTES FILE DESTINATION")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	data := ts.ReadFile(args[1])
	if n >= len(data) {
		ts.Fatalf("%s has only %d bytes", args[1], len(data))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(data[:n]), 0o644))
}
