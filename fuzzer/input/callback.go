package input

import (
	"encoding/hex"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/internal/abi"
)

// addCallbacks reads what a World says of them. What cannot be read is known by its selector alone.
func (s *Space) addCallbacks(list []string) {
	s.callbacks = map[[4]byte]attacker.Function{}
	for _, text := range list {
		at := strings.Index(text, ")(")
		if at < 0 {
			continue
		}
		if outputs, err := abi.Parse(text[at+1:]); err == nil || text[at+1:] == "()" {
			f := attacker.NewFunction(text[:at+1], outputs)
			s.callbacks[f.Selector] = f
		}
	}
}

// CallbackName is the signature of a function that the attacker's contract may be called by; its
// selector in hexadecimal where it is not known.
func (s *Space) CallbackName(selector [4]byte) string {
	if c, known := s.callbacks[selector]; known {
		return c.Signature
	}
	return "0x" + hex.EncodeToString(selector[:])
}
