package shard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
)

// Set are the shards of one campaign that are there, by their index.
type Set struct {
	Header          // Index is 0
	Shards []*Shard // at most one of each index
	Notes  []string // what of the folders did not count
}

// Shard is the folder of a shard.
type Shard struct {
	Header
	End  string // Done, Canceled or Running
	dir  string
	file *shardFile
	sum  [32]byte // of shard.json
}

// ErrNone is wrapped where folders have no shard at all.
var ErrNone = errors.New("there are no shards to merge")

// maxNamed bounds the folders that a message names. Arbitrary.
const maxNamed = 3

// Open reads the shards in folders: each is a shard's, or has those of shards. What is in them but
// shard.json is read by [Unite]. The same folders in another order give the same Set. An error names the
// folder that is wrong, and is bad input.
func Open(dirs []string) (*Set, error) {
	var all []*Shard
	var empty []string
	for _, dir := range dirs {
		found, err := openAll(dir)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			empty = append(empty, dir)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, exit.BadInput("%w: %s: there is no %s, nor a folder that has one", ErrNone, cmp.Or(human.First(empty, maxNamed), "no folder was named"), File)
	}
	for _, s := range all[1:] {
		if s.Campaign != all[0].Campaign {
			return nil, exit.BadInput("%s has a shard of another campaign than %s: %s", s.dir, all[0].dir, s.differs(&all[0].Header))
		}
	}
	set := &Set{Header: all[0].Header}
	set.Index = 0
	slices.SortFunc(all, func(a, b *Shard) int { // the one that counts first
		return cmp.Or(cmp.Compare(a.Index, b.Index), b.extent().compare(a.extent()), bytes.Compare(a.sum[:], b.sum[:]))
	})
	for _, s := range all {
		last := len(set.Shards) - 1
		switch {
		case last < 0 || set.Shards[last].Index != s.Index:
			set.Shards = append(set.Shards, s)
		case set.Shards[last].sum != s.sum:
			set.Notes = append(set.Notes, fmt.Sprintf("shard %d has more than one folder, of different contents: the one that got further counts", s.Index))
		}
	}
	set.Notes = slices.Compact(set.Notes)
	if len(empty) > 0 {
		set.Notes = append(set.Notes, fmt.Sprintf("%s %s no %s: whatever ran there wrote nothing", human.Plural(len(empty), "folder"), have(len(empty)), File))
	}
	return set, nil
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// Missing lists the shards that left nothing, by index.
func (s *Set) Missing() (list []int) {
	at := 0
	for i := range s.Of {
		if at < len(s.Shards) && s.Shards[at].Index == i {
			at++
			continue
		}
		list = append(list, i)
	}
	return list
}

// Partial lists the shards that did not come to their end, by index.
func (s *Set) Partial() (list []int) {
	for _, shard := range s.Shards {
		if shard.End != Done {
			list = append(list, shard.Index)
		}
	}
	return list
}

// openAll opens the shard in a folder, or else those in its folders.
func openAll(dir string) ([]*Shard, error) {
	s, err := open(dir)
	if err == nil {
		return []*Shard{s}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, exit.BadInput("%s cannot be read as a shard: %w", dir, err)
	}
	folder, err := files.OpenFolder(dir, false)
	if err != nil {
		return nil, exit.BadInput("%s cannot be read as a shard: %w", dir, err)
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return nil, exit.BadInput("%s cannot be read as a shard: %w", dir, err)
	}
	var all []*Shard
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		below := filepath.Join(dir, e.Name())
		switch s, err := open(below); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, exit.BadInput("%s cannot be read as a shard: %w", human.Printable(below), err)
		case len(all) == 2*maxShards:
			return nil, exit.BadInput("%s has more than %d shards", dir, len(all))
		default:
			all = append(all, s)
		}
	}
	return all, nil
}

// open opens a shard; fs.ErrNotExist: there is no shard.json.
func open(dir string) (*Shard, error) {
	folder, err := files.OpenFolder(dir, false)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such folder")
		}
		return nil, err
	}
	defer folder.Close()
	data, err := files.ReadIn(folder, File, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	file, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return &Shard{Header: file.Header, End: file.End, dir: dir, file: file, sum: sha256.Sum256(data)}, nil
}

// readFile reads the shard.json of a folder.
func readFile(folder *os.Root) (*shardFile, error) {
	data, err := files.ReadIn(folder, File, maxFile)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// parse reads shard.json, as far as that needs no World.
func parse(data []byte) (*shardFile, error) {
	if n := bytes.Count(data, []byte("{")); n > maxObjects {
		return nil, fmt.Errorf("it has %d objects, at most %d are read", n, maxObjects)
	}
	var f shardFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not JSON of a shard: %w", err)
	}
	if f.Version != formatVersion {
		return nil, fmt.Errorf("version %d, this program reads version %d", f.Version, formatVersion)
	}
	h := &f.Header
	switch {
	case h.Of < 1 || h.Of > maxShards || h.Index < 0 || h.Index >= h.Of:
		return nil, fmt.Errorf("there is no shard %d of %d: shards are counted from 0, and at most %d", h.Index, h.Of, maxShards)
	case h.Campaign != h.ID():
		return nil, errors.New("its campaign is not the hash of what it was asked for")
	case f.End != Done && f.End != Canceled && f.End != Running:
		return nil, fmt.Errorf("its end is %.40q, not %s, %s or %s", f.End, Done, Canceled, Running)
	case h.Workers < 0 || h.Timeout < 0:
		return nil, errors.New("it has a negative number of workers, or a negative time limit")
	}
	return &f, f.check()
}

