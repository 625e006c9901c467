package compile

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// TestCompileBaseAhead: the base that is begun when the head's debug build begins is the one that is
// asked for, so that nothing is compiled then.
func TestCompileBaseAhead(t *testing.T) {
	for name, settings := range map[string]map[string]any{
		"legacy": {"optimizer": map[string]any{"enabled": true}},
		"via IR": {"optimizer": map[string]any{"enabled": true}, "viaIR": true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input, err := json.Marshal(map[string]any{"language": "Solidity", "settings": settings, "sources": map[string]any{
				"A.sol": map[string]any{"content": "import './B.sol'; contract A is B { function f() external pure returns (uint256) { return 2; } }"},
				"B.sol": map[string]any{"content": "contract B {}"},
			}})
			if err != nil {
				t.Fatal(err)
			}
			base := BaseOptions{Texts: map[string][]byte{"A.sol": []byte("import './B.sol'; contract A is B { uint256 x; }")}}
			options := DebugOptions{Cache: t.TempDir()}
			var head *Output
			options.Began = func(o *Output) { head = o }
			if _, err := DebugBuild(t.Context(), input, compiler(t, "0.8.30"), options); err != nil {
				t.Fatal(err)
			}
			if head == nil {
				t.Fatal("it was not told")
			}
			head.CompileBaseAhead(t.Context(), base, compilers(t), options)
			made := answers(t, options.Cache)
			begun := head
			options.Began = func(o *Output) { head = o }
			read, err := DebugBuild(t.Context(), input, compiler(t, "0.8.30"), options)
			if err != nil {
				t.Fatal(err)
			}
			if head != begun {
				t.Error("an answer in the cache was compiled")
			}
			if _, err := read.BaseBuild(t.Context(), base, compilers(t), options); err != nil {
				t.Fatal(err)
			}
			if after := answers(t, options.Cache); made != 2 || after != made || head != begun {
				t.Errorf("%d answers, then %d", made, after)
			}
		})
	}
}

// answers counts the answers that are kept in a folder.
func answers(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestProcessors: what is compiled ahead waits for a core, and no longer than its context.
func TestProcessors(t *testing.T) {
	t.Parallel()
	var p processors
	first, second := p.begin(), p.begin()
	if err := p.wait(t.Context(), 3); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.wait(short, 2); err == nil {
		t.Error("it did not wait")
	}
	waited := make(chan error)
	go func() { waited <- p.wait(t.Context(), 1) }()
	first()
	second()
	if err := <-waited; err != nil {
		t.Error(err)
	}
}
