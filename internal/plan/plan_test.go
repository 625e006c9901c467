package plan

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// counterABI is of a contract without text: add(uint256) and a constructor.
const counterABI = `[{"type":"constructor","inputs":[{"name":"x","type":"uint256"}]},
	{"type":"function","name":"add","inputs":[{"name":"x","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"},
	{"type":"function","name":"reset","inputs":[],"outputs":[],"stateMutability":"nonpayable"}]`

// small is a plan of two contracts, of which the World alone has the second.
func small(t testing.TB) *Plan {
	t.Helper()
	parsed, err := bytecode.ParseABI([]byte(counterABI))
	if err != nil {
		t.Fatal(err)
	}
	counter := &bytecode.Contract{
		Name: "Counter", Source: "src/Counter.sol", ABI: parsed, RawABI: []byte(counterABI), Texts: []string{"a\xff", "b"}, Encodings: []string{"(uint256,bytes)"},
		Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: []byte{0x60, 0, 0x60, 0, 0xf3}},
		Runtime:  &bytecode.Code{Bytes: []byte{0x60, 1, 0x60, 2, 0x55, 0x5b, 0x60, 3, 0x00}, ChecksKnown: true},
	}
	mock := &bytecode.Contract{Name: "Mock", Source: "mock.sol", Runtime: &bytecode.Code{Bytes: []byte{0x00}}}
	table := bytecode.NewTable([]*bytecode.Contract{counter})
	entry := bytecode.Location{Code: counter.Runtime.ID, PC: 4}
	table.Cut([]bytecode.Location{entry})
	table.Unknown([]byte{0x5b})
	w := &evm.World{
		Block: evm.DefaultBlock(), Senders: []evm.Sender{{Name: "user", Address: common.HexToAddress("0x1")}},
		Accounts: map[common.Address]*evm.Account{
			common.HexToAddress("0x1"):  {Balance: *uint256.NewInt(1000)},
			common.HexToAddress("0xc0"): {Code: counter.Runtime.Bytes, Storage: map[common.Hash]common.Hash{{1}: {2}}},
		},
		Instances: []evm.Instance{
			{Name: "Counter", Address: common.HexToAddress("0xc0"), Contract: counter},
			{Name: "Mock", Address: common.HexToAddress("0xc1"), Contract: mock, Asked: true},
		},
	}
	most := uint64(7)
	space, err := input.NewSpace(w, input.SpaceOptions{
		Constructors: []input.Deployment{{Contract: counter, Code: counter.Creation.Bytes}},
		Constructed:  []input.Constructed{{Contract: counter, Arguments: common.LeftPadBytes([]byte{42}, 32)}},
		Uses:         []evm.Call{{To: common.HexToAddress("0xc0"), Data: append(parsed.Methods["add"].ID, common.LeftPadBytes([]byte{43}, 32)...)}, {To: common.HexToAddress("0xdead")}},
		Called:       func(_ *evm.Instance, f *input.Function) bool { return f.Name != "reset" },
		MaxTime:      &most,
	})
	if err != nil {
		t.Fatal(err)
	}
	seed, err := input.Parse(space, "sightline-sequence v1\nuser Counter.add(uint256) args (5)\n")
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{
		Tool: "sightline test", About: "sources", Options: Options{Schedule: "lookahead"}, Notes: []string{"a note"},
		Place: func(l bytecode.Location) (string, bool) { return "src/Counter.sol:1", l.PC >= 4 },
		Config: fuzzer.Config{
			World: w, Space: space, Table: table, Seed: 9, Workers: 2, Timeout: time.Minute, MaxCalls: 10, Ways: 3,
			Targets: []bytecode.Target{{Position: bytecode.Position{File: "src/Counter.sol", Line: 1}, Contract: counter.QualifiedName(), Entries: []bytecode.Location{entry}}},
			Seeds:   []input.Sequence{seed}, Given: []input.Sequence{seed}, Saved: []input.Sequence{seed, seed},
			Exempt:     func(l bytecode.Location) bool { return l.PC == 2 },
			FunctionAt: func(l bytecode.Location) (string, bool) { return "add", l.Code == counter.Runtime.ID && l.PC < 4 },
		},
	}
}

