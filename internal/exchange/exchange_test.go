package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// testSpace has one contract with one function.
func testSpace(t testing.TB) *input.Space {
	t.Helper()
	parsed, err := gethabi.JSON(strings.NewReader(`[{"type":"function","name":"put","inputs":[{"name":"x","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"}]`))
	if err != nil {
		t.Fatal(err)
	}
	store := &bytecode.Contract{Name: "Store", Source: "src/Store.sol", ABI: parsed, Runtime: &bytecode.Code{Bytes: []byte{0}}}
	s, err := input.NewSpace(&evm.World{
		Instances: []evm.Instance{{Name: "Store", Address: common.Address{1}, Contract: store}},
		Senders:   []evm.Sender{{Name: "user", Address: common.Address{2}}},
	}, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// putting is a sequence that puts a number, and testSeed is one as a seed.
func putting(n int) string {
	return fmt.Sprintf("sightline-sequence v1\nuser Store.put(uint256) args (%d)\n", n)
}

func testSeed(n int, why fuzzer.OfferReason) *seed {
	text := putting(n)
	return &seed{hash: sha256.Sum256([]byte(text)), text: text, why: why, target: -1}
}

// TestQueue: the best reason first, of these the newest; without room, the oldest of the worst goes.
func TestQueue(t *testing.T) {
	q := queue{most: 3, bytes: 1 << 20}
	dropped := 0
	for n, why := range []fuzzer.OfferReason{fuzzer.OfferNear, fuzzer.OfferTarget, fuzzer.OfferNear, fuzzer.OfferState, fuzzer.OfferState} {
		dropped += q.put(testSeed(n, why))
	}
	var got []string
	for s := q.take(); s != nil; s = q.take() {
		got = append(got, s.text)
	}
	want := []string{putting(1), putting(4), putting(3)}
	if dropped != 2 || strings.Join(got, "") != strings.Join(want, "") || q.n != 0 || q.size != 0 {
		t.Errorf("%d dropped, %q is left; %+v", dropped, got, q)
	}
	q = queue{most: 100, bytes: 2 * len(putting(1))}
	for n := range 5 {
		q.put(testSeed(n, fuzzer.OfferPath))
	}
	if q.n != 2 || q.size > q.bytes {
		t.Errorf("%d seeds of %d bytes wait, at most %d may", q.n, q.size, q.bytes)
	}
}

// TestKnown: what was met lately is known, and memory is bounded.
func TestKnown(t *testing.T) {
	k := known[int]{most: 10}
	for n := range 100 {
		if !k.meet(n) || k.meet(n) {
			t.Fatalf("%d is met otherwise than once", n)
		}
		if len(k.new)+len(k.older) > 20 {
			t.Fatalf("%d are kept", len(k.new)+len(k.older))
		}
	}
	if !k.has(90) || k.has(10) {
		t.Error("not the latest are kept")
	}
}

// TestLink: what may be connected with, and what may not.
func TestLink(t *testing.T) {
	for _, c := range []struct {
		link Link
		want string // part of the error; empty: none
	}{
		{Link{URL: "nats://127.0.0.1:4222"}, ""},
		{Link{URL: "nats://localhost:4222"}, ""},
		{Link{URL: "nats://[::1]:4222"}, ""},
		{Link{URL: "tls://hub.example:4222"}, ""},
		{Link{URL: "tls://a.example:4222, tls://b.example:4222"}, ""},
		{Link{URL: "nats://hub.example:4222", CA: "ca.pem"}, ""},
		{Link{URL: "nats://hub.example:4222", Plain: true}, ""},
		{Link{URL: "nats://hub.example:4222"}, "another machine"},
		{Link{URL: "nats://127.0.0.1.example:4222"}, "another machine"},
		{Link{URL: "tls://a.example:4222,nats://b.example:4222"}, "another machine"},
		{Link{URL: "nats://10.0.0.1"}, "another machine"},
		{Link{URL: "tls://token@hub.example:4222"}, TokenVariable},
		{Link{URL: "tls://user:password@hub.example:4222"}, TokenVariable},
		{Link{URL: ""}, "no address"},
		{Link{URL: "http://hub.example"}, "want nats://"},
		{Link{URL: "hub.example:4222"}, "want nats://"},
		{Link{URL: "tls://hub.example:4222/path"}, "want nats://"},
		{Link{URL: "tls://hub.example:4222", Cert: "c.pem"}, "needs its key"},
	} {
		err := c.link.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.link.URL, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "token@")) {
			t.Errorf("%q: the error shows a secret: %v", c.link.URL, err)
		}
	}
}

// writeLog writes a log with some inputs.
func writeLog(t *testing.T, h Header, entries ...entry) string {
	t.Helper()
	dir := t.TempDir()
	l, err := CreateLog(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var n int
		_, _ = fmt.Sscan(e.Sequence, &n)
		l.add(e.Turn, e.Executions, testSeed(n, fuzzer.OfferPath))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, LogFile)
}

