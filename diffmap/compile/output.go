// Package compile turns what a compiler wrote into one model, [Output], and makes the
// builds that are our own: the debug build, for what is mapped and fuzzed, and that of the
// base version.
package compile

import (
	"encoding/json"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Output is one compilation unit: everything the rest needs to know of one
// compiler run.
type Output struct {
	Compiler  string // "0.8.30+commit.73712a01"; empty when unknown
	Settings  Settings
	Sources   []*Source   // by source id
	Contracts []*Contract // by source path, then by name
	// Debug is set when this build was made to map and to fuzz: optimizer off,
	// every line kept.
	Debug bool
	// Input is the standard-JSON input it was compiled from, with every source's
	// content inlined; nil when unknown. The debug build is made from it.
	Input json.RawMessage
	// Origin says where the output came from, for messages: a file's path or
	// "solc 0.8.30".
	Origin string
	// Folder is the folder of the project that was built, relative to the root
	// that was searched for projects, with slashes; empty for the root itself.
	Folder string
	// Refused reports that the newest compiler that the sources' pragmas allow does not take
	// them, and one of an older language does.
	Refused bool

	askedViaIR bool // the project compiles via IR; of a debug build
	located    bool // [Output.LocateAssembly] has been here
}

// MarkDebug says that the build was made to map and to fuzz, and does not ship: how long
// its code is where it does is not known.
func (o *Output) MarkDebug() {
	o.Debug = true
	for _, c := range o.Contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code != nil {
				code.Released = bytecode.SizeUnknown
			}
		}
	}
}

// KeepsLines reports whether the build can be mapped and fuzzed as it is: it is a
// debug build, or the project itself compiles without the optimizer.
func (o *Output) KeepsLines() bool {
	return o.Debug || o.Settings.Known && !o.Settings.Optimizer
}

// Obstacle says what stands in the way of mapping and fuzzing the build as it
// is, as a sentence's end: "was compiled with the optimizer"; empty when nothing
// does.
func (o *Output) Obstacle() string {
	switch {
	case o.unmappedSource() != "":
		return "has source maps of another text than that of its Yul source"
	case !o.KeepsLines() && !o.Settings.Known:
		return "does not say its settings"
	case !o.KeepsLines():
		return "was compiled with the optimizer"
	case o.Settings.Linked:
		return "has libraries at fixed addresses"
	case !o.hasASTs():
		return "has no AST"
	}
	for _, s := range o.Sources {
		if s.AST == nil {
			return "lacks the AST of " + s.Path
		}
	}
	return ""
}

// DropStatements forgets what is inside functions and modifiers in the ASTs: most of a
// large project's memory, of no use once its changed lines are mapped. The rest of
// [Output] stays.
func (o *Output) DropStatements() {
	for _, s := range o.Sources {
		if s.AST == nil {
			continue
		}
		s.AST.Walk(func(n *Node) bool {
			if n.Type == "FunctionDefinition" || n.Type == "ModifierDefinition" {
				n.Children = nil
			}
			return n.Children != nil
		})
	}
}

// unmappedSource says why a source has no source map that refers to it; empty
// when all have.
func (o *Output) unmappedSource() string {
	for _, s := range o.Sources {
		if s.Unmapped != "" {
			return s.Unmapped
		}
	}
	return ""
}

// hasASTs reports whether the source of every contract has its AST.
func (o *Output) hasASTs() bool {
	with := map[string]bool{}
	for _, s := range o.Sources {
		with[s.Path] = s.AST != nil
	}
	return !slices.ContainsFunc(o.Contracts, func(c *Contract) bool { return !with[c.Source] })
}

// Settings are the compiler settings that decide whether lines can be mapped.
type Settings struct {
	Known      bool // false when neither an input nor metadata tells them
	Optimizer  bool
	ViaIR      bool
	EVMVersion string
	Remappings []string
	// Linked is set when libraries were linked at addresses that the settings
	// name: nothing is there in a World of our own.
	Linked bool
}

// Source is one source unit.
type Source struct {
	ID   int    // file index in this unit's source maps and AST ranges
	Path string // as the compiler was given it: "src/Vault.sol"
	// File is where the text is on disk: absolute, symbolic links resolved, with
	// slashes. Empty when it is not known, see [Output.Locate].
	File string
	Text []byte // nil when unknown
	AST  *Node  // nil when the output has none; Input is there then
	// Unmapped says why no source map refers to the text; empty when they do.
	Unmapped string
	// Keccak256 is the text's hash as a contract's metadata gives it; nil when
	// unknown.
	Keccak256 []byte
}

// Node is a node of the compact AST (solc ≥ 0.4.12), children in source order.
type Node struct {
	ID       int
	Type     string // nodeType: "FunctionDefinition", "IfStatement", …
	Start    int    // byte offset in the source, −1 when generated
	Length   int    // bytes
	File     int    // source id
	Children []*Node
	Parent   *Node
	// ValueType is what the compiler calls the type of an expression or a variable:
	// "uint256", "int_const 5", "function (address) returns (bool)"; empty for other nodes.
	ValueType string
	// Attributes are those of the node's other fields that tell something about the
	// code, as decoded JSON, whole numbers as int; child nodes and what is null are
	// not among them, and there may be none. Role tells under which field of the parent the
	// node stands ("condition", "body", "leftHandSide", …).
	Attributes Attributes
	Role       string
}

// Attributes are values by name, each name once. A node has few, and there are many nodes: a map would take three times as much memory.
type Attributes []Attribute

// Attribute is one of a node's [Attributes].
type Attribute struct {
	Name  string
	Value any
}

// Get is the value of a name; nil when absent.
func (a Attributes) Get(name string) any {
	for i := range a {
		if a[i].Name == name {
			return a[i].Value
		}
	}
	return nil
}

// End is the byte offset after the node.
func (n *Node) End() int { return n.Start + n.Length }

// Attribute is a string attribute of the node; empty when absent.
func (n *Node) Attribute(name string) string {
	s, _ := n.Attributes.Get(name).(string)
	return s
}

// Contract is a compiled contract with its source maps.
type Contract struct {
	bytecode.Contract
	Kind        string // "contract", "library", "interface"; "abstract contract"
	CreationMap SourceMap
	RuntimeMap  SourceMap
	// ABIError says why entries of the ABI could not be read and are missing from
	// it; empty when all could.
	ABIError string
	// StorageLayout is solc's own JSON; nil when it was not asked for.
	StorageLayout json.RawMessage
}

// SourceMap holds one entry per instruction, in code order, packed: a large
// project has half a million of them. See [SourceMap.At].
type SourceMap []packedEntry

// packedEntry is a [SourceMapEntry] whose numbers have the widths that
// [ParseSourceMap] accepts.
type packedEntry struct {
	start, length, file int32
	modifierDepth       uint16
	jump                byte
}

// SourceMapEntry is a decompressed element of solc's source map (solc
// documentation, "Source Mappings"): s:l:f:j:m.
type SourceMapEntry struct {
	Start, Length int  // bytes; inside the source's text unless File is −1
	File          int  // source id; −1 for generated code without a source
	Jump          byte // 'i' into a function, 'o' out of one, '-' other
	ModifierDepth int
}
