package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// testFolder is the folder, with slashes and relative to the root, of the project
// whose tests set up the World; false when several were built: each may have a
// chain of its own, and a World has one.
func testFolder(c *change.Change) (string, bool) {
	folder := "."
	for i, o := range c.Outputs {
		own := path.Clean(o.Folder) // "." for the root's
		if i > 0 && own != folder {
			return "", false
		}
		folder = own
	}
	return folder, true
}

// testChain is the chain of the project's tests, with notes on settings of foundry.toml
// that were not understood.
func testChain(c *change.Change) (*world.Chain, []string) {
	chain := world.DefaultChain()
	folder, one := testFolder(c)
	if c.Root == "" || !one {
		return &chain, nil
	}
	settings, err := settings.Foundry(filepath.Join(c.Root, filepath.FromSlash(folder)), os.Getenv)
	if errors.Is(err, fs.ErrNotExist) {
		return &chain, nil // no Foundry project
	}
	if err != nil {
		return &chain, []string{fmt.Sprintf("%s: tests are set up with forge's defaults", human.Printable(err.Error()))}
	}
	var notes []string
	for _, s := range chainSettings {
		value, ok := settings[s.key]
		if !ok {
			continue
		}
		if err := s.set(&chain, value); err != nil {
			notes = append(notes, fmt.Sprintf("foundry.toml: %s = %s is not understood: tests are set up with forge's default", s.key, human.Printable(value)))
		}
	}
	return &chain, notes
}

// lenientTests reports whether foundry.toml has fuzz tests fail by their own reverts alone.
func lenientTests(c *change.Change) bool {
	folder, one := testFolder(c)
	if c.Root == "" || !one {
		return false
	}
	settings, err := settings.FoundryFuzz(filepath.Join(c.Root, filepath.FromSlash(folder)), os.Getenv)
	return err == nil && settings["fail_on_revert"] == "false"
}

// chainSettings are the keys of foundry.toml that say what chain tests run on, as
// forge's configuration reference has them under "test".
var chainSettings = []struct {
	key string
	set func(c *world.Chain, value string) error
}{
	{"sender", func(c *world.Chain, v string) error { return setAddress(&c.Sender, v) }},
	{"initial_balance", func(c *world.Chain, v string) error { return setBig(&c.Balance, v) }},
	{"gas_limit", func(c *world.Chain, v string) error {
		var n uint64
		if err := setNumber(&n, v); err != nil || n == 0 {
			return cmp.Or(err, strconv.ErrRange)
		}
		// Gas that takes a machine more than seconds is cut: it bounds a set-up's time.
		c.Block.GasLimit, c.Gas = n, min(n, world.DefaultChain().Gas)
		return nil
	}},
	{"block_gas_limit", func(c *world.Chain, v string) error { return setNumber(&c.Block.GasLimit, v) }},
	{"block_number", func(c *world.Chain, v string) error { return setNumber(&c.Block.Number, v) }},
	{"block_timestamp", func(c *world.Chain, v string) error { return setNumber(&c.Block.Time, v) }},
	{"block_base_fee_per_gas", func(c *world.Chain, v string) error { return setNumber(&c.Block.BaseFee, v) }},
	{"block_coinbase", func(c *world.Chain, v string) error { return setAddress(&c.Block.Coinbase, v) }},
	{"block_prevrandao", func(c *world.Chain, v string) error {
		if len(v) != 2+2*common.HashLength || !strings.HasPrefix(v, "0x") {
			return strconv.ErrSyntax
		}
		return c.Block.PrevRandao.UnmarshalText([]byte(v))
	}},
	{"chain_id", func(c *world.Chain, v string) error { return setNumber(&c.Block.ChainID, v) }},
}

// endpoints are the aliases that foundry.toml has for chains.
func endpoints(c *change.Change) []string {
	folder, one := testFolder(c)
	if c.Root == "" || !one {
		return nil
	}
	aliases, err := settings.FoundryEndpoints(filepath.Join(c.Root, filepath.FromSlash(folder)))
	if err != nil {
		return nil // no Foundry project
	}
	return aliases
}

func setNumber(to *uint64, text string) error {
	n, err := strconv.ParseUint(text, 0, 64) // base 0: strings may have digits in groups, 1_000, and hexadecimal
	if err == nil {
		*to = n
	}
	return err
}

func setBig(to *uint256.Int, text string) error {
	text = strings.ReplaceAll(text, "_", "")
	if strings.HasPrefix(text, "0x") {
		n, err := hexutil.DecodeBig(text)
		if err != nil {
			return err
		}
		_ = to.SetFromBig(n) // hexutil takes at most 256 bits
		return nil
	}
	n, err := uint256.FromDecimal(text)
	if err == nil {
		*to = *n
	}
	return err
}

func setAddress(to *common.Address, text string) error {
	if !common.IsHexAddress(text) {
		return strconv.ErrSyntax
	}
	*to = common.HexToAddress(text)
	return nil
}

// testRoot is the project's folder as tests see it. Its real place on this machine is
// private, and reports must not depend on it.
const testRoot = "/project"

// testFiles reads files of the project for its tests, except hidden ones, also behind
// symbolic links: .git and .env hold secrets, and what a test reads can end up in a public
// report.
func testFiles(c *change.Change) func(name string) ([]byte, error) {
	folder, one := testFolder(c)
	if c.Root == "" || !one {
		return nil
	}
	read := files.Visible(filepath.Join(c.Root, filepath.FromSlash(folder)))
	return func(name string) ([]byte, error) {
		below := path.Clean(strings.TrimPrefix(name, testRoot+"/"))
		if !fs.ValidPath(below) {
			return nil, fmt.Errorf("%s is not in the project", human.Printable(name))
		}
		data, err := read(below)
		if errors.Is(err, files.ErrHidden) {
			return nil, fmt.Errorf("%s is hidden: set-ups do not read hidden files", human.Printable(name))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", human.Printable(name), files.Plain(err))
		}
		return data, nil
	}
}
