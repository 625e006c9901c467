// Package seal turns a folder into one file that only who knows a secret can read, and back: what
// a job found travels through places that everyone can read.
package seal

import (
	"archive/tar"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/files"
)

// A sealed file is the magic, a salt, and what AES-256-GCM makes of a tar under a nonce of zeros: each
// file has a key of its own, from the secret and its salt.
const (
	magic    = "sightline sealed 1\n"
	saltSize = 16
	// rounds of PBKDF2 with SHA-256: what OWASP asks for (2023). They take a fifth of a second.
	rounds = 600_000
	// MinSecret is the length of the shortest secret, bytes. Arbitrary: 16 random letters and digits have
	// 95 bits.
	MinSecret = 16
)

// Bounds of what is read.
const (
	maxBytes = 512 << 20 // of a sealed file: more than all that a shard may leave
	maxFiles = 1 << 16
	maxName  = 300 // bytes of a path; file systems take 255 in a folder
)

// CheckSecret says what is wrong with a secret.
func CheckSecret(secret string) error {
	if len(secret) < MinSecret {
		return fmt.Errorf("it has %d characters; want at least %d random ones, such as `openssl rand -hex 32` prints", len(secret), MinSecret)
	}
	return nil
}

// Write seals the regular files below a folder into a file.
func Write(file, dir, secret string) error {
	folder, err := files.OpenFolder(dir, false)
	if err != nil {
		return files.Plain(err)
	}
	defer folder.Close()
	packed, err := pack(folder)
	if err != nil {
		return err
	}
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	aead, err := cipherOf(secret, salt)
	if err != nil {
		return err
	}
	sealed := append([]byte(magic), salt...)
	sealed = aead.Seal(sealed, make([]byte, aead.NonceSize()), packed, []byte(magic))
	if len(sealed) > maxBytes {
		return fmt.Errorf("%s has %d bytes; at most %d can be sealed", dir, len(packed), maxBytes)
	}
	return files.Plain(atomicfile.WriteInFolder(file, sealed))
}

// Read opens a sealed file into a folder, which is made if need be.
func Read(file, dir, secret string) error {
	data, err := files.ReadBounded(file, maxBytes)
	if err != nil {
		return files.Plain(err)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < saltSize {
		return errors.New("it is not a sealed file")
	}
	aead, err := cipherOf(secret, rest[:saltSize])
	if err != nil {
		return err
	}
	packed, err := aead.Open(nil, make([]byte, aead.NonceSize()), rest[saltSize:], []byte(magic))
	if err != nil {
		return errors.New("the secret is not the one that it was sealed with, or it was changed")
	}
	content, err := unpack(packed)
	if err != nil {
		return err
	}
	folder, err := files.OpenFolder(dir, true)
	if err != nil {
		return files.Plain(err)
	}
	defer folder.Close()
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if err := write(folder, name, content[name]); err != nil {
			return err
		}
	}
	return nil
}

func cipherOf(secret string, salt []byte) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, secret, salt, rounds, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// pack is a tar of the regular files below a folder, in order.
func pack(folder *os.Root) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	err := fs.WalkDir(folder.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := files.ReadIn(folder, name, maxBytes)
		if err != nil {
			return err
		}
		if packed.Len()+len(data) > maxBytes {
			return fmt.Errorf("more than %d bytes cannot be sealed", maxBytes)
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	return packed.Bytes(), errors.Join(err, w.Close())
}

// unpack reads the files of a tar by name, within bounds: whoever made it knew the secret, which several may.
func unpack(packed []byte) (map[string][]byte, error) {
	content := map[string][]byte{}
	in := tar.NewReader(bytes.NewReader(packed))
	for {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return content, nil
		case err != nil:
			return nil, fmt.Errorf("what is in it is not whole: %w", err)
		case len(content) == maxFiles:
			return nil, fmt.Errorf("it has more than %d files", maxFiles)
		case h.Typeflag != tar.TypeReg || !plain(h.Name) || h.Size > int64(len(packed)): // sparse files are larger
			return nil, fmt.Errorf("it has an entry that is not a file of a folder: %.100q", h.Name)
		case content[h.Name] != nil:
			return nil, fmt.Errorf("it has the file %.100q twice", h.Name)
		}
		data := make([]byte, h.Size)
		if _, err := io.ReadFull(in, data); err != nil {
			return nil, fmt.Errorf("what is in it is not whole: %w", err)
		}
		content[h.Name] = data
	}
}

// plain reports whether a path leads below a folder, without detours.
func plain(name string) bool {
	return len(name) <= maxName && fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "\\:\x00")
}

func write(folder *os.Root, name string, data []byte) error {
	if dir := path.Dir(name); dir != "." {
		below, err := files.OpenIn(folder, dir, true)
		if err != nil {
			return files.Plain(err)
		}
		defer below.Close()
		return files.Plain(atomicfile.WriteIn(below, path.Base(name), data))
	}
	return files.Plain(atomicfile.WriteIn(folder, name, data))
}
