package world

import (
	"bytes"
	"strings"
	"testing"
)

// TestCodeOfFile: artifacts in the forms of forge, Hardhat and standard JSON, and what is none.
func TestCodeOfFile(t *testing.T) {
	for name, test := range map[string]struct {
		text               string
		creation, deployed []byte
		err                string
	}{
		"forge":         {`{"bytecode": {"object": "0x6001"}, "deployedBytecode": {"object": "0x01"}}`, []byte{0x60, 1}, []byte{1}, ""},
		"Hardhat":       {`{"bytecode": "0x6002", "deployedBytecode": "0x02"}`, []byte{0x60, 2}, []byte{2}, ""},
		"standard JSON": {`{"evm": {"bytecode": {"object": "6003"}}}`, []byte{0x60, 3}, nil, ""},
		"no code":       {`{"abi": []}`, nil, nil, "has no bytecode"},
		"not linked":    {`{"bytecode": "0x60__$aa$__"}`, nil, nil, "libraries may have to be linked"},
		"not JSON":      {`x`, nil, nil, "invalid character"},
		"another type":  {`{"bytecode": 7}`, nil, nil, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			creation, deployed, err := codeOfFile([]byte(test.text), "builds/A.json")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), "builds/A.json") {
					t.Errorf("error %v, want one with %q and the file's name", err, test.err)
				}
				return
			}
			if err != nil || !bytes.Equal(creation, test.creation) || !bytes.Equal(deployed, test.deployed) {
				t.Errorf("%x, %x, %v", creation, deployed, err)
			}
		})
	}
}
