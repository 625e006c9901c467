package report

// Verdicts; [ExitCode] has their exit codes.
const (
	Pass    = "pass"
	Fail    = "fail"    // a finding gates
	Skipped = "skipped" // nothing to fuzz
	Error   = "error"   // could not fuzz
)

// FormatVersion is the version of report.json. It rises when a field changes its
// meaning or goes away; new fields do not raise it.
const FormatVersion = 2

// Report is report.json: the source that everything else is rendered from. Its
// fields are documented for users in docs/report.md.
type Report struct {
	Version int    `json:"version"`
	Tool    Tool   `json:"tool"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"` // of the verdict, one sentence
	FailOn  string `json:"failOn"` // the gate: lowest severity that fails, or "none"
	// Gate is another condition that must hold; empty: none.
	Gate string `json:"gate,omitempty"`
	// MinReached is the share of the changed lines, from 0 to 1, below which the headline says
	// first what was not reached; nil: a half.
	MinReached *float64 `json:"minReached,omitempty"`
	Waivers    []Waiver `json:"waivers,omitempty"`

	Seed    uint64   `json:"seed"`
	Workers int      `json:"workers"`
	Limits  Limits   `json:"limits"`
	Corpus  *Corpus  `json:"corpus,omitempty"`
	Diff    Diff     `json:"diff"`
	Builds  []Build  `json:"builds"`
	World   World    `json:"world"`
	Oracles []Oracle `json:"oracles"` // that watched, in order

	// Audit is set where there is no change and no base; nil: there is a change.
	Audit *Audit `json:"audit,omitempty"`

	// Unread are the changed files with code, or what decides about it, at which nothing looked.
	Unread []Unread `json:"unread,omitempty"`

	// Harnesses are the sources that Sightline wrote to call changed code that no deployable
	// contract calls.
	Harnesses []Harness `json:"harnesses,omitempty"`

	// Tracefiles are the LCOV tracefiles that say which lines the project's own tests reach.
	Tracefiles []Tracefile `json:"tracefiles,omitempty"`

	Lines    []Line    `json:"lines"`   // every changed line, once, in one status
	Targets  []Target  `json:"targets"` // per line and contract whose bytecode holds it
	Findings []Finding `json:"findings"`
	// Upgrades are the contracts whose storage layouts were compared with the base's, and
	// Clashes the incompatible ones.
	Upgrades []Upgrade `json:"upgrades,omitempty"`
	Clashes  []Clash   `json:"clashes,omitempty"`
	// Effect is what contracts do otherwise than on the base; nil: not looked for.
	Effect *Effect `json:"effect,omitempty"`
	// SelfCheck says which mistakes planted in the changed lines the run would have caught; nil: none was planted.
	SelfCheck *SelfCheck `json:"selfCheck,omitempty"`
	// Fixed are the findings of earlier runs that do not happen any more.
	Fixed []Fixed `json:"fixed,omitempty"`
	// Withheld counts the findings that are not shown, see [Report.Withhold].
	Withheld Withheld `json:"withheld,omitzero"`
	Faults   []Fault  `json:"faults"`   // of the tool itself
	Warnings []string `json:"warnings"` // that a reader needs to judge the result
	// Trouble is more about the error that ended the run; nil: none did, or there is no more.
	Trouble *Trouble `json:"trouble,omitempty"`
	Stats   Stats    `json:"stats"`
	// Shards are the machines that fuzzed; nil: this one did.
	Shards *Shards `json:"shards,omitempty"`
	// Starved says that the campaign ran too few executions; nil: it ran enough.
	Starved *Starved `json:"starved,omitempty"`

	// Exchange counts what the campaign exchanged with others that ran at the same time; nil: nothing was.
	Exchange *Exchange `json:"exchange,omitempty"`

	// BundleSHA256 is that of the one file that all files of the run were packed into,
	// this report among them; empty: none was.
	BundleSHA256 string `json:"-"`
}

// Trouble is an error that ended a run.
type Trouble struct {
	Lines  []string       `json:"lines,omitempty"`  // of its text, if it has several; at most 40
	Places []TroublePlace `json:"places,omitempty"` // in files of the repository
	Fixes  []Fix          `json:"fixes,omitempty"`  // what would fix it, as far as it is known
}

// TroublePlace is a place that an error is about.
type TroublePlace struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // from 1; 0: unknown, as for the column
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"` // what is wrong there
}