// TestReadBack: what was read is what was written. That its campaign is the same is for the pipeline to test.
func TestReadBack(t *testing.T) {
	was := small(t)
	packed, err := was.Pack()
	if err != nil {
		t.Fatal(err)
	}
	p, again, err := Read(packed.Data)
	if err != nil {
		t.Fatal(err)
	}
	if again.SHA256 != packed.SHA256 {
		t.Errorf("SHA-256 %s, want %s", again.SHA256, packed.SHA256)
	}
	c, counter := &p.Config, p.Config.Table.Contracts()[0]
	if got := counter.Texts; !slices.Equal(got, []string{"a\xff", "b"}) {
		t.Errorf("literals %q", got)
	}
	if got := counter.Encodings; !slices.Equal(got, []string{"(uint256,bytes)"}) {
		t.Errorf("encodings %q", got)
	}
	if mock := c.World.Instances[1].Contract; mock.Runtime.ID != bytecode.NoCode || !c.World.Instances[1].Asked || len(c.Table.Contracts()) != 1 {
		t.Error("the contract that only the World has is one of the build's, or not only asked")
	}
	if _, ok := c.Table.Program(counter.Runtime.ID).StartsAt(4); !ok {
		t.Error("no block begins at the target")
	}
	if code := c.Table.UnknownCode(); len(code) != 1 || c.Table.Unknown([]byte{0x5b}).ID != 3 {
		t.Errorf("unknown code %v", code)
	}
	var names []string
	for _, callable := range c.Space.Callables {
		names = append(names, c.Space.Instances[callable.Instance].Name+"."+callable.Function.Signature)
	}
	if want := []string{"Counter.add(uint256)", "Counter#new.add(uint256)", "Counter#new.constructor(uint256)"}; !slices.Equal(names, want) {
		t.Errorf("functions %q, want %q", names, want)
	}
	if words := c.Space.KnownWords(); len(words) != 2 || len(c.Space.Options.Uses) != 1 {
		t.Errorf("known words %v of %d calls", words, len(c.Space.Options.Uses))
	}
	for pc := range uint32(10) {
		l := bytecode.Location{Code: counter.Runtime.ID, PC: pc}
		if c.Exempt(l) != (pc == 2 || pc == 3) { // 3 is data of the instruction at 2
			t.Errorf("%d: exempt %v", pc, c.Exempt(l))
		}
		if name, ok := c.FunctionAt(l); ok != (pc < 4) || ok && name != "add" {
			t.Errorf("%d: function %q, %v", pc, name, ok)
		}
		if at, ok := p.Place(l); ok != (pc >= 4) || ok && at != "src/Counter.sol:1" {
			t.Errorf("%d: place %q, %v", pc, at, ok)
		}
	}
	if c.Exempt(bytecode.Location{Code: 3, PC: 2}) || c.Exempt(bytecode.Location{PC: 2}) {
		t.Error("unknown code is exempt")
	}
	if len(c.Seeds) != 1 || len(c.Given) != 1 || len(c.Saved) != 2 || !c.Seeds[0].Equal(was.Config.Seeds[0][:1]) && c.Seeds[0][0].Args[0].Word.Uint64() != 5 {
		t.Errorf("seeds %v, %v, %v", c.Seeds, c.Given, c.Saved)
	}
	if c.Seed != 9 || c.Workers != 2 || c.Timeout != time.Minute || c.MaxCalls != 10 || c.Ways != 3 || !slices.Equal(p.Notes, was.Notes) {
		t.Errorf("seed %d, %d workers, %v, %d calls, %d ways, notes %q", c.Seed, c.Workers, c.Timeout, c.MaxCalls, c.Ways, p.Notes)
	}
}

// chain has one account with one word at slot 1, and is asked for the rest of it.
type chain struct {
	evm.Origin
	asked []common.Hash
}

func (c *chain) Known() map[common.Address]*evm.Account {
	return map[common.Address]*evm.Account{common.HexToAddress("0xaa"): {Nonce: 4, Code: []byte{0x5b}, Storage: map[common.Hash]common.Hash{{31: 1}: {31: 7}}, Remote: true}}
}

func (c *chain) Account(a common.Address) (*evm.Account, error) {
	return &evm.Account{Nonce: uint64(a[19])}, nil
}

func (c *chain) Word(_ common.Address, key common.Hash) (common.Hash, error) {
	c.asked = append(c.asked, key)
	return common.Hash{31: 9}, nil
}

