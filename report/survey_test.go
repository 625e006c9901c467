package report

import (
	"strings"
	"testing"
)

// TestSurvey: each line of code is ready or blocked, and what is blocked says why and what would help.
func TestSurvey(t *testing.T) {
	const vault, absent = "src/Vault.sol:Vault", "the World has no instance of Proxy"
	r := &Report{
		World: World{Undeployed: []Undeployed{{Contract: vault, Reason: "constructor: no\x1b[2J", Holds: []string{"2 changed lines"}}, {Contract: "src/Old.sol:Old", Reason: "nothing in it changed"}}},
		Lines: []Line{
			{File: "src/Vault.sol", Line: 7, Status: Undeployable, Reason: "the contract could not be deployed: constructor: no", Contracts: []string{vault}},
			{File: "src/Vault.sol", Line: 8, Status: Undeployable, Reason: "the contract could not be deployed: constructor: no", Contracts: []string{vault}},
			{File: "src/Proxy.sol", Line: 1, Status: Unreached, Reason: absent},
			{File: "src/Proxy.sol", Line: 2, Status: Unreached, Reason: absent},
			{File: "src/Proxy.sol", Line: 5, Status: Unreached, Reason: absent},
			{File: "src/Lib.sol", Line: 3, Status: NoBytecode, Unused: true, Reason: "no contract holds it"},
			{File: "src/Lib.sol", Line: 4, Status: NoBytecode, Reason: "comment"},
			{File: "src/Asm.sol", Line: 9, Status: Unmapped, Reason: "via-IR code keeps nothing of it"},
			{File: "src/Ok.sol", Line: 1, Status: Unreached},
			{File: "src/Ok.sol", Line: 2, Status: Reached},
			{File: "test/T.sol", Line: 1, Status: Unmapped, Aside: "test"},
		},
		Unread: []Unread{{File: "src/a.cairo", Reason: "Cairo source"}},
	}
	want := `blocked src/Vault.sol:Vault (2 changed lines): constructor: no\x1b[2J
        what would help, in sightline.yml:
          deploy:
            - contract: Vault
              arguments: []  # the constructor's, in order: numbers, addresses, names of contracts above
blocked src/Proxy.sol:1–2, 5: the World has no instance of Proxy
blocked src/Lib.sol:3: no contract holds it
blocked src/Asm.sol:9: via-IR code keeps nothing of it
blocked src/a.cairo: Cairo source
idle    lines without bytecode are comments
aside   1 line of tests, scripts, mocks or dependencies
ready   2 of 9 lines of code can be fuzzed`
	if got := strings.Join(r.Survey(), "\n"); got != want {
		t.Errorf("the survey is\n%s\nwant\n%s", got, want)
	}
}
