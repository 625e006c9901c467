package fuzzer

import (
	"errors"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// plainMachine has no state to look at; shownMachine has.
type (
	plainMachine struct{}
	shownMachine struct{ plainMachine }
)

func (plainMachine) Run(evm.Sequence) (*evm.Execution, error) { return &evm.Execution{}, nil }
func (shownMachine) Export() *evm.World                       { return &evm.World{} }

// TestScenesMachine: oracles ask on the first machine whose state can be looked at, and are told where there is none.
func TestScenesMachine(t *testing.T) {
	made := 0
	maker := func(m evm.Machine, err error) func() (evm.Machine, error) {
		return func() (evm.Machine, error) { made++; return m, err }
	}
	failing, plain, shown := maker(nil, errors.New("no machine")), maker(plainMachine{}, nil), maker(shownMachine{}, nil)
	for name, test := range map[string]struct {
		makers []func() (evm.Machine, error)
		made   int
		works  bool
	}{
		"the first":           {[]func() (evm.Machine, error){shown, failing}, 1, true},
		"the second":          {[]func() (evm.Machine, error){plain, shown}, 2, true},
		"behind a failure":    {[]func() (evm.Machine, error){failing, nil, shown}, 2, true},
		"none shows anything": {[]func() (evm.Machine, error){plain, failing, nil}, 2, false},
	} {
		made = 0
		s := scenes{makers: test.makers}
		for range 2 { // it is made once
			if _, err := s.run(nil); (err == nil) != test.works {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if made != test.made {
			t.Errorf("%s: %d machines were made, want %d", name, made, test.made)
		}
	}
}
