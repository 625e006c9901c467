package diffmap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// Status is what became of a changed line. Every changed line ends in exactly
// one.
type Status string

// The statuses. Unmapped and NoBytecode are known before a campaign, the others
// come out of it.
const (
	Reached     Status = "reached"
	OnlyReverts Status = "only-reverts" // only ever in calls that revert
	Unreached   Status = "unreached"
	Unreachable Status = "unreachable" // proved
	Undeployed  Status = "undeployed"  // no instance of the contract could be created
	Unmapped    Status = "unmapped"    // the build at hand cannot tell
	NoBytecode  Status = "no-bytecode" // there is nothing to execute
)

// TargetResult is what a campaign found of one target.
type TargetResult struct {
	Contract string // qualified name
	Status   Status
	Reason   string
}

// combineOrder ranks the statuses of a line's targets: the first that any of
// them has is the line's. Unreachable is last but one, so that a line is
// unreachable only where no target may be reached, and undeployed only where no
// contract that holds it exists.
var combineOrder = []Status{Reached, OnlyReverts, Unreached, Undeployed, Unreachable}

// Combine is the status of a line and the reason for it, given the results of
// its targets: a line in five contracts counts once. It is unreachable only if
// all of its targets are; one that was not deployed may still be reached in a
// deployed instance. A line without targets keeps its own status.
func Combine(line Line, results []TargetResult) (Status, string) {
	if line.Status != "" {
		return line.Status, line.Reason
	}
	for _, status := range combineOrder {
		for _, r := range results {
			if r.Status == status {
				return status, combinedReason(r, results)
			}
		}
	}
	return Unreached, "no result for this line"
}

// combinedReason is the reason of the deciding result, with the contract it
// holds for when there are several.
func combinedReason(decided TargetResult, results []TargetResult) string {
	same := 0
	for _, r := range results {
		if r.Status == decided.Status {
			same++
		}
	}
	switch {
	case len(results) == 1:
		return decided.Reason
	case same == len(results) && decided.Reason == "":
		return fmt.Sprintf("in all %d contracts that hold the line", same)
	case decided.Reason == "":
		return fmt.Sprintf("in %s", decided.Contract)
	}
	return fmt.Sprintf("in %s: %s", decided.Contract, decided.Reason)
}

// verdict is the status of a line without targets.
type verdict struct {
	status Status
	reason string
	idle   bool // nothing but comments and formatting changed
}

// unused is the status of code that no deployable contract holds. In the result that is
// NoBytecode, see [Line.Unused].
const unused Status = "unused"

// verdictOrder ranks the statuses of a verdict by how much they say: that a build cannot tell
// outweighs that another has no code.
var verdictOrder = []Status{"", NoBytecode, unused, Unmapped}

// unusedConstant is the verdict of a constant that only code outside of deployable contracts uses.
var unusedConstant = verdict{status: unused, reason: "constant that no deployable contract uses"}

// better reports whether v says more of a line than old.
func (v verdict) better(old verdict) bool {
	return slices.Index(verdictOrder, v.status) > slices.Index(verdictOrder, old.status)
}

// describe fills in what a source says of a changed line. found reports whether
// instructions own it.
func (s *lineState) describe(t *sourceTree, output *compile.Output, change unified.ChangedLine, anchor int32, found bool) {
	n := anchor
	if n < 0 {
		n = t.representative(change)
	}
	if f, ok := t.callable(n); ok && s.function == "" {
		s.function = functionName(t.nodes[f].ast)
	} else if s.function == "" {
		s.function = t.yulFunction(n)
	}
	if found {
		return
	}
	if v := t.verdict(n, output, change); v.better(s.verdict) {
		s.verdict = v
	}
}

// representative is the node to judge a line by: that of its first changed token
// that is more than punctuation, else of any token or place on it.
func (t *sourceTree) representative(change unified.ChangedLine) int32 {
	first := int32(-1)
	for _, span := range change.Spans {
		if span.Start == span.End && span.Start <= len(t.text) {
			if first < 0 {
				first = t.around(span.Start)
			}
			continue
		}
		for _, token := range t.tokensIn(byteRange{span.Start, span.End}) {
			if !t.isPunctuation(token) {
				return t.innermost(token.Start)
			}
			if first < 0 {
				first = t.innermost(token.Start)
			}
		}
	}
	if first >= 0 {
		return first
	}
	for _, token := range t.tokensOf(change.Line) {
		return t.innermost(token.Start)
	}
	return t.innermost(t.lineRange(change.Line).start)
}