// Fix is lines of YAML that would fix an error.
type Fix struct {
	File string `json:"file,omitempty"` // that they belong to; empty: the workflow
	YAML string `json:"yaml"`
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Limits are the budgets the campaign was given; zero means none.
type Limits struct {
	Seconds float64 `json:"seconds"`
	Calls   uint64  `json:"calls"`
}

// Corpus names the saved inputs that a campaign began with.
type Corpus struct {
	Files  int    `json:"files"`
	SHA256 string `json:"sha256"` // over their names and texts
}

// Diff summarizes the comparison.
type Diff struct {
	Base     string   `json:"base"`     // revision, or the diff file's name
	Head     string   `json:"head"`     // "working tree", revision, "sources" for whole projects, or empty for --target
	Files    int      `json:"files"`    // in the diff
	Lines    int      `json:"lines"`    // changed lines in source files
	Explicit []string `json:"explicit"` // targets given with --target instead of a diff
}

// Build is one compilation unit that was fuzzed.
type Build struct {
	Origin    string `json:"origin"`
	Compiler  string `json:"compiler"`
	Debug     bool   `json:"debug"` // made by Sightline to map lines: not the release build
	Contracts int    `json:"contracts"`
	// Generator is the code generator that made it, and EVMVersion what its code is for, as
	// solc names it; empty: unknown.
	Generator  string `json:"generator,omitempty"` // "legacy", "ir"
	EVMVersion string `json:"evmVersion,omitempty"`
	// ReleaseGenerator and ReleaseEVMVersion are those of the project's own build, where
	// another was fuzzed.
	ReleaseGenerator  string `json:"releaseGenerator,omitempty"`
	ReleaseEVMVersion string `json:"releaseEvmVersion,omitempty"`
	// Bytecode is how it is known that the bytecode is that of the sources, and BytecodeReason
	// why it was taken on trust.
	Bytecode       string `json:"bytecode,omitempty"`
	BytecodeReason string `json:"bytecodeReason,omitempty"`
}

// How it is known that a build's bytecode is that of its sources.
const (
	BytecodeCompiled = "compiled" // Sightline compiled it from the sources
	BytecodeVerified = "verified" // others made it, and Sightline's compile gave the same
	BytecodeBuilt    = "built"    // the caller's own project's tool made it for this run
	BytecodeTrusted  = "trusted"  // it was taken on trust
)

// World is the initial state.
type World struct {
	Setups     []TestSetup  `json:"setups"` // of the project's tests, in the order in which they ran
	Instances  []Instance   `json:"instances"`
	Undeployed []Undeployed `json:"undeployed"`
	Senders    []Sender     `json:"senders"`
	Calls      []string     `json:"calls"` // that were made after deployments, in order
	Fork       string       `json:"fork"`
	ForkReason string       `json:"forkReason,omitempty"` // why that one
	Chain      *Chain       `json:"chain,omitempty"`      // that the state comes from
	File       string       `json:"file,omitempty"`       // next to the report: the World as a configuration
}

// Chain is a block of a live chain.
type Chain struct {
	ID    uint64 `json:"id"` // EIP-155
	Block uint64 `json:"block"`
	Hash  string `json:"hash"`
}

// TestSetup is the set-up of a Foundry test contract.
type TestSetup struct {
	Contract string `json:"contract"` // qualified
	Function string `json:"function"` // "setUp()"; empty when only its constructor ran
	Address  string `json:"address,omitempty"`
	// Tests are the test functions that were run as part of the set-up, since they deploy
	// changed contracts themselves, by signature.
	Tests   []string `json:"tests,omitempty"`
	Failure string   `json:"failure,omitempty"` // why it is not in the World
}

// Sender is an account that sends calls.
type Sender struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Why     string `json:"why,omitempty"` // why it is one; empty for the senders of every World
}

// Instance is a deployed contract.
type Instance struct {
	Name      string `json:"name"`
	Contract  string `json:"contract"` // qualified, "src/Vault.sol:Vault"
	Address   string `json:"address"`
	Arguments string `json:"arguments"` // constructor arguments as text
	// Generated is set for a contract that Sightline wrote, see Harness.
	Generated bool `json:"generated,omitempty"`
}

// Harness is a source of contracts through which code can be called that no deployable contract
// calls. Nothing of it ships, and what fails in it is not a finding.
type Harness struct {
	File      string            `json:"file"`             // as compilers and traces name it; the output folder has FILE.txt
	Source    string            `json:"source,omitempty"` // its text; empty: no contract could be written
	Contracts []HarnessContract `json:"contracts"`
}

