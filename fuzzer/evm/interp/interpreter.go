package interp

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/cheats"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Interpreter is the machine that campaigns run on: an EVM built for fuzzing. It
// yields the same Execution as gethvm.Reference, field by field, several times as
// fast. What a call is and what it costs is said there.
//
//	opcodes.go      the instruction set of each fork
//	decode.go       code → blocks
//	steps.go        blocks → steps, several instructions joined where that pays
//	loop.go         running steps, on words.go
//	effects.go      the steps that take more than a few lines
//	messages.go     calls and creations
//	ledger.go       accounts and storage
//
// Where speed does not matter, go-ethereum's code is used as it is: precompiled
// contracts and hashes. Both machines tell [record.Recorder] what happens.
type Interpreter struct {
	world   *evm.World
	fork    int
	options evm.Options
	limits  evm.SizeLimits

	ledger  *ledger
	rec     record.Recorder
	hashes  *hashCache
	answers *answers
	decoder decoder
	scratch decoded         // see decoder.precise
	moved   []record.Shadow // see Interpreter.shadow
	frames  []*frame        // by depth
	stacks  []*[stackChunk]uint256.Int

	byHash     map[common.Hash]*decoded            // deployed code
	byProgram  map[*bytecode.Program]*creationCode // creation code
	codeBytes  int                                 // of both
	codeLimit  int                                 // on codeBytes: maxDecoded and the World's code
	generation uint64                              // goes up when decodings are forgotten

	number, time uint64
	random       common.Hash // of the block, where drawn is set, see prevRandao
	drawn        bool
	origin       common.Address
	env          environment
	sent         *evm.Message   // what runs, unless it is a call
	cheats       *cheats.Cheats // nil: there are none
	instead      func(creation []byte) []byte

	done        evm.Sequence // the calls whose results are in rec.Exec
	checkpoints []checkpoint // before each of them
}

// checkpoint is what brings the machine back to the moment before a call.
type checkpoint struct {
	journal      int
	number, time uint64
	recorded     record.Checkpoint
	cheats       *cheatcode.State // nil: there are none
}

var _ evm.Machine = (*Interpreter)(nil)

// environment is what the World's block and chain look like on the stack.
type environment struct {
	chainID, coinbase, gasLimit, baseFee, origin uint256.Int
	number, time                                 uint256.Int
	gasPrice, blobBaseFee                        uint256.Int
}

// creationCode has the latest creation codes of one program: they differ in the
// constructor's arguments behind it.
type creationCode struct {
	codes [4]*decoded // the number is arbitrary
	next  int
}

const (
	// maxDecoded bounds the code, other than the World's, whose decodings are kept
	// between runs, in bytes: a step takes 16, and an entry per pc 4, which adds up
	// to about 10 MB.
	maxDecoded = 1 << 19
	// maxCachedCreation is the size of creation code beyond which its decoding is
	// not remembered; twice the limit of EIP-3860, for debug builds.
	maxCachedCreation = 1 << 17
	// maxIdleStacks is the number of chunks of stacks that are kept: 2 MB, in which a
	// recursion down to the call depth's limit fits.
	maxIdleStacks = 1 << 3
	// maxIdleMemory is the size of a frame's memory that is kept; arbitrary.
	maxIdleMemory = 1 << 16
	// maxMemoryStep bounds what a memory is made larger by than it has to be: a quarter of
	// what a call's gas buys.
	maxMemoryStep = 1 << 20
	// maxIdleJournal is the length of a journal that is kept: 4 MB.
	maxIdleJournal = 1 << 16
)

// New makes a machine that runs sequences from the World and explains
// code by the table.
func New(world *evm.World, table *bytecode.Table, opts ...evm.Option) (*Interpreter, error) {
	if world == nil {
		return nil, fmt.Errorf("evm: no world to run on")
	}
	if table == nil {
		table = bytecode.NewTable(nil)
	}
	fork, err := forks.Index(world.Fork)
	if err != nil {
		return nil, err
	}
	m := &Interpreter{world: world, fork: fork, hashes: newHashCache(), answers: newAnswers()}
	for _, o := range opts {
		o(&m.options)
	}
	m.rec.Init(table, world)
	m.limits = evm.NewSizeLimits(table, &m.options)
	actions, err := record.Instructions(forks.Rules(fork))
	if err != nil {
		return nil, fmt.Errorf("evm: instruction set of %s: %w", forks.Names[fork], err)
	}
	m.decoder = decoder{table: opcodeTable(fork), actions: actions, blind: m.options.Blind}
	m.renew()
	return m, nil
}

