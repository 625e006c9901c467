package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// compileCached compiles, or takes what the same compiler answered to the same
// input before. A cache that cannot be read or written only costs time.
func compileCached(ctx context.Context, input []byte, compiler Compiler, folder string, limits reading.Limits) ([]byte, error) {
	if folder == "" {
		return compiler.Compile(ctx, input)
	}
	file := filepath.Join(folder, cacheKey(input, compiler.Version())+".json")
	defer compiling.lock(file)()
	if text, ok := readCached(file, limits); ok {
		return text, nil
	}
	end := running.begin()
	output, err := compiler.Compile(ctx, input)
	end()
	if err != nil {
		return nil, err
	}
	if jsontext.Valid(output) {
		// The output is right whether or not it can be kept.
		_ = atomicfile.WriteInFolder(file, output)
		trimCache(folder, maxCache)
	}
	return output, nil
}

// questions lets one goroutine at a time have an answer made, by file: the project's own build and
// the last way of making a debug build may be the same.
type questions struct {
	mutex sync.Mutex
	asked map[string]chan struct{} // closed when the answer is there
}

var compiling questions

// lock waits until no other goroutine has the answer made.
func (q *questions) lock(file string) (unlock func()) {
	for {
		q.mutex.Lock()
		other := q.asked[file]
		if other == nil {
			done := make(chan struct{})
			if q.asked == nil {
				q.asked = map[string]chan struct{}{}
			}
			q.asked[file] = done
			q.mutex.Unlock()
			return func() {
				q.mutex.Lock()
				delete(q.asked, file)
				q.mutex.Unlock()
				close(done)
			}
		}
		q.mutex.Unlock()
		<-other
	}
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
	if err != nil || !jsontext.Valid(text) {
		return nil, false
	}
	now := time.Now()              //nolint:forbidigo // the file's time decides what is kept, and no result
	_ = os.Chtimes(file, now, now) // it was used; where that cannot be noted, it goes sooner
	return text, true
}

// maxCache bounds what is kept of compilers' answers, in bytes. A large project's are 100 MB
// (OpenZeppelin's with its tests, debug and release build, measured), so that 4 GiB are about 40
// states of it; otherwise arbitrary.
const maxCache = 4 << 30

// trimCache removes the answers that have not been used for the longest time, down to a size.
func trimCache(folder string, most int64) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // it only costs space
	}
	var kept []fs.FileInfo
	var size int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		kept = append(kept, info)
		size += info.Size()
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if size <= most {
			return
		}
		if os.Remove(filepath.Join(folder, info.Name())) == nil {
			size -= info.Size()
		}
	}
}

// cacheKey hashes what decides a compiler's answer.
func cacheKey(input []byte, version string) string {
	h := sha256.New()
	h.Write([]byte(version))
	h.Write([]byte{0})
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))
}
