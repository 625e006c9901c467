package fuzzer

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// table is where campaigns of one process exchange inputs, in turns of so many executions each: what one offers in its turn
// the others may receive in theirs.
type table struct {
	slice  uint64
	seats  []*seat
	mu     sync.Mutex
	turn   *sync.Cond
	now    int // whose turn it is
	silent bool
}

// seat is a campaign's place at the table.
type seat struct {
	table *table
	id    int
	until uint64 // executions at which its turn ends
	left  bool
	post  []input.Sequence
	offer func(Offer)
	taken int
}

func newTable(n int, slice uint64) *table {
	t := &table{slice: slice}
	t.turn = sync.NewCond(&t.mu)
	for id := range n {
		t.seats = append(t.seats, &seat{table: t, id: id, until: slice})
	}
	return t
}

func (s *seat) Offer(o Offer) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if s.offer != nil {
		s.offer(o)
	}
	for _, other := range s.table.seats {
		if other != s && !s.table.silent {
			other.post = append(other.post, o.Sequence)
		}
	}
}

func (s *seat) Receive(executions uint64, limit int) []input.Sequence {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if executions >= s.until {
		s.until = executions + s.table.slice
		s.pass()
		s.await()
	}
	got := s.post[:min(limit, len(s.post))]
	s.post = s.post[len(got):]
	s.taken += len(got)
	return got
}

// pass gives the turn to the next who is there.
func (s *seat) pass() {
	t := s.table
	for range t.seats {
		if t.now = (t.now + 1) % len(t.seats); !t.seats[t.now].left {
			break
		}
	}
	t.turn.Broadcast()
}

func (s *seat) await() {
	for s.table.now != s.id {
		s.table.turn.Wait()
	}
}

// runAll runs a campaign for each seat, until one has reached every target. It returns the executions until then.
func (t *table) runAll(tb testing.TB, config func(id int) Config) (least uint64, results []*Result) {
	tb.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	results = make([]*Result, len(t.seats))
	var all sync.WaitGroup
	for id, s := range t.seats {
		config := config(id)
		config.Exchange = s
		open := len(config.Targets)
		config.Progress = func(e Event) {
			if e.Target >= 0 {
				if open--; open == 0 {
					t.mu.Lock()
					if least == 0 {
						least = e.Stats.Executions
					}
					t.mu.Unlock()
					stop()
				}
			}
		}
		all.Add(1)
		go func() {
			defer all.Done()
			t.mu.Lock()
			s.await()
			t.mu.Unlock()
			result, err := (&Campaign{Config: config}).Run(ctx)
			if err != nil {
				tb.Error(err)
			}
			t.mu.Lock()
			s.left = true
			s.pass()
			t.mu.Unlock()
			results[id] = result
		}()
	}
	all.Wait()
	return least, results
}

// TestExchangeLockStep: what takes several steps, each of which is found by chance, takes campaigns that exchange inputs
// fewer executions each than the same ones that do not.
func TestExchangeLockStep(t *testing.T) {
	p := open(t, "units/stairs.sol")
	run := func(silent bool, seed uint64) (uint64, []*Result) {
		table := newTable(4, 200)
		table.silent = silent
		return table.runAll(t, func(id int) Config {
			config := p.config(100*seed+uint64(id), 400_000)
			config.Now = frozen
			config.Without.StateFuzzing = true // it finds keys of later steps before the earlier ones are taken
			config.Without.Solving = true      // and that leaves little to chance
			return config
		})
	}
	var alone, together uint64
	for seed := range uint64(16) {
		least, _ := run(true, seed)
		alone += least
		least, results := run(false, seed)
		together += least
		admitted := uint64(0) // one that is ahead of all others admits nothing
		for i, r := range results {
			noFaults(t, r)
			if x := r.Exchange; x.Offered == 0 || x.Received == 0 || x.Refused > 0 {
				t.Errorf("seed %d, campaign %d: %+v", seed, i, *x)
			}
			admitted += r.Exchange.Admitted
		}
		if admitted == 0 {
			t.Errorf("seed %d: no campaign admitted an input", seed)
		}
	}
	t.Logf("%d executions each without the exchange, %d with it", alone, together)
	if 2*alone < 3*together { // of 48 seeds, 2.5 to 3.7 times as many, 16 at a time
		t.Errorf("%d executions each without the exchange, %d with it", alone, together)
	}
}

// nothing is an exchange on which others are silent.
type nothing struct {
	receive func(uint64, int) []input.Sequence
}

func (nothing) Offer(Offer) {}
func (n nothing) Receive(executions uint64, limit int) []input.Sequence {
	if n.receive == nil {
		return nil
	}
	return n.receive(executions, limit)
}

// TestExchangeSilent: an exchange on which nothing comes changes nothing but the judge's work.
func TestExchangeSilent(t *testing.T) {
	p := open(t, "units/counter.sol")
	config := p.config(1, 20_000)
	config.Now = frozen
	want := mustRun(t, config)
	if want.Exchange != nil {
		t.Error("a result without an exchange tells of one")
	}
	config.Exchange = nothing{}
	got := mustRun(t, config)
	if got.Exchange == nil {
		t.Fatal("the result does not tell of the exchange")
	}
	got.Exchange = nil
	if !reflect.DeepEqual(got, want) {
		t.Error("the result is another one")
	}
}

