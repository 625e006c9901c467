package interp

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
)

// opcodeInfo is what the decoder needs to know of an opcode: the yellow paper's
// δ and α (appendix H.2) and the part of its cost that depends on nothing.
type opcodeInfo struct {
	pops, pushes uint8
	gas          uint16
	defined      bool
}

// The yellow paper's price classes (appendix G), with the access costs of
// EIP-2929.
const (
	gasBase    = 2
	gasVeryLow = 3
	gasLow     = 5
	gasMid     = 8
	gasHigh    = 10
)

// opcodeGroup lists opcodes that are alike, and since which fork they are there.
type opcodeGroup struct {
	since        int // index in forks
	pops, pushes uint8
	gas          uint16
	ops          []vm.OpCode
}

// opcodeGroups is the instruction set; POPs and pushes of PUSHn, DUPn, SWAPn and
// LOGn follow from n and are added by opcodeTable. Where the cost has a part that
// depends on operands or state, the table has the rest.
var opcodeGroups = []opcodeGroup{
	{0, 0, 0, 0, []vm.OpCode{vm.STOP}},
	{0, 0, 0, 1, []vm.OpCode{vm.JUMPDEST}},
	{0, 0, 1, gasBase, []vm.OpCode{vm.ADDRESS, vm.ORIGIN, vm.CALLER, vm.CALLVALUE, vm.CALLDATASIZE, vm.CODESIZE, vm.GASPRICE,
		vm.RETURNDATASIZE, vm.COINBASE, vm.TIMESTAMP, vm.NUMBER, vm.PREVRANDAO, vm.GASLIMIT, vm.CHAINID, vm.BASEFEE, vm.PC, vm.MSIZE, vm.GAS}},
	{0, 0, 1, gasLow, []vm.OpCode{vm.SELFBALANCE}},
	{0, 1, 0, gasBase, []vm.OpCode{vm.POP}},
	{0, 1, 0, gasMid, []vm.OpCode{vm.JUMP}},
	{0, 2, 0, gasHigh, []vm.OpCode{vm.JUMPI}},
	{0, 1, 1, gasVeryLow, []vm.OpCode{vm.ISZERO, vm.NOT, vm.CALLDATALOAD, vm.MLOAD}},
	{0, 2, 1, gasVeryLow, []vm.OpCode{vm.ADD, vm.SUB, vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR}},
	{0, 2, 1, gasLow, []vm.OpCode{vm.MUL, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.SIGNEXTEND}},
	{0, 3, 1, gasMid, []vm.OpCode{vm.ADDMOD, vm.MULMOD}},
	{0, 2, 1, uint16(params.ExpGas), []vm.OpCode{vm.EXP}},
	{0, 2, 1, uint16(params.Keccak256Gas), []vm.OpCode{vm.KECCAK256}},
	{0, 2, 0, gasVeryLow, []vm.OpCode{vm.MSTORE, vm.MSTORE8}},
	{0, 3, 0, gasVeryLow, []vm.OpCode{vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY}},
	{0, 1, 1, 20, []vm.OpCode{vm.BLOCKHASH}},
	{0, 1, 1, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH}},
	{0, 4, 0, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.EXTCODECOPY}},
	{0, 1, 1, 0, []vm.OpCode{vm.SLOAD}},
	{0, 2, 0, 0, []vm.OpCode{vm.SSTORE, vm.RETURN, vm.REVERT}},
	{0, 3, 1, uint16(params.CreateGas), []vm.OpCode{vm.CREATE}},
	{0, 4, 1, uint16(params.Create2Gas), []vm.OpCode{vm.CREATE2}},
	{0, 7, 1, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.CALL, vm.CALLCODE}},
	{0, 6, 1, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.DELEGATECALL, vm.STATICCALL}},
	{0, 1, 0, uint16(params.SelfdestructGasEIP150), []vm.OpCode{vm.SELFDESTRUCT}},
	{forks.Shanghai, 0, 1, gasBase, []vm.OpCode{vm.PUSH0}},
	{forks.Cancun, 1, 1, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.TLOAD}},
	{forks.Cancun, 2, 0, uint16(params.WarmStorageReadCostEIP2929), []vm.OpCode{vm.TSTORE}},
	{forks.Cancun, 3, 0, gasVeryLow, []vm.OpCode{vm.MCOPY}},
	{forks.Cancun, 1, 1, gasVeryLow, []vm.OpCode{vm.BLOBHASH}},
	{forks.Cancun, 0, 1, gasBase, []vm.OpCode{vm.BLOBBASEFEE}},
	{forks.Osaka, 1, 1, gasLow, []vm.OpCode{vm.CLZ}},
}

// opcodeTable is the instruction set of a fork.
func opcodeTable(fork int) *[256]opcodeInfo {
	table := new([256]opcodeInfo)
	for _, g := range opcodeGroups {
		if g.since > fork {
			continue
		}
		for _, op := range g.ops {
			table[op] = opcodeInfo{g.pops, g.pushes, g.gas, true}
		}
	}
	for n := range uint8(32) {
		table[byte(vm.PUSH1)+n] = opcodeInfo{0, 1, gasVeryLow, true}
	}
	for n := range uint8(16) {
		table[byte(vm.DUP1)+n] = opcodeInfo{n + 1, n + 2, gasVeryLow, true}
		table[byte(vm.SWAP1)+n] = opcodeInfo{n + 2, n + 2, gasVeryLow, true}
	}
	for n := range uint8(5) {
		table[byte(vm.LOG0)+n] = opcodeInfo{n + 2, 0, uint16(params.LogGas + uint64(n)*params.LogTopicGas), true}
	}
	return table
}
