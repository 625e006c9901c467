package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestMalformed: whatever is wrong in a folder is said, with the folder.
func TestMalformed(t *testing.T) {
	c, dirs := three(t)
	for _, test := range []struct {
		name string
		edit func(string) string
		want string
	}{
		{"no JSON", func(s string) string { return s[:len(s)/2] }, "it is not JSON of a shard"},
		{"another version", replace(`"version":1`, `"version":2`), "version 2, this program reads version 1"},
		{"an index too high", replace(`"i":0`, `"i":3`), "there is no shard 3 of 3"},
		{"a negative index", replace(`"i":0`, `"i":-1`), "there is no shard -1 of 3"},
		{"no shards", replace(`"n":3`, `"n":0`), "there is no shard 0 of 0"},
		{"too many shards", replace(`"n":3`, `"n":1000000`), "at most 4096"},
		{"another seed", replace(`"seed":1`, `"seed":2`), "its campaign is not the hash of what it was asked for"},
		{"another end", replace(`"end":"done"`, `"end":"ended"`), `its end is "ended"`},
		{"too many executions", matched(`"Executions":\d+`, `"Executions":18446744073709551615`), "it has a count or a time that no campaign comes to"},
		{"negative paths", matched(`"Paths":\d+`, `"Paths":-1`), "it has a count or a time that no campaign comes to"},
		{"a negative time", matched(`"Seconds":0`, `"Seconds":-1`), "it has a count or a time that no campaign comes to"},
		{"too many objects", func(s string) string { return s + strings.Repeat("{", maxObjects) }, "objects, at most"},
		{"a target too few", matched(`"status":\[\{[^}]*\}[^}]*\},`, `"status":[`), "targets, and there are"},
		{"an unknown status", replace(`"is":"reached"`, `"is":"passed"`), `"passed" is not a status of a target`},
		{"a target without a mark", matched(`"is":"reached","first":\{[^}]*\}`, `"is":"reached"`), "it does not say when it was entered first"},
		{"a sequence too high", matched(`"sequence":\d+`, `"sequence":99999999`), "it names a sequence that is not there"},
		{"a negative sequence", matched(`"sequence":\d+`, `"sequence":-1`), "it names a sequence that is not there"},
		{"an unknown contract", replace(`runtime"`, `runtim"`), "the build has no code called"},
		{"a pc beyond the code", matched(`"at":\[\d+`, `"at":[4294967295`), "it names a place in code that is not there"},
		{"an artifact too high", matched(`"artifact":\d+`, `"artifact":99`), "it names a place in code that is not there"},
		{"a negative artifact", matched(`"artifact":\d+`, `"artifact":-1`), "it names a place in code that is not there"},
		{"a suite beyond the sequences", matched(`"suite":\[\[0,\d+`, `"suite":[[0,9999999`), "the suite: it names a sequence that is not there"},
		{"a suite that overflows", matched(`"suite":\[\[0,\d+`, `"suite":[[9223372036854775807,2`), "the suite: it names a sequence that is not there"},
		{"an unknown severity", replace(`"findings":[{`, `"findings":[{"severity":5,`), "5 is not a severity"},
		{"a path for a file", matched(`"sequences":\["[0-9a-f]*`, `"sequences":["../../../../etc/passwd`), `"../../../../etc/passwd" is not the SHA-256 of a file`},
		{"a file that is not there", matched(`"sequences":\["[0-9a-f]{4}`, `"sequences":["0000`), "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := copyOf(t, dirs[0], test.edit)
			_, err := unite(c, dir, dirs[1])
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

// TestFolders: files are what their names say, and no link is followed.
func TestFolders(t *testing.T) {
	c, dirs := three(t)
	pack := func(dir string) string {
		list, err := filepath.Glob(filepath.Join(dir, sequencesFolder, "*"))
		if err != nil || len(list) == 0 {
			t.Fatal(err, list)
		}
		return list[0]
	}
	for name, test := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"other contents": {func(dir string) error { return os.WriteFile(pack(dir), []byte("sightline-sequence v1\n"), 0o600) }, "has other contents than its name says"},
		"too large":      {func(dir string) error { return os.WriteFile(pack(dir), make([]byte, maxPack+1), 0o600) }, "it has more than 1048576 bytes"},
		"a link": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), "pack")
			return errorsJoin(os.Rename(pack(dir), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, sequencesFolder, filepath.Base(pack(dirs[0])))))
		}, "it is not a regular file"},
		"a linked folder": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), "sequences")
			return errorsJoin(os.Rename(filepath.Join(dir, sequencesFolder), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, sequencesFolder)))
		}, "is a symbolic link"},
		"a linked shard.json": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), File)
			return errorsJoin(os.Rename(filepath.Join(dir, File), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, File)))
		}, "it is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyOf(t, dirs[0], nil)
			if err := test.damage(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := unite(c, dir); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

func errorsJoin(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// TestOpen: which folders are a set.
func TestOpen(t *testing.T) {
	c, dirs := three(t)
	empty, parent := t.TempDir(), t.TempDir()
	for i, dir := range dirs {
		if err := os.CopyFS(filepath.Join(parent, fmt.Sprint("shard-", i)), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	further := copyOf(t, dirs[1], nil)
	shorter := copyOf(t, dirs[1], func(s string) string {
		return matched(`"Executions":\d+`, `"Executions":1`)(replace(`"end":"done"`, `"end":"running"`)(s))
	})
	const more = "shard 1 has more than one folder, of different contents: the one that got further counts"
	for name, test := range map[string]struct {
		dirs    []string
		shards  []int
		missing []int
		notes   []string
	}{
		"all":                     {dirs[:], []int{0, 1, 2}, nil, nil},
		"in another order":        {[]string{dirs[2], dirs[0], dirs[1]}, []int{0, 1, 2}, nil, nil},
		"one is missing":          {[]string{dirs[2], dirs[0]}, []int{0, 2}, []int{1}, nil},
		"the first is missing":    {dirs[1:], []int{1, 2}, []int{0}, nil},
		"a folder of them":        {[]string{parent}, []int{0, 1, 2}, nil, nil},
		"the same twice":          {[]string{dirs[0], dirs[1], further, dirs[2], parent}, []int{0, 1, 2}, nil, nil},
		"two attempts":            {[]string{shorter, dirs[1]}, []int{1}, []int{0, 2}, []string{more}},
		"two attempts, backwards": {[]string{dirs[1], shorter, dirs[1]}, []int{1}, []int{0, 2}, []string{more}},
		"an empty folder":         {[]string{empty, dirs[0]}, []int{0}, []int{1, 2}, []string{"1 folder has no shard.json: whatever ran there wrote nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := Open(test.dirs)
			if err != nil {
				t.Fatal(err)
			}
			var shards []int
			for _, s := range set.Shards {
				if shards = append(shards, s.Index); s.End != Done {
					t.Errorf("shard %d is %s: not the one that got further", s.Index, s.End)
				}
			}
			if !slices.Equal(shards, test.shards) || !slices.Equal(set.Missing(), test.missing) || !slices.Equal(set.Notes, test.notes) {
				t.Errorf("shards %v, missing %v, notes %q", shards, set.Missing(), set.Notes)
			}
		})
	}
	foreign, fewer := t.TempDir(), t.TempDir()
	other := *c
	other.Seed = 7
	write(t, &other, foreign, 0, 3)
	write(t, c, fewer, 0, 2)
	for name, test := range map[string]struct {
		dirs []string
		want string
	}{
		"another seed":       {[]string{dirs[0], foreign}, "has a shard of another campaign than " + dirs[0] + ": its seed is 7, not 1"},
		"another number":     {[]string{fewer, dirs[0]}, "its campaign has 3 shards, not 2"},
		"nothing":            {[]string{empty}, "there are no shards to merge: " + empty},
		"no such folder":     {[]string{filepath.Join(empty, "x")}, "there is no such folder"},
		"a file":             {[]string{filepath.Join(dirs[0], File)}, "cannot be read as a shard"},
		"no folder is named": {nil, "no folder was named"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(test.dirs); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

// FuzzShard: any shard.json is read, or an error, within bounds. What is read can be united: that takes machines, and
// is left to the seeds.
func FuzzShard(f *testing.F) {
	c := campaignOn(f, "crowdsale")
	c.MaxCalls = 100 // a small file
	dir := f.TempDir()
	write(f, c, dir, 0, 1)
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data)
		if err != nil {
			return
		}
		s := &Shard{Header: file.Header, End: file.End, dir: dir, file: file}
		claims, err := s.read(c)
		if err != nil {
			return
		}
		if len(claims.result.Targets) != len(c.Targets) || len(claims.suite) != len(claims.result.Suite) {
			t.Errorf("%d targets, %d inputs of %d", len(claims.result.Targets), len(claims.suite), len(claims.result.Suite))
		}
	})
}

// FuzzSequences: any file of sequences is read, or an error.
func FuzzSequences(f *testing.F) {
	c := campaignOn(f, "vault")
	s := newSequences(c.Space)
	for _, seq := range input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{}).Seeds() {
		s.sequence(seq)
	}
	f.Add(s.packs[0].text)
	f.Add([]byte(header))
	f.Add([]byte("\n" + header + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := unpack(c.Space, text)
		if err != nil {
			return
		}
		again := newSequences(c.Space)
		for _, u := range list {
			if len(u.calls) == 0 {
				t.Fatal("a sequence without calls")
			}
			if _, ok := again.packed(u.calls); !ok {
				return // longer than it was: numbers may be written in fewer digits than here
			}
		}
	})
}
