package evm

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// Message is what a transaction of a real chain asks of a machine once its
// validity is checked, its gas is bought and its authorizations (EIP-7702) are
// applied. Ethereum's state tests run messages; campaigns run [Call]s, which have
// no fees.
//
// A call's sender has had its nonce raised, since authorizations come after that;
// a creation raises it.
type Message struct {
	From    common.Address
	To      *common.Address // nil: a creation
	Address common.Address  // of the contract that a creation makes
	Data    []byte          // calldata, or creation code
	Value   uint256.Int     // wei
	Gas     uint64          // for the execution alone: the intrinsic cost is paid

	GasPrice    uint256.Int      // wei, as GASPRICE answers
	AccessList  types.AccessList // warm from the start (EIP-2930), besides what always is
	BlobHashes  []common.Hash    // as BLOBHASH answers (EIP-4844)
	BlobBaseFee uint256.Int      // wei, as BLOBBASEFEE answers (EIP-7516)
	BlockHash   func(number uint64) common.Hash

	// Settle says what is paid when the execution has ended, before destructed
	// accounts are removed: to the sender for unused gas, and to the coinbase. It is
	// told the gas that is left and the refund counter (EIP-3529), both in gas.
	Settle func(gasLeft, refund uint64) (sender, coinbase uint256.Int)
}

// Receipt is what came of a message.
type Receipt struct {
	Outcome Outcome
	Output  []byte
	Logs    []*types.Log // in order, without those that were undone
}