// HarnessContract is a contract of a Harness.
type HarnessContract struct {
	Contract  string           `json:"contract,omitempty"` // qualified; empty: it could not be written
	Of        string           `json:"of"`                 // the contract or library that it calls, or the source with free functions
	OfFile    string           `json:"ofFile"`             // that has it
	Functions []string         `json:"functions"`          // that it exposes, modifiers among them
	Missing   []HarnessMissing `json:"missing,omitempty"`  // that it does not
}

// HarnessMissing is code that a harness does not expose.
type HarnessMissing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Oracle is a bug oracle that watched the campaign.
type Oracle struct {
	ID       string `json:"id"` // the SARIF rule
	Title    string `json:"title"`
	SWC      string `json:"swc,omitempty"` // number in the Smart Contract Weakness registry
	CWE      string `json:"cwe,omitempty"` // number in the Common Weakness Enumeration
	Severity string `json:"severity"`
	Doc      string `json:"doc"`              // what it reports, and what it does not
	Remedy   string `json:"remedy,omitempty"` // how to mend what it finds
}

// Undeployed is a contract that could not be deployed.
type Undeployed struct {
	Contract string `json:"contract"`
	Reason   string `json:"reason"`
	// Holds is what a reader misses with it, "3 changed lines", "2 properties", "assertions";
	// empty for a contract that the result does not depend on.
	Holds []string `json:"holds,omitempty"`
}

// Statuses of lines and targets. Every changed line has exactly one.
const (
	Reached      = "reached"
	OnlyReverts  = "only-reverts"
	Unreached    = "unreached"
	Unreachable  = "unreachable"
	Undeployable = "undeployed"
	Unmapped     = "unmapped"
	NoBytecode   = "no-bytecode"
)

// Whether the project's own tests reach a line, by the tracefiles that were given.
const (
	TestsReach   = "reached"
	TestsMiss    = "unreached"
	TestsUnknown = "unknown" // no tracefile counts it
)

// Line is a changed line.
type Line struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Kind   string `json:"kind"` // "added", "edited", "deletion", "indirect"
	Text   string `json:"text"` // of the head version, at most 200 bytes
	Status string `json:"status"`
	Reason string `json:"reason"`
	// Tests is whether the project's own tests reach the line; empty: no tracefile was given.
	Tests string `json:"tests,omitempty"`
	// Unused is set for code that has no bytecode because no contract that can be deployed
	// holds it; comments and declarations are not code.
	Unused bool `json:"unused,omitempty"`
	// Harness is set for a line that no contract holds but generated ones, see [Harness], or that was
	// reached in these alone: what fails there is not a finding.
	Harness bool `json:"harness,omitempty"`
	// Aside is what the line is part of, where that is not what the change is about: "test",
	// "script", "mock", "dependency". Such lines are counted apart.
	Aside string `json:"aside,omitempty"`
	// Partly lists the operations on a reached line that no call executed.
	Partly    []string `json:"partly,omitempty"`
	Contracts []string `json:"contracts"` // qualified names of those whose bytecode holds it
	// Barrier is where executions end that came near; nil: unknown, or it was reached.
	Barrier *Barrier `json:"barrier,omitempty"`
}

// Barrier is the condition that no execution passed which came near a line that was not
// reached, or else the one at which most of them end. Executions came near that entered the
// line's function or, where none did, those on the way to it.
type Barrier struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Contract string `json:"contract,omitempty"` // qualified, whose code it is
	Function string `json:"function,omitempty"`
	Text     string `json:"text,omitempty"`    // of the condition, in the source
	Failure  string `json:"failure,omitempty"` // with which calls fail there; empty: they do not
	// Needs is the relation of two values that did not hold in the execution that came closest:
	// "0 >= 1e18"; empty: it is about a truth value.
	Needs string `json:"needs,omitempty"`
	// Executions is the number of executions that ended there, and Of that of all that came
	// near. Executions whose paths the suite did not keep are not counted.
	Executions uint64 `json:"executions"`
	Of         uint64 `json:"of"`
	Passed     bool   `json:"passed,omitempty"` // whether any execution got past it
	// Sender is the account that msg.sender is compared with, and that sends no calls; without
	// an address where something is stored for msg.sender that no sender has. nil: neither.
	Sender  *Sender `json:"sender,omitempty"`
	Missing string  `json:"missing,omitempty"` // account without code that is called; empty: none

	// Guards are the conditions on the way to the line, in order, as far as they are known.
	Guards []Guard `json:"guards,omitempty"`
	// Closest are the calls of the input that came closest, the last of which ends at the
	// barrier; calls that do not matter for that are left out.
	Closest []Step `json:"closest,omitempty"`
	// Left and Right are what the condition compares there, and Relation how they would have to
	// relate; nil, and empty: it is not about a comparison.
	Left     *Operand `json:"left,omitempty"`
	Relation string   `json:"relation,omitempty"`
	Right    *Operand `json:"right,omitempty"`
	Distance string   `json:"distance,omitempty"` // between them, in words: "3 days short"
	Wants    []Want   `json:"wants,omitempty"`    // what it takes to get past the barrier, the most important first
	Try      []Remedy `json:"try,omitempty"`      // what would help, the best first
}

