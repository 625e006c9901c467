package interp

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
)

// counting is a precompiled contract that answers with its input, and fails at what begins with 1.
type counting struct {
	gas  uint64
	runs *int
}

func (c counting) RequiredGas([]byte) uint64 { return c.gas }
func (c counting) Name() string              { return "counting" }

var errCounting = errors.New("begins with 1")

func (c counting) Run(input []byte) ([]byte, error) {
	*c.runs++
	if len(input) > 0 && input[0] == 1 {
		return nil, errCounting
	}
	return append([]byte{}, input...), nil
}

// TestAnswers: what is costly and short is answered from memory, also that it fails; each contract gives its own answers; and what is
// remembered is not the caller's memory.
func TestAnswers(t *testing.T) {
	var dear, other, cheap int
	contracts := vm.PrecompiledContracts{
		{19: 1}: counting{minAnswered, &dear}, {19: 2}: counting{minAnswered, &other}, {19: 3}: counting{minAnswered - 1, &cheap},
	}
	newAnswers().remember(contracts)
	long := make([]byte, maxAnswered+1)
	for _, test := range []struct {
		name  string
		to    byte
		runs  *int
		input []byte
		fails bool
		want  int // runs, of two calls
	}{
		{"costly", 1, &dear, []byte{2, 3}, false, 1},
		{"another input", 1, &dear, []byte{2, 4}, false, 1},
		{"no input", 1, &dear, nil, false, 1},
		{"a failure", 1, &dear, []byte{1}, true, 1},
		{"long", 1, &dear, long, false, 2},
		{"another contract", 2, &other, []byte{2, 3}, false, 1},
		{"cheap", 3, &cheap, []byte{2, 3}, false, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			*test.runs = 0
			for range 2 {
				input := append([]byte{}, test.input...)
				output, err := contracts[common.Address{19: test.to}].Run(input)
				if clear(input); (err != nil) != test.fails || !test.fails && string(output) != string(test.input) {
					t.Errorf("answers %x, %v", output, err)
				}
			}
			if *test.runs != test.want {
				t.Errorf("runs %d times, want %d", *test.runs, test.want)
			}
		})
	}
}
