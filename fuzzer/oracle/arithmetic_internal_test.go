package oracle

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestArithmeticTraces: values are followed where a program that lasts does not check arithmetic, and in audits, if something is kept or sent.
func TestArithmeticTraces(t *testing.T) {
	account := common.Address{1}
	program := func(code ...byte) *bytecode.Program {
		return &bytecode.Program{Bytes: code, Code: &bytecode.Code{Kind: bytecode.Runtime}, Contract: &bytecode.Contract{Name: "C"}}
	}
	write := evm.StorageAccess{Write: true}
	checking, wrapping := program(append([]byte{0x63}, panicSelector...)...), program(0)
	for name, test := range map[string]struct {
		program *bytecode.Program
		outcome evm.Outcome
		audit   bool
		kept    evm.StorageAccess
		sent    uint64
		traced  bool
	}{
		"it wraps":            {wrapping, evm.Success, false, write, 0, true},
		"it checks":           {checking, evm.Success, false, write, 0, false},
		"it checks, an audit": {checking, evm.Success, true, write, 0, true},
		"it does not last":    {wrapping, evm.Reverted, false, write, 0, false},
		"an unknown program":  {nil, evm.Success, false, write, 0, false},
		"it only reads":       {wrapping, evm.Success, false, evm.StorageAccess{}, 0, false},
		"it sends":            {wrapping, evm.Success, false, evm.StorageAccess{}, 1, true},
	} {
		traced := 0
		s := &Scene{
			Exec: &evm.Execution{Frames: []evm.Frame{
				{Parent: -1, Self: account, Program: test.program, Outcome: test.outcome, Storage: []evm.StorageAccess{test.kept}},
				{Parent: 0, Value: *uint256.NewInt(test.sent)},
			}},
			World: &evm.World{Accounts: map[common.Address]*evm.Account{account: {Code: []byte{0}}}},
			Audit: test.audit, New: true, Checking: map[*bytecode.Program]bool{},
			Trace: func() *evm.Trace { traced++; return nil },
		}
		for range 2 { // what a program is, is remembered
			examineArithmetic(s, func(Observation) { t.Errorf("%s: something was seen", name) })
		}
		if traced > 0 != test.traced {
			t.Errorf("%s: traced %d times, want %t", name, traced, test.traced)
		}
	}
}