// A World that goes on from a chain has the answers that were given, and asks for others only where it can.
func TestChain(t *testing.T) {
	own, far := common.HexToAddress("0xc0"), common.HexToAddress("0xaa")
	was := small(t)
	w := was.Config.World
	w.Origin, was.Chain = &chain{}, &Chain{ID: 7, Block: 8, Hash: common.Hash{9}}
	w.Accounts[own].Remote, w.Accounts[own].Storage[common.Hash{3}] = true, common.Hash{} // zero in place of what the chain has
	w.Instances[0].Bare = &evm.Bare{Address: own, World: &evm.World{Accounts: map[common.Address]*evm.Account{}, Senders: w.Senders}}
	packed, err := was.Pack()
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := Read(packed.Data)
	if err != nil {
		t.Fatal(err)
	}
	if *p.Chain != *was.Chain || p.Config.World.Instances[0].Bare.World.Origin != nil {
		t.Errorf("chain %v, or the bare World goes on from it, too", p.Chain)
	}
	if again, err := p.Pack(); err != nil || !bytes.Equal(again.Data, packed.Data) {
		t.Errorf("the plan that was read is another one (%v)", err)
	}
	w = p.Config.World
	word := func(a common.Address, key common.Hash) byte {
		value, err := w.Word(a, key)
		if err != nil {
			t.Fatal(err)
		}
		return value[31]
	}
	if got := []byte{word(far, common.Hash{31: 1}), word(far, common.Hash{31: 2}), word(own, common.Hash{3}), word(own, common.Hash{4})}; !bytes.Equal(got, []byte{7, 0, 0, 0}) {
		t.Errorf("words without the chain: %v", got)
	}
	if a, err := w.Account(common.HexToAddress("0xbb")); a != nil || err != nil {
		t.Errorf("an account that was not asked for is there without the chain: %v, %v", a, err)
	}
	asked := &chain{}
	p.Ask(asked)
	if got := []byte{word(far, common.Hash{31: 1}), word(far, common.Hash{31: 2}), word(own, common.Hash{3}), word(own, common.Hash{4})}; !bytes.Equal(got, []byte{7, 9, 0, 9}) || len(asked.asked) != 2 {
		t.Errorf("words with the chain: %v, asked %v", got, asked.asked)
	}
	if a, err := w.Account(common.HexToAddress("0xbb")); err != nil || a.Nonce != 0xbb {
		t.Errorf("account %v, %v", a, err)
	}
	if known := w.Origin.Known(); len(known) != 1 || known[far].Storage[common.Hash{31: 1}] != (common.Hash{31: 7}) {
		t.Errorf("known %v", known)
	}
}

// A plan with nothing to fuzz has one file.
func TestNothing(t *testing.T) {
	packed, err := (&Plan{Tool: "sightline test", Nothing: "no code changed"}).Pack()
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := Read(packed.Data)
	if err != nil || p.Nothing != "no code changed" {
		t.Errorf("%+v, %v", p, err)
	}
}