// TestReplay: a log gives what was taken in, in the turns in which it was; a campaign that asks otherwise is told so.
func TestReplay(t *testing.T) {
	space := testSpace(t)
	h := Header{Campaign: "c", Seed: 7, Workers: 1, Calls: 100}
	path := writeLog(t, h, entry{Turn: 2, Executions: 10, Sequence: "1"}, entry{Turn: 2, Executions: 10, Sequence: "2"}, entry{Turn: 5, Executions: 40, Sequence: "3"})
	open := func() *Replay {
		r, err := OpenReplay(path, space)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Fits(h); err != nil {
			t.Error(err)
		}
		return r
	}
	r := open()
	var got []string
	for turn, executions := range []uint64{0, 10, 20, 30, 40, 50} {
		for _, seq := range r.Receive(executions, 8) {
			got = append(got, fmt.Sprintf("%d: %s", turn+1, seq[0].Args[0].Word.Dec()))
		}
	}
	if want := "2: 1, 2: 2, 5: 3"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := r.Close(false); err != nil || r.Taken() != 3 {
		t.Errorf("%d were taken; %v", r.Taken(), err)
	}
	r = open()
	r.Receive(0, 8)
	if got := r.Receive(11, 8); len(got) > 0 {
		t.Errorf("a campaign that is somewhere else gets %d inputs", len(got))
	}
	if err := r.Close(true); err == nil || !strings.Contains(err.Error(), "another one") {
		t.Errorf("it is told %v", err)
	}
	r = open()
	r.Receive(0, 8)
	if err := r.Close(false); err == nil {
		t.Error("a campaign that ends before the log is told nothing")
	}
	for name, other := range map[string]Header{
		"campaign": {Campaign: "d", Seed: 7, Workers: 1, Calls: 100}, "seed": {Campaign: "c", Seed: 8, Workers: 1, Calls: 100},
		"calls": {Campaign: "c", Seed: 7, Workers: 1, Calls: 101}, "workers": {Campaign: "c", Seed: 7, Workers: 2, Calls: 100}, "time": {Campaign: "c", Seed: 7, Workers: 1},
	} {
		if err := (&Replay{Header: h}).Fits(other); err == nil {
			t.Errorf("a log of another %s fits", name)
		}
	}
}

// TestLogFollowsNoLink: a link that waits in the output folder is replaced, and what it leads to stays.
func TestLogFollowsNoLink(t *testing.T) {
	dir, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, filepath.Join(dir, LogFile)); err != nil {
		t.Fatal(err)
	}
	l, err := CreateLog(dir, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestBadLogs: each says what is wrong with it.
func TestBadLogs(t *testing.T) {
	space, file := testSpace(t), filepath.Join(t.TempDir(), "log")
	header := `{"format":"sightline exchange log","version":1,"campaign":"c","seed":1,"workers":1,"calls":1}` + "\n"
	line := func(turn int, text string) string {
		sum := sha256.Sum256([]byte(text))
		return fmt.Sprintf(`{"turn":%d,"executions":1,"hash":%q,"sequence":%q}`+"\n", turn, hex.EncodeToString(sum[:]), text)
	}
	for _, c := range []struct{ text, want string }{
		{"", "not a log"},
		{"{}\n", "not a log"},
		{strings.Replace(header, `"version":1`, `"version":2`, 1), "version 2"},
		{header + "nothing\n", "line 2: it is not an input"},
		{header + line(0, putting(1)), "line 2: its turn 0"},
		{header + line(2, putting(1)) + line(1, putting(2)), "line 3: its turn 1"},
		{header + strings.Replace(line(1, putting(1)), "(1)", "(2)", 1), "the hash is not"},
		{header + line(1, "sightline-sequence v1\n"), "no calls"},
		{header + line(1, "sightline-sequence v1\nuser Other.put() args ()\n"), "the world has no instance"},
		{header + line(1, strings.Repeat("x", MaxSeed+1)), "the limit is"},
		{header + strings.Repeat("x", maxLine+1), "too long"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenReplay(file, space); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := OpenReplay(t.TempDir(), space); err == nil {
		t.Error("a folder is a log")
	}
}

// FuzzReadSeed: whatever a message has, it is refused, or it is a seed within bounds whose sequence is one of the Space.
func FuzzReadSeed(f *testing.F) {
	space := testSpace(f)
	good := testSeed(1, fuzzer.OfferState).message("c", "worker")
	f.Add(good.Subject, good.Header.Get(headerWhy), good.Header.Get(headerPath), good.Data)
	f.Add("sl.d.seed.00", "target", "", []byte("sightline-sequence v1\n"))
	f.Add("sl.c.seed."+strings.Repeat("0", 64), "near", strings.Repeat("zz", 32), bytes.Repeat([]byte("x"), MaxSeed+1))
	f.Fuzz(func(t *testing.T, subject, why, path string, data []byte) {
		s, err := readSeed("c", subject, nats.Header{headerWhy: {why}, headerPath: {path}}, data)
		if err != nil {
			return
		}
		if s.why > fuzzer.OfferNear || len(s.text) > MaxSeed || sha256.Sum256(data) != s.hash {
			t.Errorf("%+v", s)
		}
		if seq, err := parseSequence(space, s.text); err == nil && (len(seq) == 0 || space.Validate(seq) != nil) {
			t.Errorf("%q is a sequence: %v", s.text, space.Validate(seq))
		}
	})
}

// FuzzReplay: whatever a log has, it is refused, or all of its inputs are sequences of the Space.
func FuzzReplay(f *testing.F) {
	space := testSpace(f)
	sum := sha256.Sum256([]byte(putting(1)))
	f.Add([]byte(`{"format":"sightline exchange log","version":1}` + "\n" + fmt.Sprintf(`{"turn":1,"executions":0,"hash":"%x","sequence":%q}`, sum, putting(1))))
	f.Add([]byte("{}"))
	file := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := OpenReplay(file, space)
		if err != nil {
			return
		}
		for turn := uint64(0); turn < 8; turn++ {
			for _, seq := range r.Receive(0, 8) {
				if err := space.Validate(seq); err != nil || len(seq) == 0 {
					t.Errorf("%v", err)
				}
			}
		}
		_ = r.Close(true)
	})
}
