package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// compileCached compiles, or takes what the same compiler answered to the same
// input before. A cache that cannot be read or written only costs time.
func compileCached(ctx context.Context, input []byte, compiler StandardCompiler, folder string, limits Limits) ([]byte, error) {
	if folder == "" {
		return compiler.Compile(ctx, input)
	}
	file := filepath.Join(folder, cacheKey(input, compiler.Version())+".json")
	if text, err := limits.readFile(file); err == nil && json.Valid(text) {
		return text, nil
	}
	output, err := compiler.Compile(ctx, input)
	if err != nil {
		return nil, err
	}
	if json.Valid(output) {
		// The output is right whether or not it can be kept.
		_ = writeAtomically(file, output)
	}
	return output, nil
}

// cacheKey hashes what decides a compiler's answer.
func cacheKey(input []byte, version string) string {
	h := sha256.New()
	h.Write([]byte(version))
	h.Write([]byte{0})
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))
}

// writeAtomically writes a file so that readers see all of it or none.
func writeAtomically(file string, text []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err = temporary.Write(text); err == nil {
		err = temporary.Sync()
	}
	if closing := temporary.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
