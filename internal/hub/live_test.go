package hub_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/hub"
)

// campaign names the campaign of the tests.
const campaign = "c0ffee"

// patience is how long anything may take: twice the most that a worker waits, on a machine that is busy.
const patience = 20 * time.Second

// space has one contract with one function.
func space(t testing.TB) *input.Space {
	t.Helper()
	parsed, err := gethabi.JSON(strings.NewReader(`[{"type":"function","name":"put","inputs":[{"name":"x","type":"uint256"},{"name":"text","type":"bytes"}],"outputs":[],"stateMutability":"nonpayable"}]`))
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

// text is a sequence that puts a number.
func text(n int) string {
	return fmt.Sprintf("sightline-sequence v1\nuser Store.put(uint256,bytes) args (%d, 0x)\n", n)
}

// offer offers a number.
func offer(t testing.TB, s *input.Space, n int, why fuzzer.OfferReason) fuzzer.Offer {
	t.Helper()
	seq, err := input.Parse(s, text(n))
	if err != nil {
		t.Fatal(err)
	}
	return fuzzer.Offer{Sequence: seq, Why: why, Target: -1, Path: bytecode.PathID{byte(n), byte(n >> 8)}}
}

// start starts a hub in a folder, which the test ends.
func start(t testing.TB, o hub.Options) *hub.Hub {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Store == "" {
		o.Store = t.TempDir()
	}
	h, err := hub.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

// said is what a worker says.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
}

func (s *said) has(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.lines, "\n"), part)
}

// join makes a worker, which the test ends.
func join(t testing.TB, link exchange.Link, name string, news *said) *exchange.Live {
	t.Helper()
	o := exchange.Options{Link: link, Campaign: name, Space: space(t)}
	if news != nil {
		o.Say = news.say
	}
	l, err := exchange.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// await waits until something is so.
func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: not within %s", what, patience)
		}
	}
}

// collect adds what a worker receives to the numbers that it has.
func collect(l *exchange.Live, into map[uint64]int) {
	for _, seq := range l.Receive(0, 100) {
		into[seq[0].Args[0].Word.Uint64()]++
	}
}

// TestExchange: what one worker offers, each other of its campaign receives once, those that join later too; the sender does not,
// and neither do those of another campaign.
func TestExchange(t *testing.T) {
	h := start(t, hub.Options{})
	s, link := space(t), exchange.Link{URL: h.URL()}
	a, b, other := join(t, link, campaign, nil), join(t, link, campaign, nil), join(t, link, "another", nil)
	for range 2 {
		for n := range 10 {
			a.Offer(offer(t, s, n, fuzzer.OfferNear))
		}
	}
	late := map[uint64]int{}
	got := map[uint64]int{}
	await(t, "ten inputs", func() bool { collect(b, got); return len(got) == 10 })
	c := join(t, link, campaign, nil)
	await(t, "ten inputs of a worker that is late", func() bool { collect(c, late); return len(late) == 10 })
	time.Sleep(200 * time.Millisecond)
	collect(b, got)
	for n, times := range got {
		if times != 1 {
			t.Errorf("%d came %d times", n, times)
		}
	}
	own := map[uint64]int{}
	collect(a, own)
	collect(other, own)
	if len(own) > 0 {
		t.Errorf("the sender, or another campaign, received %v", own)
	}
	if stats := a.Close(); stats.Sent != 10 || !stats.Connected || stats.Losses != 0 {
		t.Errorf("%+v", stats)
	}
}

// TestOneOfAPath: of the inputs that many workers offer for one path, another takes one; what is near to something is another matter,
// and so is what does not say its path.
func TestOneOfAPath(t *testing.T) {
	h := start(t, hub.Options{})
	s, link := space(t), exchange.Link{URL: h.URL()}
	for n := range 3 {
		worker := join(t, link, campaign, nil)
		for at, o := range []fuzzer.Offer{offer(t, s, n, fuzzer.OfferPath), offer(t, s, 10+n, fuzzer.OfferNear), offer(t, s, 20+n, fuzzer.OfferState)} {
			if o.Path = (bytecode.PathID{1}); at == 2 {
				o.Path = bytecode.PathID{}
			}
			worker.Offer(o)
		}
	}
	b := join(t, link, campaign, nil)
	got := map[uint64]int{}
	ofPath := func() (n int) {
		for x := range got {
			if x < 10 {
				n++
			}
		}
		return n
	}
	await(t, "the other inputs", func() bool { collect(b, got); return len(got)-ofPath() == 6 })
	await(t, "the one of the path", func() bool { collect(b, got); return ofPath() > 0 })
	time.Sleep(300 * time.Millisecond)
	collect(b, got)
	if ofPath() != 1 {
		t.Errorf("%d inputs of one path are taken in", ofPath())
	}
	if met := b.Close().Met; met != 2 {
		t.Errorf("%d were known, want 2", met)
	}
}

