package evm_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// nest creates itself in its constructor, with other arguments, and looks at its own
// arguments before and after.
const nest = `
contract Nest {
    uint256 public first;
    uint256 public second;
    address public inner;
    constructor(uint256 depth, uint256 value) {
        first = value;
        if (depth > 0) {
            address made;
            assembly {
                let size := codesize()
                let code := mload(0x40)
                mstore(0x40, add(code, size))
                codecopy(code, 0, size)
                mstore(add(code, sub(size, 64)), sub(depth, 1))
                mstore(add(code, sub(size, 32)), add(value, 1))
                made := create(0, code, size)
            }
            inner = made;
        }
        uint256 again;
        assembly { codecopy(0, sub(codesize(), 32), 32) again := mload(0) }
        second = again;
        require(second == first && value % 7 != 6);
    }
}`

// TestConstructorArguments: creation code that differs from the last only in its
// arguments runs with its own, also while the same code runs further out.
func TestConstructorArguments(t *testing.T) {
	b := deployed(t, nest, "Nest", testsolc.Settings{}, common.Big0, common.Big1)
	var seq evm.Sequence
	for i := range 40 {
		packed, err := b.contract.ABI.Pack("", common.Big3, big.NewInt(int64(i)))
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			packed[31] = byte(i / 9)
		}
		call := b.deploy
		call.Address[0] = byte(i + 1)
		call.Data = append(common.CopyBytes(b.contract.Creation.Bytes), packed...)
		seq = append(seq, call)
		b.run(call)
	}
	b.run(seq...)
}