// Instead makes the machine run other creation code wherever calls create a contract, as if those had been
// compiled with it. What is created is where it would be otherwise. It is for a machine that has run nothing.
func (m *Interpreter) Instead(of func(creation []byte) []byte) { m.instead = of }

// World is what the machine runs sequences from.
func (m *Interpreter) World() *evm.World { return m.world }

// renew makes the state anew; nothing of earlier runs is left.
func (m *Interpreter) renew() {
	precompiles := vm.ActivePrecompiledContracts(forks.Rules(m.fork))
	m.answers.remember(precompiles)
	if m.world.Cheats != nil {
		m.cheats = cheats.New(m.world.Cheats)
		m.cheats.Install(precompiles, ledgerHost{m}, &m.rec)
	}
	m.ledger = newLedger(m.world, precompiles)
	m.done, m.checkpoints, m.frames, m.stacks, m.sent = nil, nil, nil, nil, nil
	m.rec.Renew()
	m.forget()
	m.codeLimit = maxDecoded
	for _, a := range m.world.Accounts {
		m.codeLimit += len(a.Code)
	}

	block := &m.world.Block
	chainID := block.ChainID
	if chainID == 0 {
		chainID = evm.ChainID
	}
	m.env.chainID.SetUint64(chainID)
	m.env.coinbase.SetBytes20(block.Coinbase[:])
	m.env.gasLimit.SetUint64(block.GasLimit)
	m.env.baseFee.SetUint64(block.BaseFee)
	m.env.gasPrice.Clear()
	m.env.blobBaseFee.SetOne() // the least there is (EIP-4844)
	m.setNumber(block.Number)
	m.setBlock(block.Number, block.Time)
}

// forget lets go of all decodings.
func (m *Interpreter) forget() {
	m.byHash, m.byProgram = map[common.Hash]*decoded{}, map[*bytecode.Program]*creationCode{}
	m.codeBytes = 0
	m.generation++
}

// Run implements Machine. A panic inside becomes an error that names the call;
// the machine is usable afterwards.
func (m *Interpreter) Run(sequence evm.Sequence) (exec *evm.Execution, err error) {
	call := 0
	defer func() {
		if p := recover(); p != nil {
			m.renew()
			exec, err = nil, source.RunFault(p, call, len(sequence))
		}
	}()
	if m.sent != nil {
		m.renew()
	}
	m.rewind(m.shared(sequence))
	m.rec.Exec.Reuse(len(m.done))
	for call = len(m.done); call < len(sequence); call++ {
		m.push(&sequence[call])
		m.run(call)
	}
	return &m.rec.Exec, nil
}

// shared is the number of calls that the sequence has in common with the last
// run, from the start; 0 when the machine should let go of what it remembers.
func (m *Interpreter) shared(sequence evm.Sequence) int {
	if m.ledger.overgrown() || m.rec.Overgrown() || m.codeBytes > m.codeLimit {
		return 0
	}
	n := 0
	for n < len(m.done) && n < len(sequence) && m.done[n].Equal(&sequence[n]) {
		n++
	}
	return n
}

// rewind undoes all calls but the first n.
func (m *Interpreter) rewind(n int) {
	if n < len(m.done) {
		c := &m.checkpoints[n]
		m.ledger.revert(c.journal)
		m.rec.Rewind(n, &c.recorded)
		m.setBlock(c.number, c.time)
		if m.cheats != nil {
			m.cheats.Rewind(c.cheats)
		}
		m.done, m.checkpoints = m.done[:n], m.checkpoints[:n]
	}
	if len(m.frames) > record.MaxIdleFrames {
		m.frames = slices.Clone(m.frames[:record.MaxIdleFrames])
	}
	if len(m.stacks) > maxIdleStacks {
		m.stacks = slices.Clone(m.stacks[:maxIdleStacks])
	}
	m.rec.Rest()
	if n > 0 {
		return
	}
	m.ledger.reset()
	if cap(m.ledger.journal) > maxIdleJournal {
		m.ledger.journal = nil
	}
	// Notes on blocks are the program's: they must not be split between two.
	if forgotten := m.rec.Reset(); forgotten || m.codeBytes > m.codeLimit {
		m.forget()
	}
}