// parts are the files of a packed plan.
func partsOf(t testing.TB, packed *Packed) map[string][]byte {
	t.Helper()
	parts, err := unpack(packed.Data)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// tarOf packs files with their checksums made again.
func tarOf(t testing.TB, parts map[string][]byte) []byte {
	t.Helper()
	var main map[string]any
	if err := json.Unmarshal(parts[mainFile], &main); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for name, data := range parts {
		if name != mainFile {
			sums[name] = sumOf(data)
		}
	}
	main["sha256"] = sums
	text, err := json.Marshal(main)
	if err != nil {
		t.Fatal(err)
	}
	parts[mainFile] = text
	data, err := pack(parts)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBadPlans: what is no plan, or does not fit together, is an error that says what and where.
func TestBadPlans(t *testing.T) {
	packed, err := small(t).Pack()
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(name, old, by string) func() []byte {
		return func() []byte {
			parts := maps.Clone(partsOf(t, packed))
			text := strings.Replace(string(parts[name]), old, by, 1)
			if text == string(parts[name]) {
				t.Fatalf("%s has no %s: %s", name, old, text)
			}
			parts[name] = []byte(text)
			return tarOf(t, parts)
		}
	}
	for name, c := range map[string]struct {
		data func() []byte
		want string
	}{
		"empty":         {func() []byte { return nil }, "it is empty"},
		"text":          {func() []byte { return []byte(strings.Repeat("a diff\n", 200)) }, "entry 1: not a tar file"},
		"truncated":     {func() []byte { return packed.Data[:len(packed.Data)/2] }, "it is not whole"},
		"first block":   {func() []byte { return packed.Data[:700] }, "it is not whole"},
		"some files":    {func() []byte { p := partsOf(t, packed); delete(p, worldFile); return tarOf(t, p) }, "the plan lacks world.json"},
		"other file":    {func() []byte { p := partsOf(t, packed); p["a"] = nil; return tarOf(t, p) }, `entry 1 ("a") is not one of its files`},
		"twice":         {func() []byte { return twice(t) }, "it occurs twice"},
		"link":          {func() []byte { return link(t) }, "is not one of its files"},
		"checksum":      {func() []byte { return bytes.Replace(packed.Data, []byte("a note"), []byte("a word"), 1) }, "seeds.json is not the file of which the plan has the SHA-256"},
		"other format":  {replaced(mainFile, formatName, "something else"), "it is not a plan"},
		"version":       {replaced(mainFile, `"version":1`, `"version":2`), "version 2 of the format, this program reads version 1"},
		"nothing":       {replaced(mainFile, `"tool":`, `"nothing":"x","tool":`), "has files besides"},
		"workers":       {replaced(mainFile, `"workers":2`, `"workers":0`), "limits that a run cannot have"},
		"many workers":  {replaced(mainFile, `"workers":2`, `"workers":100000`), "limits that a run cannot have"},
		"no JSON":       {replaced(buildFile, `"table":1`, `"table":`), "build.json: invalid character"},
		"table":         {replaced(buildFile, `"table":1`, `"table":3`), "2 contracts, 3 of the build"},
		"texts":         {replaced(buildFile, `"texts":[`, `"texts":[[],`), "literals of 3"},
		"cuts":          {replaced(buildFile, `"cuts":[`, `"cuts":[[],`), "blocks of 3 pieces of code, of which there are 2"},
		"runs":          {replaced(buildFile, `"runs":[`, `"runs":[[],`), "runs for 3 pieces of code"},
		"run's text":    {replaced(buildFile, `[4,-1]`, `[4,9]`), "there is no text 9"},
		"run's order":   {replaced(buildFile, `[4,-1]`, `[0,-1]`), "a run begins at 0, after 0"},
		"instance":      {replaced(worldFile, `"contract":1`, `"contract":2`), "instance Mock: there is no contract 2"},
		"keys":          {replaced(worldFile, `"keys":[""]`, `"keys":[]`), "0 keys of 1 senders"},
		"key":           {replaced(worldFile, `"keys":[""]`, `"keys":["01"]`), "the key of sender 0"},
		"chain":         {replaced(worldFile, `"world":`, `"chain":{"id":1},"world":`), "go together"},
		"bare chains":   {replaced(worldFile, `"world":`, `"chain":{"id":1},"origin":{"remote":[null,null]},"world":`), "2 Worlds, of which there are 1"},
		"remote":        {replaced(worldFile, `"world":`, `"chain":{"id":1},"origin":{"remote":[["0x00000000000000000000000000000000000000ee"]]},"world":`), "there is no account 0x00000000000000000000000000000000000000eE"},
		"fork":          {replaced(worldFile, `"fork":""`, `"fork":"moon"`), "moon"},
		"tests":         {replaced(worldFile, `"contract":1`, `"contract":-1,"tests":["testX(uint256)"]`), "instance 1 has tests, and no contract"},
		"constructor":   {replaced(worldFile, `"constructors":[{"contract":0`, `"constructors":[{"contract":5`), "constructor 0: there is no contract 5"},
		"called":        {replaced(worldFile, `"called":[`, `"called":[[],`), "functions of 4 instances, of which there are 3"},
		"senders":       {replaced(worldFile, `"senders":[{"Name":"user","Address":"0x0000000000000000000000000000000000000001"}]`, `"senders":[]`), "1 keys of 0 senders"},
		"no code":       {replaced(targetsFile, `"entries":[[2,4]]`, `"entries":[[8,4]]`), "target 0: there is no code 8"},
		"no block":      {replaced(targetsFile, `"entries":[[2,4]]`, `"entries":[[2,2]]`), "target 0: no block of code 2 begins at 2"},
		"nowhere":       {replaced(targetsFile, `"entries":[[2,4]]`, `"entries":[]`), "target 0 is nowhere in the code"},
		"stale seed":    {replaced(seedsFile, "Counter.add", "Kounter.add"), "the world has no instance Kounter"},
		"seed's syntax": {replaced(seedsFile, "args (5)", "args (5"), "seed 0: line 2"},
		"empty seed":    {replaced(seedsFile, `user Counter.add(uint256) args (5)\n`, ""), "it has no calls"},
	} {
		if _, _, err := Read(c.data()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func tarWith(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func twice(t testing.TB) []byte {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: mainFile}
	return tarWith(t, h, h)
}

func link(t testing.TB) []byte {
	return tarWith(t, &tar.Header{Typeflag: tar.TypeSymlink, Name: mainFile, Linkname: "/etc/passwd"})
}

// A file that claims more than it has takes no memory for it.
func TestClaimedSize(t *testing.T) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: mainFile, Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(out.Bytes()); err == nil || !strings.Contains(err.Error(), "not whole") {
		t.Errorf("%v", err)
	}
}

// Another program's plan is refused, whatever it holds.
func TestReadFile(t *testing.T) {
	packed, err := small(t).Pack()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/plan.tar"
	if err := packed.Write(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFile(path, "sightline test"); err != nil {
		t.Error(err)
	}
	if _, _, err := ReadFile(path, "sightline 99"); err == nil || !strings.Contains(err.Error(), "made by sightline test, and this is sightline 99") {
		t.Errorf("%v", err)
	}
	if _, _, err := ReadFile(path+"x", "sightline test"); err == nil {
		t.Error("a file that is not there is read")
	}
}

// What no file can hold is an error, not a plan of less.
func TestUnwritable(t *testing.T) {
	p := small(t)
	p.Config.Seeds = append(p.Config.Seeds, input.Sequence{})
	if _, err := p.Pack(); err == nil {
		t.Error("a sequence without calls is written")
	}
	p = small(t)
	p.Config.World.Instances[1].Contract.ABI = p.Config.Table.Contracts()[0].ABI
	if _, err := p.Pack(); err == nil || !strings.Contains(err.Error(), "mock.sol:Mock has an ABI without its text") {
		t.Errorf("%v", err)
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "7/8": {7, 8}, "4095/4096": {4095, 4096}} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "is not I/N", "3": "is not I/N", "/8": "is not I/N", "-1/8": "is not I/N", "a/8": "is not I/N", "0/8/9": "is not I/N", "1/99999": "is not I/N",
		"0/0": "1 to 4096 shards", "0/4097": "1 to 4096 shards", "8/8": "the last of 8 is 7/8",
	} {
		if _, err := ParseShard(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzRead: whatever the file is, reading it ends with a plan whose parts fit together, or with an error.
func FuzzRead(f *testing.F) {
	packed, err := small(f).Pack()
	if err != nil {
		f.Fatal(err)
	}
	parts := partsOf(f, packed)
	f.Add(parts[mainFile], parts[buildFile], parts[worldFile], parts[targetsFile], parts[seedsFile])
	f.Fuzz(func(t *testing.T, main, build, world, targets, seeds []byte) {
		parts := map[string][]byte{mainFile: main, buildFile: build, worldFile: world, targetsFile: targets, seedsFile: seeds}
		var head mainPart
		if json.Unmarshal(main, &head) != nil {
			return // its checksums cannot be replaced
		}
		p, _, err := Read(tarOf(t, parts))
		if err != nil || p.Nothing != "" {
			return
		}
		if _, err := p.Pack(); err != nil && !strings.Contains(err.Error(), "ABI without its text") {
			t.Errorf("a plan that was read cannot be written: %v", err)
		}
	})
}

// FuzzUnpack: whatever the file is, unpacking it ends, and within its size.
func FuzzUnpack(f *testing.F) {
	packed, err := small(f).Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Data)
	f.Add(packed.Data[:1500])
	f.Add(link(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := unpack(data)
		size := 0
		for _, part := range parts {
			size += len(part)
		}
		if size > len(data) || err != nil && errors.Is(err, io.EOF) {
			t.Errorf("%d bytes of %d, %v", size, len(data), err)
		}
	})
}