// plainVerdict judges a change without changed code.
func plainVerdict(change unified.ChangedLine) (verdict, bool) {
	switch {
	case change.Formatting:
		return verdict{NoBytecode, "only formatting changed", true}, true
	case change.Comment:
		return verdict{NoBytecode, "only a comment changed", true}, true
	case change.Moved:
		return verdict{status: NoBytecode, reason: "moved unchanged"}, true // which may move slots
	}
	return verdict{}, false
}

// verdict judges a line that no instruction owns, by the node n that stands for
// it.
func (t *sourceTree) verdict(n int32, output *compile.Output, change unified.ChangedLine) verdict {
	if len(change.Spans) == 0 && len(t.tokensOf(change.Line)) == 0 || len(change.Spans) > 0 && !t.anyCode(change) {
		return verdict{NoBytecode, t.emptyReason(change), true}
	}
	if v, plain := plainVerdict(change); plain {
		return v
	}
	if t.isYul() {
		return t.yulVerdict(n, output)
	}
	for at := n; at >= 0; at = t.nodes[at].parent {
		node := &t.nodes[at]
		if node.ast == nil {
			continue
		}
		if change.Kind == unified.DeletionAnchor && node.ast.Type == "ContractDefinition" {
			break
		}
		if reason := declarationReasons[node.ast.Type]; reason != "" {
			return verdict{status: NoBytecode, reason: reason}
		}
		switch {
		case node.kind == functionNode || node.kind == modifierNode:
			return t.callableVerdict(at, n, output)
		case isStateVariable(node.ast):
			return t.variableVerdict(node, output)
		}
	}
	if change.Kind == unified.DeletionAnchor {
		return verdict{status: NoBytecode, reason: "the deleted code was outside of any function that is left"}
	}
	return verdict{status: NoBytecode, reason: "outside of any declaration"}
}

// declarationReasons says of declarations why they hold no bytecode.
var declarationReasons = map[string]string{
	"PragmaDirective":                "pragma: no code of its own",
	"ImportDirective":                "import: no code of its own",
	"UsingForDirective":              "using directive: no code of its own",
	"StructDefinition":               "struct definition: no code of its own, the code that uses it may change",
	"EnumDefinition":                 "enum definition: no code of its own, the code that uses it may change",
	"EventDefinition":                "event declaration: no code of its own",
	"ErrorDefinition":                "error declaration: no code of its own",
	"UserDefinedValueTypeDefinition": "type declaration: no code of its own",
	"InheritanceSpecifier":           "base list: no code of its own, the functions it brings may change",
	"ContractDefinition":             "contract header: no code of its own",
	"StructuredDocumentation":        "comment",
}

// anyCode reports whether a changed line has a changed token besides punctuation.
func (t *sourceTree) anyCode(change unified.ChangedLine) bool {
	for _, span := range change.Spans {
		if span.Start == span.End {
			return true
		}
		for _, token := range t.tokensIn(byteRange{span.Start, span.End}) {
			if !t.isPunctuation(token) {
				return true
			}
		}
	}
	return false
}

// lineRange is the range of a line; empty behind the end of the file.
func (t *sourceTree) lineRange(line int) byteRange {
	if line < 1 || line > len(t.lines) {
		return byteRange{len(t.text), len(t.text)}
	}
	r := byteRange{t.lines[line-1], len(t.text)}
	if line < len(t.lines) {
		r.end = t.lines[line]
	}
	return r
}

// tokensOf lists the tokens on a line, comments not among them.
func (t *sourceTree) tokensOf(line int) []solidity.Token { return t.tokensIn(t.lineRange(line)) }

// emptyReason says what a line without changed code is: blank, comment or
// punctuation.
func (t *sourceTree) emptyReason(change unified.ChangedLine) string {
	r := t.lineRange(change.Line)
	switch {
	case len(t.tokensIn(r)) > 0:
		return "only punctuation changed"
	case len(strings.TrimSpace(string(t.text[r.start:r.end]))) == 0:
		return "blank"
	}
	return "comment"
}