// TestHubGoneAndBack: without the hub a worker's calls return at once; what it offers meanwhile is sent when the hub is back,
// and it receives what it has missed, nothing twice.
func TestHubGoneAndBack(t *testing.T) {
	store := t.TempDir()
	h := start(t, hub.Options{Store: store})
	address := strings.TrimPrefix(h.URL(), "nats://")
	s, link := space(t), exchange.Link{URL: h.URL()}
	var news said
	a, b := join(t, link, campaign, nil), join(t, link, campaign, &news)
	got := map[uint64]int{}
	a.Offer(offer(t, s, 1, fuzzer.OfferState))
	await(t, "the first", func() bool { collect(b, got); return len(got) == 1 })
	h.Stop()
	begun := time.Now()
	for n := 2; n < 5; n++ {
		a.Offer(offer(t, s, n, fuzzer.OfferState))
		collect(b, got)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("calls of the campaign took %s without the hub", took)
	}
	await(t, "news of the loss", func() bool { collect(b, got); return news.has("goes on alone") })
	start(t, hub.Options{Store: store, Listen: address})
	await(t, "what was offered without the hub", func() bool { collect(b, got); return len(got) == 4 })
	for n, times := range got {
		if times != 1 {
			t.Errorf("%d came %d times", n, times)
		}
	}
	if !news.has("connected with the hub") {
		t.Errorf("%q", news.lines)
	}
}

// TestHubForgets: a hub that comes back with an empty store is one to begin with anew.
func TestHubForgets(t *testing.T) {
	h := start(t, hub.Options{})
	address := strings.TrimPrefix(h.URL(), "nats://")
	s, link := space(t), exchange.Link{URL: h.URL()}
	a, b := join(t, link, campaign, nil), join(t, link, campaign, nil)
	got := map[uint64]int{}
	for n := range 5 {
		a.Offer(offer(t, s, n, fuzzer.OfferState))
	}
	await(t, "five inputs", func() bool { collect(b, got); return len(got) == 5 })
	h.Stop()
	start(t, hub.Options{Listen: address})
	a.Offer(offer(t, s, 100, fuzzer.OfferState))
	await(t, "an input of the new hub", func() bool { collect(b, got); return got[100] == 1 })
}

// TestNoHub: where there is none, nothing waits, and closing takes a moment.
func TestNoHub(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, url := range map[string]string{"refused": "nats://127.0.0.1:1", "silent": "nats://" + listener.Addr().String()} {
		begun := time.Now()
		var news said
		l := join(t, exchange.Link{URL: url}, campaign, &news)
		l.Offer(offer(t, space(t), 1, fuzzer.OfferTarget))
		if got := l.Receive(0, 8); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
		stats := l.Close()
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
		if stats.Connected || stats.Unsent != 1 || !news.has("goes on alone") {
			t.Errorf("%s: %+v, %q", name, stats, news.lines)
		}
	}
}

