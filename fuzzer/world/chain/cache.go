package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"

	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// maxCache bounds a cache file, bytes: a million words.
const maxCache = 256 << 20

// cached is a cache file: one block, and what was asked of its state.
type cached struct {
	head
	Accounts map[common.Address]*cachedAccount `json:"accounts"` // null where there is none
}

type cachedAccount struct {
	Balance hexutil.U256                `json:"balance"`
	Nonce   hexutil.Uint64              `json:"nonce"`
	Code    hexutil.Bytes               `json:"code,omitempty"`
	Storage map[common.Hash]common.Hash `json:"storage,omitempty"`
}

// cacheFile is where a block is kept. The address, which may be secret, is in it as a
// hash.
func cacheFile(folder, address string, number uint64) string {
	hash := sha256.Sum256([]byte(address))
	return filepath.Join(folder, fmt.Sprintf("%s-%d.json", hex.EncodeToString(hash[:8]), number))
}

// load reads the cache; one that is missing is empty.
func (c *Chain) load() error {
	info, err := os.Stat(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Size() > maxCache {
		err = fmt.Errorf("it has %d bytes, the limit is %d", info.Size(), maxCache)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(c.file)
	}
	var file cached
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return fmt.Errorf("the cache %s cannot be used: %w; remove it", c.file, err)
	}
	c.head = file.head
	for address, a := range file.Accounts {
		if a == nil {
			c.accounts[address] = nil
			continue
		}
		account := &evm.Account{Balance: [4]uint64(a.Balance), Nonce: uint64(a.Nonce), Code: a.Code, Storage: a.Storage, Remote: true}
		if account.Storage == nil {
			account.Storage = map[common.Hash]common.Hash{}
		}
		c.accounts[address] = account
	}
	return nil
}

// Save keeps what was asked, so that it need not be asked again.
func (c *Chain) Save() error {
	if c.file == "" || c.Asked() == 0 {
		return nil
	}
	file := cached{head: c.head, Accounts: map[common.Address]*cachedAccount{}}
	known := c.Known()
	c.mu.RLock()
	for address := range c.accounts {
		file.Accounts[address] = nil
		if a := known[address]; a != nil {
			file.Accounts[address] = &cachedAccount{hexutil.U256(a.Balance), hexutil.Uint64(a.Nonce), a.Code, a.Storage}
		}
	}
	c.mu.RUnlock()
	text, err := json.Marshal(&file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(c.file, text)
}
