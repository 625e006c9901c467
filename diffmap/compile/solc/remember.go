package solc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// remembered is what soljson.js answers when it is asked for its version. Loading it
// for that takes node half a second, and every project, group of sources and base
// version asks anew; so the answer is kept under the file's hash, from which it follows.
// A native compiler answers at once, and may be a script that chooses one.
func (c *Compiler) remembered(ctx context.Context) ([]byte, error) {
	kept := ""
	if c.cache != "" {
		if hash, err := fileHash(c.path); err == nil {
			kept = filepath.Join(c.cache, "solc-"+hash)
		}
	}
	if kept != "" {
		if text, err := c.limits.ReadFile(kept); err == nil && LongVersion.Match(text) {
			return text, nil
		}
	}
	text, err := c.ask(ctx, c.script("version"))
	if err == nil && kept != "" && LongVersion.Match(text) {
		// The answer is right whether or not it can be kept.
		_ = atomicfile.WriteInFolder(kept, text)
	}
	return text, err
}

// fileHash is the SHA-256 hash of a file, in hexadecimal digits.
func fileHash(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