// push keeps a copy of the call, in the buffers of an earlier one, and marks the
// state before it.
func (m *Interpreter) push(call *evm.Call) {
	n := len(m.done)
	if n < cap(m.done) {
		m.done = m.done[:n+1]
	} else {
		m.done = append(m.done, evm.Call{})
	}
	kept := &m.done[n]
	data, instructions, overwrites := append(kept.Data[:0], call.Data...), append(kept.Instructions[:0], call.Instructions...), append(kept.Overwrites[:0], call.Overwrites...)
	*kept = *call
	kept.Data, kept.Instructions, kept.Overwrites = data, instructions, overwrites
	m.checkpoints = append(m.checkpoints, checkpoint{
		journal: len(m.ledger.journal), number: m.number, time: m.time, recorded: m.rec.Checkpoint(), cheats: m.cheats.Keep(),
	})
}

// run executes a call as one transaction.
func (m *Interpreter) run(index int) {
	call := &m.done[index]
	m.setBlock(source.Advance(m.number, call.BlockAdvance), source.Advance(m.time, call.TimeAdvance))
	m.rec.Begin(index)
	if m.options.Blind {
		m.rec.Blind()
	}
	m.origin = call.Sender()
	m.env.origin.SetBytes20(m.origin[:])
	if m.cheats != nil {
		m.cheats.Begin()
	}
	l := m.ledger
	for i := range call.Instructions {
		l.overwrite(&call.Instructions[i])
	}
	for i := range call.Overwrites {
		l.overwrite(&call.Overwrites[i])
	}
	l.begin()
	from := l.find(&call.From)
	l.warmEntry(from)
	gas := call.Gas
	if gas == 0 {
		gas = evm.CallGas
	}
	first := len(m.rec.Exec.Frames)
	if call.Create {
		m.warmCoinbase()
		m.deploy(call, from, gas)
	} else {
		to := l.find(&call.To)
		l.warmEntry(to)
		m.warmCoinbase()
		l.setNonce(from, from.nonce+1)
		m.message(nil, message{
			kind: vm.CALL, from: from, to: to, input: call.Data, gas: gas, value: &call.Value,
		})
	}
	l.finish()
	m.rec.End(first)
}

// warmCoinbase is EIP-3651.
func (m *Interpreter) warmCoinbase() {
	if m.fork >= forks.Shanghai {
		coinbase := &m.world.Block.Coinbase
		if m.cheats != nil {
			changed := common.Address(m.env.coinbase.Bytes20())
			coinbase = &changed
		}
		m.ledger.warmEntry(m.ledger.find(coinbase))
	}
}

// setBlock moves the block environment.
func (m *Interpreter) setBlock(number, time uint64) {
	if number != m.number {
		m.setNumber(number)
	}
	m.time = time
	m.env.time.SetUint64(time)
}

func (m *Interpreter) setNumber(number uint64) {
	m.number, m.drawn = number, false
	m.env.number.SetUint64(number)
}

// prevRandao is the random number of the block, a hash that most sequences never ask for.
func (m *Interpreter) prevRandao() common.Hash {
	if !m.drawn {
		m.drawn, m.random = true, m.world.Block.PrevRandao
		if m.number != m.world.Block.Number {
			var seed [40]byte
			copy(seed[:], m.random[:])
			binary.BigEndian.PutUint64(seed[32:], m.number)
			m.random = crypto.Keccak256Hash(seed[:])
		}
	}
	return m.random
}

