package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/report"
)

// TestOpen: the page is served until the program is interrupted, as it is at the time.
func TestOpen(t *testing.T) {
	out := t.TempDir()
	file := filepath.Join(out, report.HTMLFile)
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProgram(strings.NewReader(""), &lines{}, &lines{})
	if err := p.open(t.Context(), out, 0, nil); err == nil || !strings.Contains(err.Error(), "run `sightline run` first") {
		t.Errorf("without a page: %v", err)
	}
	write("one")
	ctx, interrupt := context.WithCancel(t.Context())
	get := func(address string) string {
		answer, err := http.Get(address) //nolint:noctx // our own
		if err != nil {
			t.Error(err)
			return ""
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	err := p.open(ctx, out, 0, func(_ context.Context, address string) error {
		go func() {
			defer interrupt()
			if text := get(address); text != "one" {
				t.Errorf("serves %q", text)
			}
			write("two")
			if text := get(address); text != "two" {
				t.Errorf("serves %q", text)
			}
		}()
		return nil
	})
	if err != nil || p.exit != 0 {
		t.Errorf("%v, exit code %d", err, p.exit)
	}
}

// TestServePage: nothing but the page, and nothing to a page elsewhere.
func TestServePage(t *testing.T) {
	out := t.TempDir()
	file := filepath.Join(out, report.HTMLFile)
	for _, name := range []string{file, filepath.Join(out, "world.json")} {
		if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		method, target, host string
		status               int
	}{
		{"GET", "/", "127.0.0.1:80", 200},
		{"GET", "/report.html", "localhost:80", 200},
		{"GET", "/world.json", "127.0.0.1:80", 404},
		{"GET", "/../report.html", "127.0.0.1:80", 404},
		{"POST", "/", "127.0.0.1:80", 405},
		{"GET", "/", "evil.example", 421},
		{"GET", "/", "evil.example:80", 421},
	} {
		request := httptest.NewRequest(test.method, test.target, nil)
		request.Host = test.host
		answer := httptest.NewRecorder()
		servePage(file, "127.0.0.1:80").ServeHTTP(answer, request)
		if answer.Code != test.status {
			t.Errorf("%s %s of %s: %d, want %d", test.method, test.target, test.host, answer.Code, test.status)
		}
		if answer.Code != 200 && strings.Contains(answer.Body.String(), "text") {
			t.Errorf("%s %s of %s: shows a file", test.method, test.target, test.host)
		}
	}
}