// Guard is a condition on the way to a line.
type Guard struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Text  string `json:"text"`  // in the source
	State string `json:"state"` // see below
}

// States of guards.
const (
	Passed = "passed" // by the input that came closest
	Stops  = "stops"  // it: the barrier
	Beyond = "beyond" // the barrier: no execution got there
)

// Operand is a value that a condition compares.
type Operand struct {
	Is    string `json:"is,omitempty"` // what it is: "msg.sender", "owner in storage"; empty: not known
	Value string `json:"value"`        // in words
}

// Kinds of what it takes to get past a barrier.
const (
	WantsSender    = "sender"    // calls of an account that sends none
	WantsRole      = "role"      // something stored for msg.sender
	WantsState     = "state"     // another value in storage
	WantsNever     = "never"     // likewise, in storage that nothing writes
	WantsTime      = "time"      // another block.timestamp
	WantsBlock     = "block"     // another block.number
	WantsChain     = "chain"     // another block.chainid
	WantsSignature = "signature" // of an account whose key is not known
	WantsHash      = "hash"      // something with a certain hash
	WantsCode      = "code"      // code at an account that has none
	WantsAnswer    = "answer"    // another answer of a contract
	WantsEther     = "ether"     // more ether, or less
	WantsGas       = "gas"       // more gas, or less
	WantsArgument  = "argument"  // other arguments
	WantsProxy     = "proxy"     // a call through a proxy
	WantsUnknown   = "unknown"
)

// Want is something that it takes to get past a barrier.
type Want struct {
	Kind    string   `json:"kind"`
	Detail  string   `json:"detail"`            // in words
	Account string   `json:"account,omitempty"` // that is wanted, as an address
	Writers []Writer `json:"writers,omitempty"` // functions that write the storage which decides
	// Proved is set where no calls can bring it about.
	Proved bool `json:"proved,omitempty"`
}

// Writer is a function that writes storage.
type Writer struct {
	Function string `json:"function"` // "Vault.setGuardian"
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	// Succeeded is set where a call of it wrote something else in the campaign; otherwise Fails says
	// why calls fail, as far as that is known.
	Succeeded bool   `json:"succeeded,omitempty"`
	Fails     string `json:"fails,omitempty"`
}

// Remedy is something that would help to reach a line.
type Remedy struct {
	Text string `json:"text"`           // a sentence
	YAML string `json:"yaml,omitempty"` // for sightline.yml, one line
	Flag string `json:"flag,omitempty"` // for the command line
	// Tried is set where it was: the input that came closest gets past the barrier then.
	Tried bool `json:"tried,omitempty"`
}

// Tracefile is an LCOV tracefile that was read.
type Tracefile struct {
	File    string `json:"file"`    // as it was named
	Sources int    `json:"sources"` // that it is about
	Lines   int    `json:"lines"`   // of the change that it counts
}

// Unread is a changed file, or one that uses what changed, at which nothing looked, though it may hold
// code that ships, or decide about it.
type Unread struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
	// Blocks is set if the change itself or a missing dependency may be the reason. Such a run does not pass.
	Blocks bool `json:"blocks,omitempty"`
	// Unchanged is set of a file that did not change, and uses what did.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Target is a changed line in one contract.
