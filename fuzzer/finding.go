package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Finding is a bug that an oracle saw: minimized, and replayed on the reference machine
// from the same World.
type Finding struct {
	Oracle   *oracle.Oracle
	Location bytecode.Location
	Contract string // qualified name; empty when the code is unknown
	Message  string
	Severity oracle.Severity // where it is not the oracle's; zero: it is
	Sequence input.Sequence
	First    Mark
	// NeverPassed reports, for a failing fuzz test, that no arguments made it pass.
	NeverPassed bool
	// Path holds the locations of all blocks that the failing sequence entered,
	// each once, in order of first entry: the report picks the changed line
	// among them.
	Path []bytecode.Location
	// Chosen reports that it happens in calls of a contract that the sequence deploys with
	// arguments of its own choice, and was not seen otherwise.
	Chosen bool
	// Refused reports, for an oracle that compares with the base, that the last call succeeds, and fails there.
	Refused bool
	// Answer is what shows it after the sequence, for an oracle that compares with the base where
	// the last call does the same on both sides; nil: the last call shows it.
	Answer *Answer
	// Ways are other sequences that a worker saw fail there, by other paths: neither
	// minimized nor confirmed. At most Config.Ways.
	Ways []input.Sequence
}

// SamePlace reports whether another finding is one of the same oracle at the same place.
func (f *Finding) SamePlace(other *Finding) bool {
	return other.Oracle == f.Oracle && other.Location == f.Location && other.Chosen == f.Chosen
}

// Outdoes reports whether a finding is to be kept instead of another one at the same place: it takes no call in the name of a contract, or
// else it is more severe.
func (f *Finding) Outdoes(other *Finding, space *input.Space) bool {
	if presumes := f.presumes(space); presumes != other.presumes(space) {
		return !presumes
	}
	return f.Severity > other.Severity
}

// presumes reports whether a finding takes a call in the name of a contract, see [observation].
func (f *Finding) presumes(space *input.Space) bool { return space.SentByInstance(f.Sequence) }

// Answer is what an account answers after a sequence, on head and base.
type Answer struct {
	To         common.Address // on the head
	Data       []byte         // of a call; empty: its ether is asked for, 32 bytes
	Head, Base []byte         // what comes back on either side
}

// Question is the call that asks for what an account answers to data after a sequence, or, without data, for its
// ether. It is the sequence's last, so that what it changes is of no account: the Output is the answer.
func Question(to common.Address, data []byte) evm.Call {
	if len(data) > 0 {
		return evm.Call{To: to, Data: data}
	}
	code := slices.Concat([]byte{byte(vm.PUSH20)}, to[:], []byte{byte(vm.BALANCE), byte(vm.PUSH1), 0, byte(vm.MSTORE), byte(vm.PUSH1), common.HashLength, byte(vm.PUSH1), 0, byte(vm.RETURN)})
	return evm.Call{Create: true, Data: code, Address: asking}
}

// asking is an account without code, where what asks for ether is created.
var asking = common.BytesToAddress(crypto.Keccak256([]byte("sightline: what asks for ether")))

// findingKey deduplicates findings.
type findingKey struct {
	oracle string
	at     bytecode.Location
	// chosen tells findings in calls of contracts that the sequence deploys with arguments
	// of its own choice from others: they must not hide that it happens in the World, too.
	chosen bool
	// severity is the observation's own: what is first seen without a consequence may have one.
	severity oracle.Severity
}

// observation is what an oracle saw.
type observation struct {
	oracle *oracle.Oracle
	oracle.Observation
	chosen bool // see findingKey
	// presumed tells that a call is made in the name of a contract, which may never make it. It must not hide that the
	// same happens without, and is dropped where it does.
	presumed bool
}

func (o *observation) key() findingKey {
	return findingKey{o.oracle.ID, o.Location, o.chosen, o.Severity}
}

// reports are the findings that were reported.
type reports struct {
	plain, presumed map[findingKey]bool // presumed: see [observation]
}

func newReports() reports { return reports{map[findingKey]bool{}, map[findingKey]bool{}} }

// has reports whether a finding was reported: what is presumed is of no interest where the same was seen without.
func (r reports) has(key findingKey, presumed bool) bool {
	return r.plain[key] || presumed && r.presumed[key]
}

func (r reports) add(key findingKey, presumed bool) {
	if presumed {
		r.presumed[key] = true
	} else {
		r.plain[key] = true
	}
}

// observer runs the oracles. It sees every execution and reuses its memory.
type observer struct {
	oracles []*oracle.Oracle
	space   *input.Space
	exempts bool           // at some instructions failures are not bugs
	now     *oracle.Oracle // whose turn it is
	seen    []observation
	report  func(oracle.Observation)
	scenes  scenes
	traced  bool // the execution is worth following its values
	follows bool // some oracle does

	// broken reports a failing property or test: report would exempt it, since it is in a
	// test's code.
	broken func(oracle.Observation)
}

