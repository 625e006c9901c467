package fuzzer

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
)

// feature is something that an input covers: a block, or a side of a conditional
// jump.
type feature struct {
	code bytecode.CodeID
	at   uint32 // the block's number, or the pc of the jump
	kind featureKind
}

type featureKind uint8

const (
	blockEntered featureKind = iota
	blockKept                // in a call that succeeded: what reaches a target
	sideTaken
	sideNotTaken
)

// features lists what an execution covers, each once.
func features(exec *evm.Execution) []feature {
	seen := map[feature]bool{}
	var list []feature
	add := func(f feature) {
		if !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	for _, c := range exec.Covered {
		add(feature{c.Code, uint32(c.Block), blockEntered})
		if c.Kept {
			add(feature{c.Code, uint32(c.Block), blockKept})
		}
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Program == nil {
			continue
		}
		for k := range f.Comparisons {
			side := sideNotTaken
			if f.Comparisons[k].Taken {
				side = sideTaken
			}
			add(feature{f.Program.ID, f.Comparisons[k].PC, side})
		}
	}
	return list
}

// trimEntry is an input of a corpus as trim sees it.
type trimEntry struct {
	size     int // in bytes of text: of two that cover the same, the smaller stays
	features []feature
}

// trim chooses entries that together cover everything that all of them cover, as
// afl-cmin does: feature by feature, the rarest first, the smallest entry that
// has it, unless one that was chosen already has it. The result is sorted and
// depends on nothing but the entries. It is small, not the smallest: that would
// be the set cover problem.
func trim(entries []trimEntry) (kept []int) {
	holders := map[feature][]int{}
	var order []feature // of first appearance
	for i := range entries {
		for _, f := range entries[i].features {
			if holders[f] == nil {
				order = append(order, f)
			}
			holders[f] = append(holders[f], i)
		}
	}
	slices.SortStableFunc(order, func(f, g feature) int { return cmp.Compare(len(holders[f]), len(holders[g])) })
	chosen := make([]bool, len(entries))
	covered := map[feature]bool{}
	for _, f := range order {
		if covered[f] {
			continue
		}
		best := slices.MinFunc(holders[f], func(i, j int) int {
			return cmp.Or(cmp.Compare(entries[i].size, entries[j].size), cmp.Compare(i, j))
		})
		chosen[best] = true
		for _, g := range entries[best].features {
			covered[g] = true
		}
	}
	for i, c := range chosen {
		if c {
			kept = append(kept, i)
		}
	}
	return kept
}

// maxTrimGas bounds the gas of the runs that measure a corpus's coverage: about ten
// seconds on go-ethereum. A campaign's corpus needs a hundredth of it.
const maxTrimGas = 1 << 31

// Bounds of a trimmed folder: a campaign saves a few hundred inputs of a few hundred
// bytes, so that this is far more than a project needs, and far below the 10 GB that
// GitHub keeps of a repository's caches.
const (
	maxTrimmedFiles = 4_096
	maxTrimmedBytes = 16 << 20
)

// Trim removes the inputs of the folder that add nothing to what the others cover
// (see trim), judged by the machine. It keeps inputs that do not fit the present build
// entirely, since another branch may still use them, and all others once maxTrimGas is used
// up. Last, it brings the folder within its bounds (see bound).
func (c *Corpus) Trim(space *input.Space, machine evm.Machine) error {
	entries, err := c.list()
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("corpus not trimmed: %w", err)
	}
	var names []string
	var inputs []trimEntry
	var encoded evm.Sequence
	gas := uint64(0)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), corpusSuffix) || len(names) >= maxCorpusFiles || gas > maxTrimGas {
			continue
		}
		seq, err := c.read(space, e.Name())
		if err != nil {
			continue // said when it was loaded
		}
		encoded = space.Encode(seq, encoded)
		exec, err := machine.Run(encoded)
		if err != nil {
			continue // nor is it removed
		}
		for i := range exec.Calls {
			gas += exec.Calls[i].GasUsed
		}
		names = append(names, e.Name())
		inputs = append(inputs, trimEntry{len(input.Format(space, seq)), features(exec)})
	}
	needed := map[string]bool{}
	kept := trim(inputs)
	for i, name := range names {
		if _, found := slices.BinarySearch(kept, i); found || gas > maxTrimGas {
			needed[name] = true
			continue
		}
		if err := c.remove(name); err != nil {
			return err
		}
	}
	return c.bound(needed, maxTrimmedFiles, maxTrimmedBytes)
}

// bound removes inputs until the folder is within bounds: first those that are not needed,
// since they do not fit the present build, then the others, the largest first.
func (c *Corpus) bound(needed map[string]bool, files int, bytes int64) error {
	entries, err := c.list()
	if err != nil {
		return fmt.Errorf("corpus not trimmed: %w", err)
	}
	type saved struct {
		name string
		size int64
	}
	var all []saved
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), corpusSuffix) {
			continue
		}
		all = append(all, saved{e.Name(), info.Size()})
		total += info.Size()
	}
	slices.SortFunc(all, func(a, b saved) int {
		if needed[a.name] != needed[b.name] {
			if needed[b.name] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	for len(all) > files || total > bytes {
		if err := c.remove(all[0].name); err != nil {
			return err
		}
		total -= all[0].size
		all = all[1:]
	}
	return nil
}

// clear removes the inputs for which breaks returns true.
func (c *Corpus) clear(space *input.Space, breaks func(input.Sequence) bool) error {
	entries, err := c.list()
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("corpus not cleared: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), corpusSuffix) {
			continue
		}
		seq, err := c.read(space, e.Name())
		var older *input.StaleError
		if err != nil && !errors.As(err, &older) || !breaks(seq) {
			continue // an input that does not fit cannot be judged
		}
		if err := c.remove(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Corpus) remove(name string) error {
	folder, err := files.OpenFolder(c.Dir, false)
	if err != nil {
		return fmt.Errorf("corpus not trimmed: %w", err)
	}
	defer folder.Close()
	if err := folder.Remove(name); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("corpus not trimmed: %w", err)
	}
	return nil
}

// Add saves inputs of a suite that together cover all that it covers, as far as the folder does not yet, and
// trims the folder: what a campaign does while it runs, for a suite that others have made. config is that of the
// campaign, whose judge decides what an input covers.
func (c *Corpus) Add(config *Config, suite []input.Packed) error {
	judge, err := config.NewJudge()
	if err != nil {
		return err
	}
	var inputs []trimEntry
	var sequences []input.Sequence
	gas := uint64(0)
	for _, calls := range suite {
		if gas > maxTrimGas {
			break
		}
		seq := calls.Unpack()
		exec, err := judge.Run(config.Space.Encode(seq, nil))
		if err != nil {
			continue
		}
		for i := range exec.Calls {
			gas += exec.Calls[i].GasUsed
		}
		sequences = append(sequences, seq)
		inputs = append(inputs, trimEntry{len(input.Format(config.Space, seq)), features(exec)})
	}
	for _, i := range trim(inputs) {
		if c.Withhold && breaks(judge, config, sequences[i]) {
			continue
		}
		if err := c.Save(config.Space, sequences[i]); err != nil {
			return err
		}
	}
	if c.Withhold {
		err = c.clear(config.Space, func(seq input.Sequence) bool { return breaks(judge, config, seq) })
	}
	return errors.Join(err, c.Trim(config.Space, judge))
}