type Target struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	PC       uint32 `json:"pc,omitempty"` // of a target given as CONTRACT:0xPC
	Contract string `json:"contract"`
	Status   string `json:"status"`
	Reason   string `json:"reason"`
	Tests    string `json:"tests,omitempty"` // as in [Line], of the line and not of the contract
	// Barrier is as in [Line].
	Barrier *Barrier `json:"barrier,omitempty"`
	// For reached and only-reverts ones: when it was first reached, and how.
	Executions uint64  `json:"executions,omitempty"`
	Calls      uint64  `json:"calls,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"` // left out by --omit-times
	Sequence   []Step  `json:"sequence,omitempty"`
	Reproducer string  `json:"reproducer,omitempty"` // path below the output folder
	// Release is whether the sequence reaches it in the project's own build, as in
	// [Finding]; of one that it does not reach there, the status is unreached.
	Release       string `json:"release,omitempty"`
	ReleaseReason string `json:"releaseReason,omitempty"` // why absent or unknown
	// Setup is what executed it while the World was made, on go-ethereum, if no sequence
	// did in a call that succeeds: "VaultTest.setUp()". The saved World comes after that,
	// so there is nothing to replay.
	Setup string `json:"setup,omitempty"`

	*DeprecatedTarget // written, not read: see addDeprecated
}

