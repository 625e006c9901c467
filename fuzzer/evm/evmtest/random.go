package evmtest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// The accounts of random worlds: three contracts with random code, and a sender.
var (
	RandomContracts = []common.Address{{0xc0, 1}, {0xc0, 2}, {0xc0, 3}}
	RandomSender    = common.Address{0x5e, 1}
	Nobody          = common.Address{0x0b, 1} // not an account
)

// RandomCode is mostly valid code over few slots and accounts, so that what one
// instruction does is seen by another.
func RandomCode(rng *rand.Rand, depth int) []byte {
	p := asm.New()
	for range 1 + rng.IntN(12) {
		randomSnippet(rng, p, depth)
	}
	return p.Bytes()
}

// randomTarget is an address to call or ask about; zero to nine and 0x100 are
// precompiles.
func randomTarget(rng *rand.Rand) common.Address {
	switch rng.IntN(5) {
	case 0:
		return common.BytesToAddress([]byte{byte(rng.IntN(19))})
	case 1:
		return Nobody
	case 2:
		return RandomSender
	}
	return RandomContracts[rng.IntN(len(RandomContracts))]
}

//nolint:funlen // one flat switch over kinds of snippets
func randomSnippet(rng *rand.Rand, p *asm.Program, depth int) {
	slot := rng.IntN(4)
	size := rng.IntN(3) * 32
	switch rng.IntN(24) {
	case 0, 1, 2:
		p.Sstore(slot, rng.IntN(3))
	case 3:
		p.Push(slot).Op(vm.SLOAD).Push(1).Op(vm.ADD).Push(slot).Op(vm.SSTORE)
	case 4:
		p.Tstore(slot, rng.IntN(3))
	case 5:
		p.Push(slot).Op(vm.TLOAD).Push(slot).Op(vm.SSTORE)
	case 6, 7:
		randomCall(rng, p)
		p.Push(slot).Op(vm.SSTORE) // its success
	case 8:
		p.Op(vm.RETURNDATASIZE).Push(slot).Op(vm.SSTORE)
	case 9:
		if depth > 0 {
			p.Create2(randomInit(rng, depth-1), rng.IntN(2)).Push(slot).Op(vm.SSTORE)
		}
	case 10:
		if depth > 0 {
			code := randomInit(rng, depth-1)
			p.Mstore(code, 0).Push(len(code)).Push(0).Push(rng.IntN(2)).Op(vm.CREATE).Push(slot).Op(vm.SSTORE)
		}
	case 11:
		if rng.IntN(4) == 0 {
			p.Selfdestruct(randomTarget(rng).Bytes())
		}
	case 12:
		topics := rng.IntN(5)
		for range topics {
			p.Push(rng.IntN(9))
		}
		p.Push(size).Push(rng.IntN(64)).Op(vm.LOG0 + vm.OpCode(topics))
	case 13:
		if rng.IntN(3) == 0 {
			p.Push(size).Push(0).Op([]vm.OpCode{vm.REVERT, vm.RETURN}[rng.IntN(2)])
		}
	case 14:
		ops := []vm.OpCode{vm.BALANCE, vm.EXTCODEHASH, vm.EXTCODESIZE}
		p.Push(randomTarget(rng).Bytes()).Op(ops[rng.IntN(len(ops))]).Push(slot).Op(vm.SSTORE)
	case 15:
		ops := []vm.OpCode{vm.SELFBALANCE, vm.TIMESTAMP, vm.NUMBER, vm.PREVRANDAO, vm.GAS, vm.BASEFEE, vm.CHAINID, vm.COINBASE,
			vm.GASLIMIT, vm.CALLVALUE, vm.CALLER, vm.ORIGIN, vm.ADDRESS, vm.CALLDATASIZE, vm.CODESIZE, vm.MSIZE, vm.BLOBBASEFEE}
		p.Op(ops[rng.IntN(len(ops))]).Push(slot).Op(vm.SSTORE)
	case 16:
		p.Push(0).Op(vm.CALLDATALOAD).Push(rng.IntN(3)).Op(vm.LT)
		p.Push(p.Size()+8).Op(vm.JUMPI, vm.GAS, vm.POP, vm.GAS, vm.POP, vm.JUMPDEST)
	case 17:
		p.Push(64).Push(size).Op(vm.KECCAK256).Op(vm.SLOAD).Push(slot).Op(vm.SSTORE)
	case 18:
		p.Op(vm.NUMBER).Push(1+rng.IntN(3)).Op(vm.SWAP1, vm.SUB, vm.BLOCKHASH).Push(slot).Op(vm.SSTORE)
	case 19:
		p.ExtcodeCopy(randomTarget(rng).Bytes(), size, 0, 40)
	case 20:
		if rng.IntN(6) == 0 {
			p.Op(vm.OpCode(rng.IntN(256)))
		}
	case 21:
		p.Push(rng.IntN(100)).Op(vm.DUP1, vm.MUL).Push(size).Op(vm.MSTORE)
	case 22:
		p.Push(32).Push(size).Push(0).Op(vm.MCOPY)
	case 23:
		p.Push(rng.Uint64()).Op(vm.CLZ).Push(slot).Op(vm.SSTORE)
	}
}

