package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// compileCached compiles, or takes what the same compiler answered to the same
// input before. A cache that cannot be read or written only costs time.
func compileCached(ctx context.Context, input []byte, compiler Compiler, folder string, limits reading.Limits) ([]byte, error) {
	if folder == "" {
		return compiler.Compile(ctx, input)
	}
	file := filepath.Join(folder, cacheKey(input, compiler.Version())+".json")
	if text, ok := readCached(file, limits); ok {
		return text, nil
	}
	output, err := compiler.Compile(ctx, input)
	if err != nil {
		return nil, err
	}
	if json.Valid(output) {
		// The output is right whether or not it can be kept.
		_ = atomicfile.WriteInFolder(file, output)
	}
	return output, nil
}

// readCached reads an answer that this user has kept. Its name is that of the question, so
// whoever else can write to the folder could answer for the compiler.
func readCached(file string, limits reading.Limits) (text []byte, ok bool) {
	for _, path := range []string{filepath.Dir(file), file} {
		if info, err := os.Lstat(path); err != nil || !ownedByUs(info) {
			return nil, false
		}
	}
	text, err := limits.ReadFile(file)
	return text, err == nil && json.Valid(text)
}

// cacheKey hashes what decides a compiler's answer.
func cacheKey(input []byte, version string) string {
	h := sha256.New()
	h.Write([]byte(version))
	h.Write([]byte{0})
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))
}
