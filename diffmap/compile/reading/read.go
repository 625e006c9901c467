package reading

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// IsFolder reports whether path is a folder that is there.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Unreadable is the error of a file or folder that cannot be read.
func Unreadable(path string, cause error) error {
	return &Error{Origin: path, Kind: ErrFormat, Problem: "cannot be read", Cause: cause,
		Remedy: "give a file or a folder with compiler output"}
}

// Open opens a regular file of a project. Anything else is an error: a pipe would wait for its
// other end forever, and a device may have no end.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// ReadFile reads a file of at most FileBytes.
func (l Limits) ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, Unreadable(path, err)
	}
	// All of it at once, and not with each doubling; it may have grown since.
	text := make([]byte, min(max(info.Size(), 0), l.FileBytes))
	n, err := io.ReadFull(file, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, Unreadable(path, err)
	}
	rest, err := io.ReadAll(io.LimitReader(file, l.FileBytes+1-int64(n)))
	if err != nil {
		return nil, Unreadable(path, err)
	}
	text = append(text[:n], rest...)
	if int64(len(text)) > l.FileBytes {
		return nil, At(path, TooLarge(l))
	}
	return text, nil
}

// TooLarge is the error of something that exceeds FileBytes.
func TooLarge(limits Limits) error {
	return &Error{Kind: ErrTooLarge, Problem: "larger than " + SizeText(limits.FileBytes),
		Remedy: "ask the compiler for less"}
}

// DecodeJSON is json.Unmarshal with an error that says where.
func DecodeJSON(text []byte, place string, into any) error {
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	e := &Error{Place: place, Kind: ErrSyntax, Cause: err, Problem: "invalid JSON: " + err.Error(),
		Remedy: "give the file as the compiler wrote it"}
	offset := int64(-1)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
		e.Kind = ErrFormat
		e.Problem = fmt.Sprintf("not standard JSON: %s is a JSON %s", Shorten(cmp.Or(mismatch.Field, "it")), Shorten(mismatch.Value))
	}
	if offset >= 0 && offset <= int64(len(text)) {
		line := 1 + bytes.Count(text[:offset], []byte("\n"))
		e.Place = strings.TrimSpace(fmt.Sprintf("%s line %d, byte %d", place, line, offset))
	}
	return e
}

// Shorten cuts foreign text to what fits into a message.
func Shorten(text string) string {
	const fits = 60 // arbitrary: half a terminal's line
	if len(text) <= fits {
		return text
	}
	return strings.ToValidUTF8(text[:fits], "") + "…"
}