// TestHostileSeeds: whatever is in the stream, what is no seed of the campaign is refused, and what is comes through.
func TestHostileSeeds(t *testing.T) {
	h := start(t, hub.Options{})
	conn, err := nats.Connect(h.URL(), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	name := func(data string) string {
		sum := sha256.Sum256([]byte(data))
		return "sl." + campaign + ".seed." + hex.EncodeToString(sum[:])
	}
	put := func(subject, data string, header nats.Header) error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: []byte(data), Header: header})
		return err
	}
	deep := "sightline-sequence v1\nuser Store.put(uint256,bytes) args " + strings.Repeat("(", 30_000)
	many := "sightline-sequence v1\n" + strings.Repeat("user Store.put(uint256,bytes) args (1, 0x)\n", 300)
	taken := []struct{ subject, data string }{
		{name(text(1)), text(2)},                                     // another hash
		{"sl." + campaign + ".seed.short", text(3)},                  // none
		{name(""), ""},                                               // nothing
		{name("\x00\xff"), "\x00\xff"},                               // no text
		{name("sightline-sequence v1\n"), "sightline-sequence v1\n"}, // no calls
		{name(deep), deep},
		{name(many), many},
		{name("sightline-sequence v2\n"), "sightline-sequence v2\n"},
		{name("sightline-sequence v1\nuser Other.put() args ()\n"), "sightline-sequence v1\nuser Other.put() args ()\n"},
		{name("sightline-sequence v1\nuser Store.put(uint256,bytes) args (1)\n"), "sightline-sequence v1\nuser Store.put(uint256,bytes) args (1)\n"},
	}
	for _, m := range taken {
		if err := put(m.subject, m.data, nats.Header{"Sl-Why": {"target"}, "Sl-Path": {"zz"}, "Sl-From": {strings.Repeat("x", 1000)}}); err != nil {
			t.Errorf("%.40q: %v", m.data, err)
		}
	}
	large := text(4) + strings.Repeat("#\n", exchange.MaxSeed/2)
	if err := put(name(large), large, nil); err != nil { // the message is small enough
		t.Error(err)
	}
	if err := put(name("x"), strings.Repeat("x", exchange.MaxMessage+1), nil); err == nil {
		t.Error("a message that is too large is taken")
	}
	if err := put("$JS.API.STREAM.DELETE.SEEDS", "", nil); err == nil {
		t.Error("a worker deletes the stream")
	}
	if err := put("other.subject", "", nil); err == nil {
		t.Error("a worker publishes elsewhere")
	}
	conn, err = nats.Connect(h.URL()) // the one above may be closed
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	for range 3 { // duplicates
		if err := put(name(text(5)), text(5), nats.Header{"Sl-Why": {"no such reason"}}); err != nil {
			t.Error(err)
		}
	}
	got := map[uint64]int{}
	l := join(t, exchange.Link{URL: h.URL()}, campaign, nil)
	await(t, "the one seed", func() bool { collect(l, got); return got[5] == 1 })
	stats := l.Close()
	if len(got) != 1 || got[5] != 1 {
		t.Errorf("received %v", got)
	}
	if want := uint64(len(taken) + 1); stats.Refused != want {
		t.Errorf("%d were refused, want %d: %+v", stats.Refused, want, stats)
	}
}

// TestRate: a worker sends at most 20 inputs a second, the best first, and of the others the newest, and keeps the newest thousand.
// What it may have sent is reckoned from the time that passed: a loaded machine takes long to offer them all.
func TestRate(t *testing.T) {
	h := start(t, hub.Options{})
	s, link := space(t), exchange.Link{URL: h.URL()}
	begun := time.Now()
	ticks := func() int { return int(time.Since(begun)*20/time.Second) + 2 } // one waits in the ticker, one is on its way
	a, b := join(t, link, campaign, nil), join(t, link, campaign, nil)
	for n := range 1500 {
		if n == 750 {
			a.Offer(offer(t, s, 5000, fuzzer.OfferTarget))
		}
		a.Offer(offer(t, s, n, fuzzer.OfferNear))
	}
	offering, got := ticks(), map[uint64]int{}
	await(t, "the target's input", func() bool { // which comes first of those that wait to be read
		for _, seq := range b.Receive(0, 1) {
			got[seq[0].Args[0].Word.Uint64()]++
		}
		return got[5000] == 1
	})
	if before := len(got) - 1; before > offering {
		t.Errorf("%d inputs came before the one that reaches a target, and at most %d were sent before it was offered", before, offering)
	}
	await(t, "the newest of the others, which comes after 50 s if the oldest is sent first", func() bool {
		collect(b, got)
		return got[1499] == 1
	})
	await(t, "more of them", func() bool { collect(b, got); return len(got) >= 20 })
	if most := ticks(); len(got) > most {
		t.Errorf("%d inputs came, and at most %d may have been sent", len(got), most)
	}
	stats := a.Close()
	if stats.Sent+stats.Unsent+stats.Dropped != 1501 || stats.Unsent > 1000 || stats.Dropped > 501 || int(stats.Dropped) < 501-offering {
		t.Errorf("%+v", stats)
	}
}
