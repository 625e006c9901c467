package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file is the form of tests that `sightline tests` writes into a folder of a project, which its team
// keeps. A line at the top has the file's id and a hash of its text, by which a change by hand is seen. Tests of
// reached lines have their calls as a comment, too: from it a later run knows what they cover.

// keeping is where a test is kept, and what its head says.
type keeping struct {
	project string // folder of the project, as bytecode.Contract.Folder
	folder  string // of the test, relative to the project's, with slashes
	id      string
	said    string // what it shows: "SL-7f3a assertion: … at src/Vault.sol:5 in Vault"
	reaches bool   // it is of reached lines
}

// keptHead is the head of a kept test: id, hash, what it shows, and what it means.
const keptHead = `// SPDX-License-Identifier: UNLICENSED
// Written by ` + "`sightline tests`" + `: %s, %s. Once it is changed by hand, it stays as it is.
pragma solidity >=0.6.2;

// %s
`

// Meanings of kept tests.
const (
	keptFinding = `// This test FAILS as long as the finding happens. Once that is mended it passes, and keeps it from coming back.
// It also passes, with a log, where a call before the last one ends otherwise than when it was found.

`
	keptTestRun = `// This test FAILS as long as the fuzz test does with these arguments. Once that is mended it passes, and keeps it from
// coming back.

`
	keptReached = `// This test passes: it pins how each of these calls ends. If it fails, the contract does something else than when it
// was written: change or delete it if that is meant.
//
`
)

// noHash stands for the hash while it is computed.
var noHash = strings.Repeat("0", 32)

// head is the beginning of the test, with no hash yet.
func (k *keeping) head(l *loaded, fails bool) string {
	text := fmt.Sprintf(keptHead, k.id, noHash, solidityComment(k.said))
	switch {
	case !k.reaches && input.IsTest(l.sequence):
		return text + keptTestRun
	case fails:
		return text + keptFinding
	}
	text += keptReached
	for line := range strings.Lines(input.Format(l.space, l.sequence)) {
		text += "// " + line
	}
	return text + "\n"
}

// outcomeText requires that a call of a reached line ends as it did; i counts from 0.
func outcomeText(i int, failed bool) string {
	if failed {
		return fmt.Sprintf("        require(!ok, \"call %d succeeds, unlike when this test was written\");\n", i+1)
	}
	return fmt.Sprintf("        require(ok, \"call %d fails, unlike when this test was written\");\n", i+1)
}

// standIn is what a kept test has instead of inheriting from the project's test contract, which
// would make forge run all tests of that one again; empty: it inherits from none.
func (t *foundryTest) standIn() string {
	if t.kept == nil || t.base == nil {
		return ""
	}
	name, _ := t.imports.name(t.base.Contract)
	return standInText(name, t.base.Function)
}

// standInText lets a test stand in for a test contract of the project: it has that one's address, which
// forge gives it, and its storage, code and setUp(), if there is one.
func standInText(name, setUp string) string {
	text := fmt.Sprintf(standInHelper, name)
	if setUp != "" {
		text += fmt.Sprintf(standInSetUp, setUp, name)
	}
	return text + standInEnd
}

const standInHelper = `    address private constant sightlineTest = address(uint160(uint256(keccak256("the code of the project's test"))));

    // This contract is where %[1]s would be under forge, and becomes it, but for its tests: it runs the constructor
    // and setUp() on its own storage, and does what %[1]s does where it is called.
    function setUp() public {
        sightline.etch(sightlineTest, type(%[1]s).creationCode);
        (bool ok, bytes memory out) = sightlineTest.delegatecall("");
        require(ok, "the constructor of %[1]s fails");
        sightline.etch(sightlineTest, out);
`

const standInSetUp = `        (ok, out) = sightlineTest.delegatecall(abi.encodeWithSignature("%s"));
        require(ok, "setUp() of %s fails");
`

const standInEnd = `    }

    fallback() external payable { sightlineForward(); }
    receive() external payable { sightlineForward(); }

    function sightlineForward() private {
        address to = sightlineTest;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
`

// maxPinned bounds the answers that are pinned, in bytes: eight words. Arbitrary.
const maxPinned = 256

// answerText requires that a view function answers as it did, unless it names contracts, which may be elsewhere
// under forge, or the whole of a long list.
func (t *foundryTest) answerText(i int, failed bool, output []byte) string {
	f := t.sequence[i].Function
	if f == nil || !f.View || failed || len(output) == 0 || len(output) > maxPinned || len(t.needs.mentioned(output)) > 0 {
		return ""
	}
	return fmt.Sprintf("        require(keccak256(out) == keccak256(%s), \"call %d answers otherwise than when this test was written\");\n", hexLiteral(output), i+1)
}

var keptLine = regexp.MustCompile("(?m)^// Written by `sightline tests`: ([A-Za-z0-9_-]{1,120}), ([0-9a-f]{32})\\.")

// sealed is a test with its hash.
func sealed(text string) string { return strings.Replace(text, noHash, keptHash(text), 1) }

// keptHash is the hash of a test's text, which has noHash in its place. A checkout may have other ends of lines.
func keptHash(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(sum[:len(noHash)/2])
}

// keptFile is a file of the folder.
type keptFile struct {
	text   string
	id     string // empty: Sightline did not write it
	byHand bool   // it was changed since
}

// readKept reads a file of the folder.
func readKept(text string) *keptFile {
	f := &keptFile{text: text}
	m := keptLine.FindStringSubmatchIndex(text)
	if m == nil {
		return f
	}
	f.id = text[m[2]:m[3]]
	f.byHand = keptHash(text[:m[4]]+noHash+text[m[5]:]) != text[m[4]:m[5]]
	return f
}

// calls is the sequence of a test of reached lines, as text; empty: there is none.
func (f *keptFile) calls() string {
	const first = "// sightline-sequence "
	_, rest, found := strings.Cut(strings.ReplaceAll(f.text, "\r\n", "\n"), "\n"+first)
	if f.id == "" || !found {
		return ""
	}
	var b strings.Builder
	b.WriteString(first[len("// "):])
	for i, line := range strings.Split(rest, "\n") {
		if i > 0 {
			var comment bool
			if line, comment = strings.CutPrefix(line, "// "); !comment {
				break
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