// randomInit is creation code that runs something and returns something.
func randomInit(rng *rand.Rand, depth int) []byte {
	p := asm.New()
	for range rng.IntN(4) {
		randomSnippet(rng, p, depth)
	}
	if code := RandomCode(rng, 0); rng.IntN(4) > 0 && len(code) < 200 {
		p.ReturnViaCodeCopy(code)
	}
	return p.Bytes()
}

func randomCall(rng *rand.Rand, p *asm.Program) {
	to := randomTarget(rng).Bytes()
	var gas *uint256.Int // nil: all there is
	if rng.IntN(3) == 0 {
		gas = uint256.NewInt(rng.Uint64N(30_000))
	}
	in, out := rng.IntN(3)*32, rng.IntN(2)*32
	switch rng.IntN(5) {
	case 0:
		p.DelegateCall(gas, to, 0, in, 0, out)
	case 1:
		p.StaticCall(gas, to, 0, in, 0, out)
	case 2:
		p.CallCode(gas, to, rng.IntN(2), 0, in, 0, out)
	default:
		p.Call(gas, to, rng.IntN(2)*rng.IntN(3), 0, in, 0, out)
	}
}

// RandomWorld has random contracts, and little money and storage.
func RandomWorld(rng *rand.Rand, fork string) *evm.World {
	w := &evm.World{Accounts: map[common.Address]*evm.Account{}, Block: evm.DefaultBlock(), Fork: fork}
	for _, a := range RandomContracts {
		w.Accounts[a] = &evm.Account{
			Nonce: 1, Balance: *uint256.NewInt(rng.Uint64N(4)), Code: RandomCode(rng, 2),
			Storage: map[common.Hash]common.Hash{{}: {31: 1}, {31: 1}: {31: byte(rng.IntN(3))}},
		}
		if w.Accounts[a].Storage[common.Hash{31: 1}] == (common.Hash{}) {
			delete(w.Accounts[a].Storage, common.Hash{31: 1})
		}
	}
	w.Accounts[RandomSender] = &evm.Account{Balance: *uint256.NewInt(1000)}
	return w
}

// RandomSequence calls the contracts of a random World, and deploys.
func RandomSequence(rng *rand.Rand) evm.Sequence {
	var seq evm.Sequence
	for i := range 1 + rng.IntN(4) {
		c := evm.Call{From: RandomSender, To: RandomContracts[rng.IntN(len(RandomContracts))], Data: make([]byte, rng.IntN(3)*32)}
		for i := range c.Data {
			c.Data[i] = byte(rng.IntN(2))
		}
		c.Value.SetUint64(rng.Uint64N(3) * rng.Uint64N(2))
		switch rng.IntN(4) {
		case 0:
			c.Gas = 1 + rng.Uint64N(100_000)
		case 1:
			c.TimeAdvance, c.BlockAdvance = rng.Uint64N(100), rng.Uint64N(5)
		}
		if rng.IntN(5) == 0 {
			c.Create, c.Data = true, randomInit(rng, 2)
			c.Address = crypto.CreateAddress(RandomSender, uint64(i)) // as geth derives it
		}
		seq = append(seq, c)
	}
	return seq
}

// Loop is code that runs the snippet until gas is gone.
func Loop(snippet func(*asm.Program)) []byte {
	p, start := asm.New().Jumpdest()
	snippet(p)
	return p.Jump(start).Bytes()
}

// WorldOf puts code where random worlds have their first contract.
func WorldOf(code []byte) *evm.World {
	return &evm.World{Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{
		RandomContracts[0]: {Nonce: 1, Code: code},
		RandomSender:       {Balance: *uint256.NewInt(1000)},
	}}
}

// CallWith is a call of that contract.
func CallWith(data ...byte) evm.Call {
	return evm.Call{From: RandomSender, To: RandomContracts[0], Data: data}
}