// callableVerdict judges a line in function or modifier f by the node n on it.
func (t *sourceTree) callableVerdict(f, n int32, output *compile.Output) verdict {
	ast := t.nodes[f].ast
	contract := contractOf(ast)
	name := functionName(ast)
	switch {
	case contract != nil && contract.Attribute("contractKind") == "interface":
		return verdict{status: NoBytecode, reason: "declared in an interface: no code"}
	case ast.Child("body") == nil:
		return verdict{status: NoBytecode, reason: fmt.Sprintf("%s has no body: no code", name)}
	case optimized(output):
		return verdict{status: Unmapped, reason: unmappedReason(output)}
	case len(ast.Child("body").Children) == 0:
		return verdict{status: NoBytecode, reason: fmt.Sprintf("%s has an empty body: the compiler makes no instruction for it", name)}
	case !t.inUse(f):
		return verdict{status: unused, reason: unusedReason(ast, contract)}
	case t.inMessage(n):
		return verdict{status: Unmapped, reason: "the build does not show which require fails with this message: several of the contract have equal ones"}
	case t.inWholeAssembly(n) && output.Settings.ViaIR:
		return verdict{status: Unmapped, reason: "conditional inline assembly in a via-IR build: the compiler writes one source range for the whole assembly block"}
	case t.style.shuffled:
		return verdict{status: Unmapped, reason: "via-IR code keeps nothing of this line but the order of values on the stack"}
	case t.isJump(n):
		return verdict{status: Unmapped, reason: "the compiler made this jump a part of the condition in front of it: whether it was taken cannot be told"}
	}
	return verdict{status: NoBytecode, reason: fmt.Sprintf("the compiler makes no instruction for this line of %s", name)}
}

// inUse reports whether some code holds a function or modifier. The range of a
// modifier as a whole says nothing: via-IR code has it for the modifier that
// overrides it too.
func (t *sourceTree) inUse(f int32) bool {
	if t.nodes[f].kind != modifierNode {
		return t.holdsCode[f]
	}
	return slices.ContainsFunc(t.nodes[f].children, func(child int32) bool { return t.holdsCode[child] })
}

// isJump reports whether n is a statement that does nothing but leave a loop or a
// function: a return of what is in its place already, right behind a condition, is
// no more than that.
func (t *sourceTree) isJump(n int32) bool {
	switch ast := t.nodes[n].ast; t.nodes[n].astType() {
	case "Break", "Continue", "YulBreak", "YulContinue", "YulLeave":
		return true
	case "Return":
		around := t.nodes[n].parent
		if t.nodes[around].kind == bodyNode && t.nodes[around].children[0] == n {
			around = t.nodes[around].parent
		}
		return ast.Child("expression") == nil || t.nodes[around].astType() == "IfStatement"
	}
	return false
}

// unusedReason says why no contract's bytecode holds a function or modifier.
func unusedReason(ast, contract *compile.Node) string {
	name := functionName(ast)
	visibility := ast.Attribute("visibility")
	kind := ""
	if contract != nil {
		kind = contract.Attribute("contractKind")
	}
	switch {
	case ast.Type == "ModifierDefinition":
		return fmt.Sprintf("modifier %s is used by no deployable contract", name)
	case ast.Attribute("kind") == "constructor" || ast.Attributes.Get("isConstructor") == true:
		return fmt.Sprintf("the constructor of %s runs in no deployable contract", contractName(contract))
	case visibility == "internal" || visibility == "private" || kind == "library" || contract == nil:
		return fmt.Sprintf("internal function %s is called by no deployable contract", name)
	}
	return fmt.Sprintf("%s.%s is in no deployable contract", contractName(contract), name)
}

// variableVerdict judges a line in the declaration of a state variable.
func (t *sourceTree) variableVerdict(node *treeNode, output *compile.Output) verdict {
	constant := node.ast.Attributes.Get("constant") == true
	switch {
	case node.ast.Child("value") == nil:
		return verdict{status: NoBytecode, reason: "declaration of a state variable: no code of its own, the code that uses it may change"}
	case optimized(output):
		return verdict{status: Unmapped, reason: unmappedReason(output)}
	case constant:
		return unusedConstant
	}
	return verdict{status: unused, reason: "state variable of a contract that no deployable contract inherits"}
}

// inWholeAssembly reports whether n is in inline assembly of which nothing has code of its own, see [LocateAssembly].
func (t *sourceTree) inWholeAssembly(n int32) bool {
	block, ok := t.enclosing(n, func(n *treeNode) bool { return n.astType() == "InlineAssembly" })
	return ok && !slices.ContainsFunc(t.nodes[block].children, func(child int32) bool { return t.holdsCode[child] })
}

// optimized reports whether the compiler may have merged or dropped the code of a
// line.
func optimized(o *compile.Output) bool {
	return !o.KeepsLines()
}

func unmappedReason(o *compile.Output) string {
	what := "optimized"
	if o.Settings.ViaIR {
		what = "via-IR"
	}
	return fmt.Sprintf("%s code has no instruction for this line; give a compiler (--solc) so that a debug build can be made, or a build with the optimizer off", what)
}

