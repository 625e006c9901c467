package record

import (
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// OutcomeOf classifies go-ethereum's error.
func OutcomeOf(err error) evm.Outcome {
	if err == nil {
		return evm.Success
	}
	// go-ethereum wraps what goes wrong while gas is computed as out of gas.
	if strings.HasSuffix(err.Error(), vm.ErrWriteProtection.Error()) {
		return evm.StaticViolation
	}
	for _, c := range [...]struct {
		err     error
		outcome evm.Outcome
	}{
		{vm.ErrExecutionReverted, evm.Reverted},
		{vm.ErrOutOfGas, evm.OutOfGas},
		{vm.ErrCodeStoreOutOfGas, evm.OutOfGas},
		{vm.ErrGasUintOverflow, evm.OutOfGas},
		{vm.ErrInvalidJump, evm.InvalidJump},
		{vm.ErrDepth, evm.DepthExceeded},
		{vm.ErrInsufficientBalance, evm.InsufficientBalance},
		{vm.ErrContractAddressCollision, evm.CreateFault},
		{vm.ErrMaxCodeSizeExceeded, evm.CreateFault},
		{vm.ErrMaxInitCodeSizeExceeded, evm.CreateFault},
		{vm.ErrInvalidCode, evm.CreateFault},
		{vm.ErrNonceUintOverflow, evm.CreateFault},
	} {
		if errors.Is(err, c.err) {
			return c.outcome
		}
	}
	var (
		invalid   *vm.ErrInvalidOpCode
		underflow *vm.ErrStackUnderflow
		overflow  *vm.ErrStackOverflow
	)
	switch {
	case errors.As(err, &invalid):
		return evm.InvalidOpcode
	case errors.As(err, &underflow), errors.As(err, &overflow):
		return evm.StackFault
	}
	return evm.OtherFault
}
