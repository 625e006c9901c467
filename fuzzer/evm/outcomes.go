package evm

import (
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"
)

// outcomeOf classifies go-ethereum's error.
func outcomeOf(err error) Outcome {
	if err == nil {
		return Success
	}
	// go-ethereum wraps what goes wrong while gas is computed as out of gas.
	if strings.HasSuffix(err.Error(), vm.ErrWriteProtection.Error()) {
		return StaticViolation
	}
	for _, c := range [...]struct {
		err     error
		outcome Outcome
	}{
		{vm.ErrExecutionReverted, Reverted},
		{vm.ErrOutOfGas, OutOfGas},
		{vm.ErrCodeStoreOutOfGas, OutOfGas},
		{vm.ErrGasUintOverflow, OutOfGas},
		{vm.ErrInvalidJump, InvalidJump},
		{vm.ErrDepth, DepthExceeded},
		{vm.ErrInsufficientBalance, InsufficientBalance},
		{vm.ErrContractAddressCollision, CreateFault},
		{vm.ErrMaxCodeSizeExceeded, CreateFault},
		{vm.ErrMaxInitCodeSizeExceeded, CreateFault},
		{vm.ErrInvalidCode, CreateFault},
		{vm.ErrNonceUintOverflow, CreateFault},
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
		return InvalidOpcode
	case errors.As(err, &underflow), errors.As(err, &overflow):
		return StackFault
	}
	return OtherFault
}
