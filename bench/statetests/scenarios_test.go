package main

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

func uint256of(n uint64) *uint256.Int { return uint256.NewInt(n) }

func word(n byte) common.Hash { return common.Hash{31: n} }

// returns is creation code that deploys some code.
func returns(code []byte) []byte { return asm.New().ReturnViaCodeCopy(code).Bytes() }

// keep stores what is on top of the stack in a slot.
func keep(p *asm.Program, slot int) *asm.Program { return p.Push(slot).Op(vm.SSTORE) }

var calls = []scenario{
	{name: "call with value", code: keep(asm.New().Call(nil, callee.Bytes(), 5, 0, 0, 0, 32), 0).Bytes(),
		callee: asm.New().Op(vm.CALLVALUE).Push(0).Op(vm.MSTORE).Return(0, 32).Bytes()},
	{name: "call without enough balance", code: keep(asm.New().Call(nil, callee.Bytes(), 2_000_000, 0, 0, 0, 0), 0).Bytes()},
	{name: "call of nobody with value", code: keep(asm.New().Call(nil, common.Address{0xbb}.Bytes(), 1, 0, 0, 0, 0), 0).Bytes()},
	{name: "stipend is not enough to store", code: keep(asm.New().Call(uint256of(0), callee.Bytes(), 1, 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(1, 1).Bytes()},
	{name: "delegatecall writes here", code: keep(asm.New().DelegateCall(nil, callee.Bytes(), 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(7, 7).Op(vm.CALLER).Push(8).Op(vm.SSTORE).Bytes()},
	{name: "callcode writes here", code: keep(asm.New().CallCode(nil, callee.Bytes(), 3, 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(7, 7).Op(vm.CALLER).Push(8).Op(vm.SSTORE).Bytes()},
	{name: "staticcall forbids a store", code: keep(asm.New().StaticCall(uint256of(50_000), callee.Bytes(), 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(7, 7).Bytes()},
	{name: "revert with data", code: keep(keep(asm.New().Call(nil, callee.Bytes(), 0, 0, 0, 0, 32), 0).Op(vm.RETURNDATASIZE), 1).Bytes(),
		callee: asm.New().Sstore(1, 1).Mstore([]byte("what went wrong"), 0).Push(64).Push(0).Op(vm.REVERT).Bytes()},
	{name: "out of gas inside", code: keep(asm.New().Call(uint256of(3_000), callee.Bytes(), 0, 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(1, 1).Sstore(2, 1).Bytes()},
	{name: "recursion to the bottom of the gas", code: keep(asm.New().Push(0).Op(vm.SLOAD).Push(1).Op(vm.ADD).Push(0).Op(vm.SSTORE).
		Call(nil, contract.Bytes(), 0, 0, 0, 0, 0), 1).Bytes()},
	{name: "logs of all sizes", code: asm.New().Mstore([]byte("event"), 0).Push(5).Push(0).Op(vm.LOG0).
		Push(1).Push(5).Push(0).Op(vm.LOG1).Push(2).Push(1).Push(0).Push(0).Op(vm.LOG2).
		Push(4).Push(3).Push(2).Push(1).Push(40).Push(0).Op(vm.LOG4).Bytes()},
	{name: "logs of a reverted call are gone", code: asm.New().Push(0).Push(0).Op(vm.LOG0).Call(nil, callee.Bytes(), 0, 0, 0, 0, 0).Op(vm.POP).
		Push(9).Push(0).Push(0).Op(vm.LOG1).Bytes(), callee: asm.New().Push(1).Push(0).Push(0).Op(vm.LOG1).Push(0).Push(0).Op(vm.REVERT).Bytes()},
	{name: "returndatacopy beyond its end", code: keep(asm.New().Call(nil, callee.Bytes(), 0, 0, 0, 0, 0).Push(33).Push(0).Push(0).Op(vm.RETURNDATACOPY), 0).Bytes(),
		callee: asm.New().Return(0, 32).Bytes()},
}

var creations = []scenario{
	{name: "create", code: keep(asm.New().Mstore(returns([]byte{0x60, 1}), 0).Push(len(returns([]byte{0x60, 1}))).Push(0).Push(4).Op(vm.CREATE), 0).Bytes()},
	{name: "create2", code: keep(asm.New().Create2(returns([]byte{0x00}), 5), 0).Bytes()},
	{name: "create2 twice at one address", code: keep(keep(asm.New().Create2(returns([]byte{0x00}), 5), 0).Create2(returns([]byte{0x00}), 5), 1).Bytes()},
	{name: "create of code that begins with EF", code: keep(asm.New().Create2(returns([]byte{0xef, 0}), 1), 0).Bytes()},
	{name: "create that reverts", code: keep(keep(asm.New().Create2(asm.New().Sstore(1, 1).Push(3).Push(0).Op(vm.REVERT).Bytes(), 1), 0).Op(vm.RETURNDATASIZE), 1).Bytes()},
	{name: "create too large", code: keep(asm.New().Create2(asm.New().Return(0, 24577).Bytes(), 1), 0).Bytes(), tx: func(t *tx) { t.gas = 10_000_000 }},
	{name: "create of the largest", until: "Paris", code: keep(asm.New().Create2(asm.New().Return(0, 24576).Bytes(), 1), 0).Bytes(), tx: func(t *tx) { t.gas = 10_000_000 }},
	{name: "deposit out of gas", code: keep(asm.New().Create2(asm.New().Return(0, 5000).Bytes(), 1), 0).Bytes(), tx: func(t *tx) { t.gas = 200_000 }},
	{name: "transaction creates", tx: func(t *tx) {
		t.creation, t.data, t.value = true, returns(asm.New().Sstore(1, 2).Bytes()), big.NewInt(77)
	}},
	{name: "transaction creates nothing", tx: func(t *tx) { t.creation, t.data = true, []byte{0xfe} }},
	{name: "transaction creates where somebody is", tx: func(t *tx) { t.creation, t.data = true, returns([]byte{0}) },
		pre: types.GenesisAlloc{crypto.CreateAddress(sender, 0): {Balance: new(big.Int), Nonce: 1}}},
	{name: "transaction creates where money is", tx: func(t *tx) { t.creation, t.data = true, returns([]byte{0}) },
		pre: types.GenesisAlloc{crypto.CreateAddress(sender, 0): {Balance: big.NewInt(9)}}},
	{name: "init code too long", since: "Shanghai", until: "Shanghai", exempt: "TransactionException.INITCODE_SIZE_EXCEEDED",
		tx: func(t *tx) { t.creation, t.data, t.gas = true, make([]byte, 49153), 10_000_000 }},
	{name: "selfdestruct", code: asm.New().Selfdestruct(callee.Bytes()).Bytes()},
	{name: "selfdestruct to itself", code: asm.New().Selfdestruct(contract.Bytes()).Bytes()},
	{name: "selfdestruct to nobody", code: asm.New().Selfdestruct(common.Address{0xdd}.Bytes()).Bytes()},
	{name: "selfdestruct of what was just made", code: keep(asm.New().Create2(asm.New().Selfdestruct(callee.Bytes()).Bytes(), 1), 0).Bytes()},
	{name: "the coinbase destructs itself", code: asm.New().Selfdestruct(callee.Bytes()).Bytes(), coinbase: contract},
}

var storage = []scenario{
	{name: "set, clear, set again", code: asm.New().Sstore(0, 1).Sstore(0, 0).Sstore(0, 2).Sstore(1, 0).Bytes(),
		storage: map[common.Hash]common.Hash{word(1): word(9)}},
	{name: "refunds are capped", code: asm.New().Sstore(0, 0).Sstore(1, 0).Sstore(2, 0).Sstore(3, 0).Sstore(4, 0).Bytes(),
		storage: map[common.Hash]common.Hash{word(0): word(1), word(1): word(1), word(2): word(1), word(3): word(1), word(4): word(1)}},
	{name: "back to the original", code: asm.New().Sstore(0, 5).Sstore(0, 1).Bytes(), storage: map[common.Hash]common.Hash{word(0): word(1)}},
	{name: "clear and restore", code: asm.New().Sstore(0, 0).Sstore(0, 1).Sstore(0, 0).Bytes(), storage: map[common.Hash]common.Hash{word(0): word(1)}},
	{name: "store at the sentry", code: asm.New().Sstore(0, 1).Bytes(), tx: func(t *tx) { t.gas = 21_000 + 2_306 }},
	{name: "warm and cold loads", code: keep(asm.New().Op(vm.GAS).Push(5).Op(vm.SLOAD, vm.POP).Push(5).Op(vm.SLOAD, vm.POP, vm.GAS, vm.SWAP1, vm.SUB), 0).Bytes()},
	{name: "transient storage", since: "Cancun", code: keep(asm.New().Tstore(1, 42).Call(nil, callee.Bytes(), 0, 0, 0, 0, 0).Op(vm.POP).Push(1).Op(vm.TLOAD), 0).Bytes(),
		callee: keep(asm.New().Push(1).Op(vm.TLOAD), 0).Bytes()},
	{name: "transient storage of a reverted call", since: "Cancun", code: keep(asm.New().Tstore(1, 42).Call(nil, contract.Bytes(), 0, 0, 0, 0, 0).Op(vm.POP).Push(1).Op(vm.TLOAD), 0).Bytes(), tx: func(t *tx) { t.gas = 90_000 }},
}

var opcodes = []scenario{
	{name: "the environment", code: keep(keep(keep(keep(keep(keep(keep(keep(asm.New().Op(vm.GASPRICE), 0).Op(vm.ORIGIN), 1).Op(vm.BASEFEE), 2).Op(vm.CHAINID), 3).
		Op(vm.PREVRANDAO), 4).Op(vm.COINBASE), 5).Op(vm.GASLIMIT), 6).Push(0).Op(vm.BLOCKHASH), 7).Bytes()},
	{name: "accounts of others", code: keep(keep(keep(asm.New().Push(callee.Bytes()).Op(vm.EXTCODEHASH), 0).Push(common.Address{0xbb}.Bytes()).Op(vm.EXTCODEHASH), 1).
		Push(sender.Bytes()).Op(vm.BALANCE), 2).Bytes(), callee: []byte{1, 2, 3}},
	{name: "mcopy", since: "Cancun", code: keep(asm.New().Mstore([]byte("0123456789abcdef0123456789abcdef"), 0).Push(20).Push(3).Push(9).Op(vm.MCOPY).Push(0).Op(vm.MLOAD), 0).Bytes()},
	{name: "push0", since: "Shanghai", code: []byte{byte(vm.PUSH1), 1, byte(vm.PUSH0), byte(vm.SSTORE)}},
	{name: "clz", since: "Osaka", code: keep(keep(asm.New().Push(1<<20).Op(vm.CLZ), 0).Push(0).Op(vm.CLZ), 1).Bytes()},
	{name: "clz is new", code: keep(asm.New().Push(1<<20).Op(vm.CLZ), 0).Bytes()},
	{name: "signed arithmetic", code: keep(keep(keep(keep(asm.New().Push(3).Push(0).Op(vm.NOT, vm.SDIV), 0).Push(3).Push(7).Op(vm.NOT, vm.SMOD), 1).
		Push(0xff).Push(0).Op(vm.SIGNEXTEND), 2).Push(3).Push(0).Op(vm.NOT, vm.SAR), 3).Bytes()},
	{name: "exponents and long modulo", code: keep(keep(keep(asm.New().Push(300).Push(3).Op(vm.EXP), 0).Push(7).Push(0).Op(vm.NOT).Push(0).Op(vm.NOT, vm.ADDMOD), 1).
		Push(7).Push(0).Op(vm.NOT).Push(0).Op(vm.NOT, vm.MULMOD), 2).Bytes()},
	{name: "an invalid jump", code: asm.New().Sstore(0, 1).Push(3).Op(vm.JUMP).Bytes()},
	{name: "a jump into data", code: asm.New().Sstore(0, 1).Push(9).Op(vm.JUMP).Push(0x5b5b5b).Bytes()},
	{name: "an undefined opcode", code: asm.New().Sstore(0, 1).Op(0x0c).Bytes()},
	{name: "stack underflow", code: asm.New().Sstore(0, 1).Op(vm.ADD).Bytes()},
	{name: "memory that costs too much", code: asm.New().Push(1).Push(1 << 30).Op(vm.MSTORE8).Bytes()},
	{name: "identity and hashes", code: keep(keep(keep(asm.New().Mstore([]byte("some text of more than thirty-two bytes"), 0).
		Call(nil, common.BytesToAddress([]byte{4}).Bytes(), 0, 0, 39, 64, 39).Op(vm.POP).Push(64).Op(vm.MLOAD), 0).
		Call(nil, common.BytesToAddress([]byte{2}).Bytes(), 0, 0, 39, 64, 32).Op(vm.POP).Push(64).Op(vm.MLOAD), 1).
		Call(nil, common.BytesToAddress([]byte{3}).Bytes(), 0, 0, 39, 64, 32).Op(vm.POP).Push(64).Op(vm.MLOAD), 2).Bytes()},
	{name: "a precompile that fails", code: keep(keep(asm.New().Call(uint256of(100_000), common.BytesToAddress([]byte{8}).Bytes(), 0, 0, 39, 0, 0), 0).
		Call(nil, common.BytesToAddress([]byte{5}).Bytes(), 1, 0, 0, 0, 0), 1).Bytes()},
	{name: "p256 and bls", code: keep(keep(asm.New().Call(nil, common.BytesToAddress([]byte{1, 0}).Bytes(), 0, 0, 160, 0, 32), 0).
		Call(uint256of(50_000), common.BytesToAddress([]byte{0x0b}).Bytes(), 0, 0, 256, 0, 128), 1).Bytes()},
}

var transactions = []scenario{
	{name: "plain transfer", tx: func(t *tx) { t.to, t.value, t.gas = common.Address{0xee}, big.NewInt(5), 21_000 }},
	{name: "transfer of nothing to nobody", tx: func(t *tx) { t.to, t.gas = common.Address{0xee}, 21_000 }},
	{name: "calldata with a floor", tx: func(t *tx) { t.data = make([]byte, 3000); t.data[0] = 1 }, code: asm.New().Sstore(0, 1).Bytes()},
	{name: "less than the floor", since: "Prague", exempt: "TransactionException.INTRINSIC_GAS_BELOW_FLOOR_GAS_COST",
		tx: func(t *tx) { t.data, t.gas = []byte{1, 2, 3, 4}, 21_000+64+20 }},
	{name: "less than the intrinsic cost", exempt: "TransactionException.INTRINSIC_GAS_TOO_LOW", tx: func(t *tx) { t.gas = 20_999 }},
	{name: "more gas than allowed", since: "Osaka", exempt: "TransactionException.GAS_LIMIT_EXCEEDS_MAXIMUM", tx: func(t *tx) { t.gas = 1<<24 + 1 }},
	{name: "as much gas as allowed", tx: func(t *tx) { t.gas = 1 << 24 }, code: asm.New().Sstore(0, 1).Bytes()},
	{name: "more gas than the block has", exempt: "TransactionException.GAS_ALLOWANCE_EXCEEDED", tx: func(t *tx) { t.gas = envGasLimit + 1 }},
	{name: "nonce too high", exempt: "TransactionException.NONCE_MISMATCH_TOO_HIGH", tx: func(t *tx) { t.nonce = 1 }},
	{name: "cannot pay", exempt: "TransactionException.INSUFFICIENT_ACCOUNT_FUNDS", tx: func(t *tx) { t.value = big.NewInt(2e18) }},
	{name: "fee cap below base fee", exempt: "TransactionException.INSUFFICIENT_MAX_FEE_PER_GAS",
		tx: func(t *tx) { t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(6), big.NewInt(1) }},
	{name: "tip above fee cap", exempt: "TransactionException.PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS",
		tx: func(t *tx) { t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(8), big.NewInt(9) }},
	{name: "sender has code", exempt: "TransactionException.SENDER_NOT_EOA",
		pre: types.GenesisAlloc{sender: {Balance: big.NewInt(1e18), Code: []byte{0}}}},
	{name: "fees of EIP-1559", code: keep(asm.New().Op(vm.GASPRICE), 0).Bytes(),
		tx: func(t *tx) { t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(100), big.NewInt(2) }},
	{name: "no tip at all", tx: func(t *tx) { t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(7), new(big.Int) }, code: asm.New().Sstore(0, 1).Bytes()},
	{name: "access list", code: keep(asm.New().Op(vm.GAS).Push(5).Op(vm.SLOAD, vm.POP).Push(callee.Bytes()).Op(vm.BALANCE, vm.POP, vm.GAS, vm.SWAP1, vm.SUB), 0).Bytes(),
		tx: func(t *tx) {
			t.accessList = types.AccessList{{Address: contract, StorageKeys: []common.Hash{word(5), word(6)}}, {Address: callee, StorageKeys: []common.Hash{}}}
		}},
	{name: "the coinbase is warm", code: keep(asm.New().Op(vm.GAS).Op(vm.COINBASE, vm.BALANCE, vm.POP, vm.GAS, vm.SWAP1, vm.SUB), 0).Bytes()},
	{name: "blobs", since: "Cancun", excess: 0x1400000, code: keep(keep(keep(asm.New().Push(0).Op(vm.BLOBHASH), 0).Push(2).Op(vm.BLOBHASH), 1).Op(vm.BLOBBASEFEE), 2).Bytes(),
		tx: func(t *tx) {
			t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(100), big.NewInt(2)
			t.blobs, t.blobFeeCap = []common.Hash{{1, 2}, {1, 3}}, big.NewInt(1_000_000)
		}},
	{name: "blob of an unknown version", since: "Cancun", exempt: "TransactionException.TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH",
		tx: func(t *tx) {
			t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(100), big.NewInt(2)
			t.blobs, t.blobFeeCap = []common.Hash{{2, 2}}, big.NewInt(1)
		}},
	{name: "blob fee cap too low", since: "Cancun", excess: 0x8b00000, exempt: "TransactionException.INSUFFICIENT_MAX_FEE_PER_BLOB_GAS",
		tx: func(t *tx) {
			t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(100), big.NewInt(2)
			t.blobs, t.blobFeeCap = []common.Hash{{1, 2}}, big.NewInt(1)
		}},
}

// authorized makes a transaction with authorizations.
func authorized(list ...types.SetCodeAuthorization) func(*tx) {
	return func(t *tx) {
		t.gasPrice, t.feeCap, t.tipCap, t.authorizations = nil, big.NewInt(100), big.NewInt(2), list
	}
}

var rich = types.GenesisAlloc{other: {Balance: big.NewInt(1e18)}}

var authorizations = []scenario{
	{name: "delegate and call", since: "Prague", code: keep(asm.New().Call(nil, other.Bytes(), 0, 0, 0, 0, 0), 0).Bytes(),
		callee: asm.New().Sstore(3, 4).Op(vm.ADDRESS).Push(4).Op(vm.SSTORE).Bytes(), pre: rich, tx: authorized(authorize(otherKey, callee, 0, 1))},
	{name: "of an account that is not there", since: "Prague", tx: authorized(authorize(otherKey, callee, 0, 0))},
	{name: "wrong chain, wrong nonce, twice", since: "Prague", pre: rich, callee: []byte{0},
		tx: authorized(authorize(otherKey, callee, 0, 5), authorize(otherKey, callee, 7, 1), authorize(otherKey, callee, 0, 1), authorize(otherKey, contract, 1, 1))},
	{name: "the sender delegates itself", since: "Prague", callee: asm.New().Sstore(1, 1).Bytes(),
		tx: func(t *tx) { authorized(authorize(key, callee, 1, 1))(t); t.to = sender }},
	{name: "cleared again", since: "Prague", tx: authorized(authorize(otherKey, common.Address{}, 0, 1)),
		pre: types.GenesisAlloc{other: {Balance: new(big.Int), Code: types.AddressToDelegation(callee)}}},
	{name: "of a contract", since: "Prague", tx: authorized(authorize(otherKey, callee, 0, 1)),
		pre: types.GenesisAlloc{other: {Balance: new(big.Int), Code: []byte{0}}}},
	{name: "stays when the call reverts", since: "Prague", code: asm.New().Push(0).Push(0).Op(vm.REVERT).Bytes(), pre: rich, tx: authorized(authorize(otherKey, callee, 0, 1))},
	{name: "code of the delegated", since: "Prague", tx: authorized(authorize(otherKey, callee, 0, 1)), callee: []byte{0, 1, 2},
		code: keep(keep(asm.New().Push(other.Bytes()).Op(vm.EXTCODESIZE), 0).Push(other.Bytes()).Op(vm.EXTCODEHASH), 1).Bytes()},
	{name: "an empty list", since: "Prague", exempt: "TransactionException.TYPE_4_EMPTY_AUTHORIZATION_LIST",
		tx: func(t *tx) { authorized()(t); t.authorizations = []types.SetCodeAuthorization{} }},
	{name: "a delegated sender may send", since: "Prague", code: asm.New().Sstore(0, 1).Bytes(),
		pre: types.GenesisAlloc{sender: {Balance: big.NewInt(1e18), Code: types.AddressToDelegation(callee)}}},
	{name: "before there are any", until: "Cancun", exempt: "TransactionException.TYPE_4_TX_PRE_FORK", tx: authorized(authorize(otherKey, callee, 0, 1))},
}

// empties are pre-states that the chain has no more but the older tests have:
// accounts with nothing in them (EIP-161).
var empties = []scenario{
	{name: "looked at", code: keep(asm.New().Push(common.Address{0xbb}.Bytes()).Op(vm.BALANCE), 0).Bytes(), pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}}},
	{name: "called", code: keep(asm.New().Call(nil, common.Address{0xbb}.Bytes(), 0, 0, 0, 0, 0), 0).Bytes(), pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}}},
	{name: "called in vain", code: asm.New().Call(nil, callee.Bytes(), 0, 0, 0, 0, 0).Bytes(), pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}, ripemd: {Balance: new(big.Int)}},
		callee: asm.New().Call(nil, common.Address{0xbb}.Bytes(), 0, 0, 0, 0, 0).Call(nil, ripemd.Bytes(), 0, 0, 0, 0, 0).Op(vm.INVALID).Bytes()},
	{name: "in an access list", pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}},
		tx: func(t *tx) {
			t.accessList = types.AccessList{{Address: common.Address{0xbb}, StorageKeys: []common.Hash{}}}
		}},
	{name: "the coinbase", coinbase: common.Address{0xbb}, pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}},
		tx: func(t *tx) { t.gasPrice, t.feeCap, t.tipCap = nil, big.NewInt(7), new(big.Int) }},
	{name: "given back", code: asm.New().Selfdestruct(common.Address{0xbb}.Bytes()).Bytes(), pre: types.GenesisAlloc{{0xbb}: {Balance: new(big.Int)}, contract: {Balance: new(big.Int), Nonce: 1, Code: asm.New().Selfdestruct(common.Address{0xbb}.Bytes()).Bytes()}}},
}

// ripemd is the precompile with an exception of its own.
var ripemd = common.BytesToAddress([]byte{3})