func newObserver(config *Config) *observer {
	o := &observer{traced: true, oracles: config.Oracles, space: config.Space, exempts: config.Exempt != nil}
	o.scenes = scenes{config: config, makers: []func() (evm.Machine, error){config.NewJudge}, attempts: map[suspicion]int{}, checking: map[*bytecode.Program]bool{}}
	o.follows = config.NewTracer != nil && slices.ContainsFunc(config.Oracles, func(known *oracle.Oracle) bool { return known.Examine != nil })
	o.broken = func(seen oracle.Observation) { o.seen = append(o.seen, observation{oracle: o.now, Observation: seen}) }
	o.report = func(seen oracle.Observation) {
		if config.Exempt == nil || !config.Exempt(seen.Location) {
			o.broken(seen)
		}
	}
	return o
}

// observe lists what the oracles see in the execution, and the failure of the property or
// fuzz test that the sequence ends with. The list is valid until the next call.
func (o *observer) observe(seq input.Sequence, exec *evm.Execution) []observation {
	o.seen = o.seen[:0]
	test := input.IsTest(seq)
	var scene *oracle.Scene
	for _, o.now = range o.oracles {
		switch {
		case o.now == oracle.FailingTest && test:
			if !o.space.Lenient || !oracle.RevertsElsewhere(exec) {
				o.now.Check(exec, o.broken)
			}
		case o.now == oracle.FailingTest || test: // a test that passes may do what it likes
		case o.now.Check != nil:
			o.now.Check(exec, o.report)
		case o.now.Examine != nil && o.scenes.config.World != nil && (o.traced || oracle.IsSuspect(exec)):
			if scene == nil {
				scene = o.scenes.of(seq, exec, o.traced)
			}
			o.scenes.now = o.now
			o.now.Examine(scene, o.report)
		}
	}
	o.now = oracle.Assertion
	checkProperty(o.space, seq, exec, o.broken)
	if !o.exempts || !slices.ContainsFunc(o.seen, func(seen observation) bool { return seen.oracle == oracle.Assertion && seen.Call == len(seq)-1 }) {
		checkHandler(o.space, seq, exec, o.broken) // otherwise the assertion is the contract's own, and was seen there
	}
	o.seen = slices.DeleteFunc(o.seen, func(seen observation) bool { return seen.oracle == oracle.Assertion && o.isAround(seq[:seen.Call+1]) })
	for i := range o.seen {
		o.seen[i].chosen = o.space.Instances[seq[o.seen[i].Call].Instance].Chosen()
		o.seen[i].presumed = o.space.SentByInstance(seq[:o.seen[i].Call+1])
	}
	return o.seen
}

// isAround reports whether a sequence ends with a call of a tester, and has calls around it, of which the tester's assertions say nothing.
func (o *observer) isAround(seq input.Sequence) bool {
	tester, ok := o.space.Tester(seq)
	return ok && len(o.space.Within(tester, seq)) < len(seq)
}

// sees reports whether key is observed in this execution.
func (o *observer) sees(key findingKey, seq input.Sequence, exec *evm.Execution) bool {
	_, ok := o.message(key, seq, exec)
	return ok
}

// message is what is said of key in this execution; false: it is not observed.
func (o *observer) message(key findingKey, seq input.Sequence, exec *evm.Execution) (text string, ok bool) {
	for _, seen := range o.observe(seq, exec) {
		if seen.key() == key {
			return seen.Message, true
		}
	}
	return "", false
}

// failingWay is how a sequence came to a finding: the path of its last call, and the function
// called before.
type failingWay struct {
	findingKey
	path   bytecode.PathID
	before *input.Function // nil: the last call is the only one
}

func failingWayOf(key findingKey, seq input.Sequence, exec *evm.Execution) failingWay {
	at := failingWay{findingKey: key, path: exec.PathID()}
	if len(seq) > 1 {
		at.before = seq[len(seq)-2].Function
	}
	return at
}

// Entered lists the entries of the blocks that the execution entered, as
// [Finding.Path] has them.
func Entered(table *bytecode.Table, exec *evm.Execution) []bytecode.Location {
	return entered(table, exec)
}

// entered lists the entries of the blocks that the execution entered.
func entered(table *bytecode.Table, exec *evm.Execution) []bytecode.Location {
	var path []bytecode.Location
	for _, c := range exec.Covered {
		if p := table.Program(c.Code); p != nil {
			path = append(path, bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start})
		}
	}
	return path
}
