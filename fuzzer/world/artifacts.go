package world

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// edge is what cheatcodes of a test see of the project.
func (s *setups) edge(plan *Plan) cheatcode.Edge {
	return cheatcode.Edge{
		Artifact: s.artifact,
		ReadFile: s.ReadFile, Root: s.Root, Fork: s.fork(plan),
	}
}

// artifact is the code of a contract of the build, or of an artifact that is a file of the project's.
func (s *setups) artifact(name string) (creation, deployed []byte, err error) {
	creation, deployed, err = codeOf(s.contracts, name)
	if err == nil || s.ReadFile == nil || path.Ext(name) != ".json" {
		return creation, deployed, err
	}
	data, unread := s.ReadFile(name)
	if unread != nil {
		return nil, nil, err
	}
	return codeOfFile(data, name)
}

// fork is the chain that tests may fork; nil where there is none.
func (s *setups) fork(plan *Plan) *cheatcode.Fork {
	if s.Fork == nil || plan == nil || plan.Origin == nil || plan.Block == nil {
		return nil
	}
	at := plan.Block
	return &cheatcode.Fork{Check: s.Fork, Environment: cheatcode.Environment{
		ChainID: at.ChainID, Number: at.Number, Time: at.Time, Coinbase: at.Coinbase, PrevRandao: at.PrevRandao,
		BaseFee: at.BaseFee, BlobBaseFee: 1, GasLimit: at.GasLimit, // blob gas costs at least 1 wei (EIP-4844)
	}}
}

// codeOf is the code of a contract of the build, as vm.getCode and deployCode
// name it: "Vault", "Vault.sol", "Vault.sol:Vault" or by its path.
func codeOf(contracts []*bytecode.Contract, name string) (creation, deployed []byte, err error) {
	i := slices.IndexFunc(contracts, func(c *bytecode.Contract) bool { return isNamed(c, name) })
	if i < 0 {
		return nil, nil, fmt.Errorf("the build has no contract %q", name)
	}
	c := contracts[i]
	if !c.Deployable() || c.Runtime == nil {
		return nil, nil, fmt.Errorf("%s has no code: it is abstract or an interface", c.QualifiedName())
	}
	if len(c.Creation.Links) > 0 {
		return nil, nil, fmt.Errorf("%s links to the library %s, which getCode does not deploy", c.QualifiedName(), c.Creation.Links[0].Library)
	}
	return c.Creation.Bytes, c.Runtime.Bytes, nil
}

// isNamed reports whether a text names a contract as getCode takes it: "Vault.sol",
// "Vault.sol:Vault", "src/Vault.sol:Vault", "out/Vault.sol/Vault.json".
func isNamed(c *bytecode.Contract, text string) bool {
	file := path.Base(c.Source)
	switch text {
	case c.Name, c.UnitName(), file + ":" + c.Name:
		return true
	case c.Name + ".sol":
		return file == text
	}
	return strings.HasSuffix(text, "/"+file+"/"+c.Name+".json")
}

// artifactFile is the code in an artifact of another compiler, at a path that getCode is given: what forge and Hardhat write, or a
// contract of standard JSON.
type artifactFile struct {
	Bytecode         artifactCode `json:"bytecode"`
	DeployedBytecode artifactCode `json:"deployedBytecode"`
	EVM              struct {
		Bytecode         artifactCode `json:"bytecode"`
		DeployedBytecode artifactCode `json:"deployedBytecode"`
	} `json:"evm"`
}

// artifactCode is code as hexadecimal digits, or an object with them.
type artifactCode []byte

func (c *artifactCode) UnmarshalJSON(data []byte) error {
	var digits string
	if err := json.Unmarshal(data, &digits); err != nil {
		var object struct{ Object string }
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		digits = object.Object
	}
	code, err := hex.DecodeString(strings.TrimPrefix(digits, "0x"))
	if err != nil {
		return fmt.Errorf("its bytecode is not hexadecimal; libraries may have to be linked: %w", err)
	}
	*c = code
	return nil
}

// codeOfFile is the code of an artifact that is a file of the project's.
func codeOfFile(data []byte, name string) (creation, deployed []byte, err error) {
	var file artifactFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("the artifact %q: %w", name, err)
	}
	creation, deployed = file.Bytecode, file.DeployedBytecode
	if len(creation) == 0 {
		creation, deployed = file.EVM.Bytecode, file.EVM.DeployedBytecode
	}
	if len(creation) == 0 {
		return nil, nil, fmt.Errorf("the artifact %q has no bytecode", name)
	}
	return creation, deployed, nil
}