// TestExchangeTrustsNothing: what is no sequence of the Space is refused, and so is more than was asked for.
func TestExchangeTrustsNothing(t *testing.T) {
	p := open(t, "units/counter.sol")
	own := p.space.Callables[0]
	call := input.Call{Instance: own.Instance, Function: own.Function, Args: make([]input.Value, len(own.Function.Inputs))}
	if err := p.space.Validate(input.Sequence{call}); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*input.Call)) input.Sequence {
		changed := call
		change(&changed)
		return input.Sequence{changed}
	}
	bad := []input.Sequence{
		nil,
		{},
		{{}},
		with(func(c *input.Call) { c.Sender = -1 }),
		with(func(c *input.Call) { c.Sender = 1 << 30 }),
		with(func(c *input.Call) { c.Instance = -1 }),
		with(func(c *input.Call) { c.Instance = 1 << 30 }),
		with(func(c *input.Call) { c.TimeAdvance = 1 << 63 }),
		with(func(c *input.Call) { c.Args = make([]input.Value, 9) }),
		with(func(c *input.Call) { c.Function = open(t, "units/holdings.sol").space.Callables[0].Function }),
		slices.Repeat(input.Sequence{call}, input.MaxCalls+1),
	}
	for _, test := range []struct {
		name    string
		gives   func(limit int) []input.Sequence
		refused uint64
		runs    bool
	}{
		{"malformed", func(limit int) []input.Sequence {
			seq := bad[0]
			bad = append(bad[1:], seq)
			return []input.Sequence{seq}
		}, uint64(len(bad)), false},
		{"too many", func(limit int) []input.Sequence { return slices.Repeat([]input.Sequence{{call}}, limit+1) }, 1, true},
	} {
		config := p.config(1, 20_000)
		config.Now = frozen
		turns := uint64(0)
		config.Exchange = nothing{func(_ uint64, limit int) []input.Sequence {
			if turns++; turns > test.refused {
				return nil
			}
			return test.gives(limit)
		}}
		result := mustRun(t, config)
		noFaults(t, result)
		if x := result.Exchange; x.Refused != test.refused || (x.Received > 0) != test.runs {
			t.Errorf("%s: %+v", test.name, *x)
		}
	}
}

// TestExchangeHasAShare: whatever comes from others takes a hundredth of the executions.
func TestExchangeHasAShare(t *testing.T) {
	p := open(t, "units/counter.sol")
	config := p.config(1, 60_000)
	config.Now = frozen
	mutator, r := input.NewMutator(p.space, input.NewDictionary(nil), input.Options{}), testRand(1)
	config.Exchange = nothing{func(_ uint64, limit int) (list []input.Sequence) {
		for range limit {
			list = append(list, mutator.GenerateSequence(r))
		}
		return list
	}}
	result := mustRun(t, config)
	noFaults(t, result)
	most := result.Stats.Executions/receivedShare + receivedFloor
	if got := result.Exchange.Received; got > most || got < most/4 {
		t.Errorf("%d inputs of others were run, at most %d may be", got, most)
	}
}

// offers keeps what is offered.
type offers struct {
	nothing
	list []Offer
}

func (o *offers) Offer(offer Offer) { o.list = append(o.list, offer) }

// TestOffersBreakNothing: what a campaign hands on reaches its targets and breaks nothing, whatever it has found.
func TestOffersBreakNothing(t *testing.T) {
	for _, source := range []string{"planted/properties.sol", "planted/statuses.sol", "planted/two-steps.sol", "units/rounds.sol"} {
		p := open(t, source)
		config := p.config(1, 60_000)
		config.Now = frozen
		var offered offers
		config.Exchange = &offered
		result := mustRun(t, config)
		noFaults(t, result)
		if len(offered.list) == 0 || uint64(len(offered.list)) != result.Exchange.Offered {
			t.Errorf("%s: %d offers, %d are counted", source, len(offered.list), result.Exchange.Offered)
		}
		if len(result.Findings) > 0 && result.Exchange.Withheld == 0 {
			t.Errorf("%s: something is found and nothing withheld", source)
		}
		machine, err := p.newMachine()
		if err != nil {
			t.Fatal(err)
		}
		reached := map[int]bool{}
		for _, o := range offered.list {
			if err := p.space.Validate(o.Sequence); err != nil {
				t.Errorf("%s: %v", source, err)
			}
			exec, seen, err := Replay(machine, &config, o.Sequence)
			if err != nil || len(seen) > 0 {
				t.Errorf("%s: an exploit is handed on (%v, %v): %s", source, seen, err, format(p.space, o.Sequence))
			}
			if o.Why == OfferTarget {
				_, kept := Enters(p.table, &p.targets[o.Target], exec)
				reached[o.Target] = kept
			}
		}
		for i, target := range result.Targets {
			if target.Reached && !reached[i] {
				t.Errorf("%s: target %d is reached, and nothing that reaches it was offered", source, i)
			}
		}
	}
}
