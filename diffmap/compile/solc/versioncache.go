package solc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// cachedVersion is what soljson.js answers when it is asked for its version. Loading it
// for that takes node half a second, and every project, group of sources and base
// version asks anew; so the answer is kept under the file's hash, from which it follows.
// A native compiler answers at once, and may be a script that chooses one.
func (c *Compiler) cachedVersion(ctx context.Context) ([]byte, error) {
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

// hashed is a file's hash, and what the file was like.
type hashed struct {
	info fs.FileInfo
	hash string
}

// hashes are those of this process, by path: a compiler is looked for several times in a run, and hashing its 10 to 30 MB
// takes 20 ms and more.
var hashes sync.Map

// fileHash is the SHA-256 hash of a file, in hexadecimal digits.
func fileHash(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if known, ok := hashes.Load(name); ok {
		was := known.(hashed) //nolint:errcheck,forcetypeassert // nothing else is kept
		if os.SameFile(was.info, info) && was.info.Size() == info.Size() && was.info.ModTime().Equal(info.ModTime()) {
			return was.hash, nil
		}
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	hash := hex.EncodeToString(h.Sum(nil))
	hashes.Store(name, hashed{info, hash})
	return hash, nil
}