// explain judges the lines of a file that no output holds.
func (m *mapper) explain(changes []unified.ChangedLine, found match) {
	if len(found.sources) > 0 {
		return
	}
	var text []byte
	var items []solidity.Item
	if len(changes) > 0 && solidity.IsSource(changes[0].Path) {
		text = m.options.Heads[changes[0].Path]
		items = solidity.Outline(text)
	}
	for _, change := range changes {
		state := m.line(lineKey{change.Path, change.Line}, change.Kind)
		v, plain := plainVerdict(change)
		if m.options.Same[change.Path] {
			v, state.function = sameVerdict(text, items, change)
		} else if !plain {
			v = verdict{status: Unmapped, reason: cmp.Or(found.unmapped, otherLanguage(change.Path), found.reason)}
			if reason := idleText(text, items, change); reason != "" {
				v = verdict{status: NoBytecode, reason: reason}
			}
		}
		if v.better(state.verdict) {
			state.verdict = v
		}
	}
}

// sameVerdict judges a line of a source whose code is that of the base, and names the function that
// holds the line: what it would be in a build.
func sameVerdict(text []byte, items []solidity.Item, change unified.ChangedLine) (v verdict, function string) {
	lines := newLineTable(text)
	start, end := len(text), len(text)
	if change.Line >= 1 && change.Line <= len(lines) {
		start = lines[change.Line-1]
	}
	if change.Line >= 1 && change.Line < len(lines) {
		end = lines[change.Line]
	}
	line := ""
	for _, token := range solidity.Tokenize(text) {
		if token.Kind == solidity.Comment || token.End <= start || token.Start >= end {
			continue
		}
		if line == "" {
			start = max(start, token.Start)
		}
		line += string(text[token.Start:token.End])
	}
	for _, item := range items {
		if item.Start <= start && start < item.End && slices.Contains([]string{"function", "constructor", "modifier", "receive", "fallback"}, item.Kind) {
			function = cmp.Or(item.Name, item.Kind)
		}
	}
	v, plain := plainVerdict(change)
	switch {
	case len(change.Spans) > 0 && change.Kind == unified.DeletionAnchor:
		return verdict{status: NoBytecode, reason: "the deleted code was outside of any function that is left"}, function
	case len(change.Spans) > 0:
		return verdict{status: NoBytecode, reason: declarationReasons["ImportDirective"]}, function
	case line == "" && strings.TrimSpace(string(text[min(start, end):end])) == "":
		return verdict{NoBytecode, "blank", true}, function
	case line == "":
		return verdict{NoBytecode, "comment", true}, function
	case !plain:
		return verdict{NoBytecode, "only formatting changed", true}, function
	}
	return v, function
}

// idleText says why the changed code of a line of a source that is in no build is not code that runs;
// empty where that is not so, or not known.
func idleText(text []byte, items []solidity.Item, change unified.ChangedLine) string {
	reason := ""
	for _, span := range change.Spans {
		if span.Start == span.End || span.End > len(text) {
			return "" // something was deleted
		}
		for _, token := range solidity.Tokenize(text[span.Start:span.End]) {
			start, end := span.Start+token.Start, span.Start+token.End
			i := slices.IndexFunc(items, func(item solidity.Item) bool { return item.Start <= start && end <= item.End })
			switch {
			case i >= 0 && idleItem(items[i]) != "":
				reason = idleItem(items[i])
			case i < 0 && strings.Contains("{}", string(text[start:end])): // around the members of a contract
				reason = cmp.Or(reason, "only punctuation changed")
			default:
				return ""
			}
		}
	}
	return reason
}

// idleItem says why an item of a source that is in no build is not code, and changes none; empty where
// that is not so. Types and base lists may change the code of others, which is in no build either.
func idleItem(item solidity.Item) string {
	switch {
	case item.In == "interface":
		return "declared in an interface: no code"
	case item.Kind == "pragma":
		return declarationReasons["PragmaDirective"]
	case item.Kind == "import":
		return declarationReasons["ImportDirective"]
	case item.Kind == "event":
		return declarationReasons["EventDefinition"]
	case item.Kind == "error":
		return declarationReasons["ErrorDefinition"]
	}
	return ""
}

// contractOf is the contract that an AST node is declared in; nil outside.
func contractOf(n *compile.Node) *compile.Node {
	for ; n != nil; n = n.Parent {
		if n.Type == "ContractDefinition" {
			return n
		}
	}
	return nil
}

func contractName(n *compile.Node) string {
	if n == nil {
		return "the file"
	}
	return n.Attribute("name")
}

// functionName is how people call a function or modifier: its name, or
// "constructor", "receive", "fallback".
func functionName(n *compile.Node) string {
	if n.Attributes.Get("isConstructor") == true || n.Attribute("kind") == "constructor" {
		return "constructor"
	}
	if name := n.Attribute("name"); name != "" {
		return name
	}
	if kind := n.Attribute("kind"); kind != "" && kind != "function" {
		return kind
	}
	return "fallback" // before 0.6 the fallback function has no name
}