// check holds counts and lists against their bounds.
func (f *shardFile) check() error {
	for _, list := range []struct {
		what    string
		n, most int
	}{
		{"files of sequences", len(f.Sequences), maxPacks}, {"findings", len(f.Findings), maxFindings}, {"faults", len(f.Faults), maxList},
		{"notes", len(f.Notes), maxList}, {"samples", len(f.Timeline), maxList}, {"functions", len(f.Burners), maxList}, {"tests", len(f.Passed), maxList},
	} {
		if list.n > list.most {
			return fmt.Errorf("it has %d %s, at most %d are read", list.n, list.what, list.most)
		}
	}
	counts := []uint64{f.Stats.Executions, f.Stats.Calls, f.Useful, f.Calls}
	whole := []int{f.Stats.Paths, f.Stats.Seeds, f.Stats.Blocks, f.Unconfirmed, f.TooLong}
	seconds := []float64{f.Stats.Seconds, f.Stats.AnalysisSeconds}
	for _, b := range f.Burners {
		counts, seconds = append(counts, b.Calls, b.Ended), append(seconds, b.Share)
		if len(b.Contract)+len(b.Function) > maxText || b.Share > 1 {
			return errors.New("a function's name is too long, or it took more than all of the work")
		}
	}
	for _, s := range f.Timeline {
		counts, whole, seconds = append(counts, s.Executions, s.Calls), append(whole, s.Paths, s.Blocks, s.Reached, s.Findings), append(seconds, s.Seconds)
	}
	for i := range f.Findings {
		counts, seconds = append(counts, f.Findings[i].First.Executions, f.Findings[i].First.Calls), append(seconds, f.Findings[i].First.Seconds)
	}
	for i := range f.Targets {
		if first := f.Targets[i].First; first != nil {
			counts, seconds = append(counts, first.Executions, first.Calls), append(seconds, first.Seconds)
		}
	}
	const longest = 1e9 // seconds: 30 years
	if slices.ContainsFunc(counts, func(n uint64) bool { return n > maxCount }) || slices.ContainsFunc(whole, func(n int) bool { return n < 0 || n > maxCount }) ||
		slices.ContainsFunc(seconds, func(s float64) bool { return !(s >= 0 && s <= longest) }) {
		return errors.New("it has a count or a time that no campaign comes to")
	}
	if len(f.Stopped) > maxText {
		return errors.New("the reason of its end is too long")
	}
	return nil
}

// extent says how far a shard got.
type extent struct {
	end        int
	executions uint64
}

// extentOf is how far a shard got that ended like this.
func extentOf(end string, executions uint64) extent {
	return extent{slices.Index([]string{Running, Canceled, Done}, end), executions}
}

func (s extent) compare(other extent) int {
	return cmp.Or(cmp.Compare(s.end, other.end), cmp.Compare(s.executions, other.executions))
}

func (s *Shard) extent() extent { return extentOf(s.End, s.file.Stats.Executions) }

// differs says in what a header differs from another one.
func (h *Header) differs(other *Header) string {
	for _, c := range []struct {
		what string
		same bool
	}{
		{fmt.Sprintf("its campaign has %s, not %d", human.Plural(h.Of, "shard"), other.Of), h.Of == other.Of},
		{fmt.Sprintf("it was made by %s, not by %s", human.Printable(h.Tool), human.Printable(other.Tool)), h.Tool == other.Tool},
		{fmt.Sprintf("its seed is %d, not %d", h.Seed, other.Seed), h.Seed == other.Seed},
		{"the plan is another one", h.Plan == other.Plan},
		{"the limits are others", h.Timeout == other.Timeout && h.Calls == other.Calls && h.Workers == other.Workers},
		{"the World is another one", h.World == other.World},
		{"the build is another one", h.Build == other.Build},
	} {
		if !c.same {
			return c.what
		}
	}
	return "the targets are others"
}

// isSum reports whether a name is a SHA-256 in hexadecimal, as Writer writes it.
func isSum(name string) bool {
	sum, err := hex.DecodeString(name)
	return err == nil && len(sum) == sha256.Size && hex.EncodeToString(sum) == name
}

// content reads a file that is named by its contents.
func content(folder *os.Root, below, sum, suffix string, limit int64) ([]byte, error) {
	if !isSum(sum) {
		return nil, fmt.Errorf("%.80q is not the SHA-256 of a file", sum)
	}
	in, err := files.OpenIn(folder, below, false)
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", below, err)
	}
	defer in.Close()
	data, err := files.ReadIn(in, sum+suffix, limit)
	if err != nil {
		return nil, fmt.Errorf("%s/%s%s: %w", below, sum, suffix, err)
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("%s/%s%s has other contents than its name says", below, sum, suffix)
	}
	return data, nil
}