// code is what runs when an account is called; nil when nothing does. Since
// Prague that may be the code of another account (EIP-7702).
func (m *Interpreter) code(e *entry) *decoded {
	if to := m.delegate(e); to != nil {
		e = to
	}
	if len(e.code) == 0 {
		return nil
	}
	if e.decoded != nil && e.generation == m.generation {
		return e.decoded
	}
	if e.made != nil {
		if c := m.made(e.made); c != nil {
			e.decoded, e.generation = c, m.generation
			return c
		}
	}
	hash := e.codeHash()
	c := m.byHash[hash]
	if c == nil {
		c = m.newCode(m.rec.Programs.Find(hash, e.code), e.code)
		m.byHash[hash] = c
		m.codeBytes += len(e.code)
	}
	e.decoded, e.generation = c, m.generation
	return c
}

// made is code that was made in a run, decoded; nil where only a hash tells what it is.
func (m *Interpreter) made(code *madeCode) *decoded {
	if code.decoded == nil || code.generation != m.generation {
		p := m.rec.Programs.Recognize(code.code)
		if p == nil {
			return nil
		}
		code.decoded, code.generation = m.newCode(p, code.code), m.generation
	}
	return code.decoded
}

// delegate is the account whose code an account has set as its own (EIP-7702);
// nil when it has not.
func (m *Interpreter) delegate(e *entry) *entry {
	if m.fork < forks.Prague || len(e.code) != delegationLength {
		return nil
	}
	to, ok := types.ParseDelegation(e.code)
	if !ok {
		return nil
	}
	return m.ledger.find(&to)
}

// delegationLength is the length of a delegation designator: 0xef0100 and an
// address (EIP-7702).
const delegationLength = 3 + common.AddressLength

func (m *Interpreter) newCode(p *record.Program, code []byte) *decoded {
	return &decoded{bytes: code, program: p, entry: make([]int32, len(code))}
}

// creation is creation code, decoded, for a frame. The slice may change after the
// frame.
func (m *Interpreter) creation(f *frame, code []byte) *decoded {
	p := m.rec.Programs.Find(common.Hash{}, code)
	known := m.byProgram[p.Program]
	if known == nil {
		known = new(creationCode)
		m.byProgram[p.Program] = known
	}
	for _, c := range known.codes {
		if c != nil && string(c.bytes) == string(code) {
			return c
		}
	}
	for _, c := range known.codes {
		if c != nil && m.rearm(f, c, code) {
			return c
		}
	}
	if len(code) > maxCachedCreation {
		return m.newCode(p, code)
	}
	c := m.newCode(p, slices.Clone(code))
	if old := known.codes[known.next]; old != nil {
		m.codeBytes -= len(old.bytes)
		if old.left != nil {
			m.codeBytes -= len(old.left.code)
		}
	}
	m.codeBytes += len(code)
	known.codes[known.next] = c
	known.next = (known.next + 1) % len(known.codes)
	return c
}

// rearm gives decoded creation code other constructor arguments, of any length, which stand
// behind the program and have not been decoded; false where more is different, or where a
// frame that is still open runs it.
func (m *Interpreter) rearm(f *frame, c *decoded, code []byte) bool {
	n := len(c.program.Bytes)
	if n > len(code) || len(code) > maxCachedCreation || c.reach > n || string(c.bytes[:n]) != string(code[:n]) {
		return false
	}
	for _, open := range m.frames[:f.Depth] {
		if open.code == c {
			return false
		}
	}
	m.codeBytes += len(code) - len(c.bytes)
	c.bytes = append(c.bytes[:n], code[n:]...)
	if more := len(code) - len(c.entry); more > 0 {
		c.entry = append(c.entry, make([]int32, more)...)
	}
	c.dests = nil
	return true
}

// Export is the state after the last run as a World of its own, as
// gethvm.Reference.Export describes it.
func (m *Interpreter) Export() *evm.World {
	w := *m.world
	w.Accounts = m.ledger.export()
	w.Instances, w.Senders = slices.Clone(w.Instances), slices.Clone(w.Senders)
	w.Block.Number, w.Block.Time, w.Block.PrevRandao = m.number, m.time, m.prevRandao()
	w.Cheats = m.cheats.Export(&w.Block)
	return &w
}

// Refund is the refund counter after the last call, as the reference machine's.
func (m *Interpreter) Refund() uint64 { return m.ledger.refund }