// Step is one call of a sequence, for people.
type Step struct {
	Sender string `json:"sender"`
	Call   string `json:"call"`           // "vault.deposit{value: 1 ether}(5)"
	Note   string `json:"note,omitempty"` // "reverts: Error(\"too late\")"
	// Answers are what the attacker's contract does when it is called meanwhile: "paid,
	// attackerContract calls vault.withdraw(5)".
	Answers []string `json:"answers,omitempty"`
	Test    bool     `json:"test,omitempty"` // a fuzz test of the project, as forge calls it
	// File and Line are where the called function is declared; only in findings, and empty and
	// 0 where it is not known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Message is a call that was made in a sequence: one of its own, or one that a contract
// made.
type Message struct {
	Step  int    `json:"step"`  // which call of the sequence it belongs to, from 1
	Depth int    `json:"depth"` // 0 for a call of the sequence itself
	From  string `json:"from"`  // a sender's or instance's name, or an address
	To    string `json:"to"`
	Call  string `json:"call"`            // "deposit{value: 1 ether}()"; a contract's calls are without arguments
	Fails string `json:"fails,omitempty"` // why
}

// StorageChange is a state variable that a sequence changes, or that a call of it writes which reverts.
type StorageChange struct {
	Account  string `json:"account"`  // an instance's name, or an address
	Variable string `json:"variable"` // "balances[user1]"; "slot 0x5" where no variable is known
	Slot     string `json:"slot"`     // hexadecimal
	Before   string `json:"before"`   // the sequence; of what was undone: the call
	After    string `json:"after"`
	Step     int    `json:"step"`             // which call of the sequence wrote it last, from 1
	Undone   bool   `json:"undone,omitempty"` // that call reverts: it is as before
}

// Place is where something happened.
type Place struct {
	File     string `json:"file"` // empty if the code has no source
	Line     int    `json:"line"`
	Contract string `json:"contract"`
	PC       uint32 `json:"pc"`
	Text     string `json:"text,omitempty"` // of a finding's line in the head version, at most 200 bytes
}

// Whether a finding happens on the base version.
const (
	Introduced  = "introduced"   // does not happen there, or the code is not there
	PreExisting = "pre-existing" // happens there too; never gates
	Unknown     = "unknown"      // could not be tried; gates like an introduced one
	NoBase      = "no-base"      // an audit: there is none; gates
)

// Whether a finding happens on the build that the project ships, if another build was
// fuzzed.
const (
	ReleaseSame      = "same"      // it was fuzzed
	ReleaseConfirmed = "confirmed" // happens there too
	ReleaseAbsent    = "absent"    // does not happen there; never gates
	ReleaseUnknown   = "unknown"   // could not be tried; gates
)

// Finding is something an oracle saw.
type Finding struct {
	ID string `json:"id"` // "SL-7f3a"; stays the same when lines move
	// Fingerprint stays the same as ID does, and is too long to be made on purpose: 32 digits.
	Fingerprint string `json:"fingerprint,omitempty"`

	Oracle     string `json:"oracle"`
	SWC        string `json:"swc,omitempty"`
	CWE        string `json:"cwe,omitempty"`
	Severity   string `json:"severity"` // "note" (never gates), "low", "medium", "high", "critical"
	Comparison string `json:"comparison"`
	// Since is the head of the first run that saw it; empty if this is the first.
	Since string `json:"since,omitempty"`
	// Waived is the waiver that accepts it for now, with which it never gates; nil: none.
	Waived *Waiver `json:"waived,omitempty"`
	// ComparisonReason is the evidence for that.
	ComparisonReason string `json:"comparisonReason,omitempty"`
	Title            string `json:"title"`
	Message          string `json:"message"`
	// Condition is what it takes beyond calls that any account can make, and is part of the
	// title: "if the owner calls", "after a call by the owner"; empty: nothing.
	Condition string `json:"condition,omitempty"`
	Location  Place  `json:"location"`          // where it breaks
	Changed   *Place `json:"changed,omitempty"` // a changed line on the failing path: the one where it breaks, else the last one on the way there, else the last one
	Function  string `json:"function"`
	// Called is the function that the last call of Sequence calls, with its contract:
	// "src/Vault.sol:Vault.harvest(uint256)". Empty where there is none.
	Called   string `json:"called,omitempty"`
	Sequence []Step `json:"sequence"`
	// Answer is what shows it after the sequence, where its last call does the same on the base; nil: the last call
	// shows it.
	Answer *Answer `json:"answer,omitempty"`
	// Trace are the calls of the sequence and those that contracts made in them, in order;
	// at least the former.
	Trace []Message `json:"trace"`
	// Storage are the state variables that the sequence changes, in the order of their first writes, at most 32,
	// and StorageOmitted counts those that are left out.
	Storage        []StorageChange `json:"storage,omitempty"`
	StorageOmitted int             `json:"storageOmitted,omitempty"`
	Reproducer     string          `json:"reproducer"`
	// Test is the sequence as a Foundry test; nil: none was written.
	Test      *FoundryTest `json:"foundryTest,omitempty"`
	Confirmed string       `json:"confirmed"` // "go-ethereum"
	// UnderForge is whether a fuzz test of the project fails under forge as well; Location is
	// the place in the test where it fails. nil: the finding is about something else.
	UnderForge *UnderForge `json:"underForge,omitempty"`
	// Release is whether it happens on the project's own build; empty: unknown.
	Release       string  `json:"release"`
	ReleaseReason string  `json:"releaseReason,omitempty"` // why absent or unknown
	Executions    uint64  `json:"executions"`
	Calls         uint64  `json:"calls"`
	Seconds       float64 `json:"seconds,omitempty"`

	*DeprecatedFinding // written, not read: see addDeprecated
}

// FoundryTest is a sequence as a Foundry test.
type FoundryTest struct {
	Text   string `json:"text,omitempty"`   // a complete file; empty: there is none
	Fails  bool   `json:"fails,omitempty"`  // as long as the finding happens
	Reason string `json:"reason,omitempty"` // why there is none
}

// UnderForge is what forge says of a fuzz test, run with the arguments of a finding.
type UnderForge struct {
	Fails  bool   `json:"fails"`            // otherwise it was not run
	Reason string `json:"reason,omitempty"` // why it was not run
}

// Fixed is a finding of an earlier run on the same change that does not happen any more: its
// calls break nothing in its contract now.
type Fixed struct {
	ID       string `json:"id"`
	Oracle   string `json:"oracle"`
	Title    string `json:"title"`
	Contract string `json:"contract"`
	Function string `json:"function"`
	Since    string `json:"since"` // head of the first run that saw it
	In       string `json:"in"`    // head of this run
}

// Fault is something that went wrong in Sightline itself, with the input that caused it.
type Fault struct {
	Message string `json:"message"`
	Input   string `json:"input,omitempty"`
	// File is the file that shows it, below the output folder: faults/….json.
	File string `json:"file,omitempty"`
}

// Stats are the numbers of a campaign.
type Stats struct {
	Executions     uint64  `json:"executions"` // sequences run
	Calls          uint64  `json:"calls"`
	Seconds        float64 `json:"seconds,omitempty"`
	CallsPerSecond float64 `json:"callsPerSecond,omitempty"`
	Paths          int     `json:"paths"`   // distinct path identifiers seen
	Seeds          int     `json:"seeds"`   // entries of the suite
	Blocks         int     `json:"blocks"`  // distinct blocks entered
	Stopped        string  `json:"stopped"` // why the campaign ended
	// Burners are the functions whose heavy calls took much of the work, the most expensive first.
	Burners []Burner `json:"burners,omitempty"`
	// Timeline are samples of the campaign, the last of its end: at most 120, at intervals of executions.
	Timeline []Sample `json:"timeline,omitempty"`
}

// Sample is what a campaign had reached at one moment.
type Sample struct {
	Executions uint64  `json:"executions"`
	Calls      uint64  `json:"calls"`
	Seconds    float64 `json:"seconds,omitempty"` // left out by --omit-times
	Paths      int     `json:"paths"`
	Blocks     int     `json:"blocks"`
	Reached    int     `json:"reached"` // targets, as the campaign saw them
	Findings   int     `json:"findings"`
}
