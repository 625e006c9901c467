package main

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// transaction is what is sent, its signature apart. This file is what a chain does
// with it around the execution, written from the EIPs: go-ethereum's own version
// of the same is the other executor.
type transaction struct {
	from           common.Address
	to             *common.Address // nil: a creation
	nonce          uint64
	value          uint256.Int // wei
	gas            uint64      // the limit
	feeCap, tipCap uint256.Int // wei (EIP-1559); both the gas price of older transactions
	data           []byte
	accessList     types.AccessList
	blobHashes     []common.Hash                // nil unless of type 3 (EIP-4844)
	blobFeeCap     *uint256.Int                 // likewise
	authorizations []types.SetCodeAuthorization // nil unless of type 4 (EIP-7702)
}

// block is what a transaction is executed in.
type block struct {
	fork        fork
	world       *evm.World // with the block's environment
	baseFee     uint256.Int
	blobBaseFee uint256.Int
}

// refusal is why a block cannot hold a transaction.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(reason string) error { return &refusal{reason} }

// isRefusal tells a transaction that is invalid from a failure of ours.
func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r)
}

// maxBlobsPerTransaction: EIP-7594 ("maximum of 6 blobs per transaction").
const maxBlobsPerTransaction = 6

// check tells why the block cannot hold the transaction, nil if it can.
func (t *transaction) check(b *block) error {
	sender := b.world.Accounts[t.from]
	if sender == nil {
		sender = &evm.Account{}
	}
	_, delegated := types.ParseDelegation(sender.Code)
	switch {
	case t.nonce != sender.Nonce:
		return refuse("the sender's nonce is another")
	case t.nonce+1 == 0:
		return refuse("the sender's nonce is the last (EIP-2681)")
	case len(sender.Code) > 0 && !delegated:
		return refuse("the sender is a contract (EIP-3607)")
	case t.feeCap.Lt(&t.tipCap):
		return refuse("the tip is above the fee cap (EIP-1559)")
	case t.feeCap.Lt(&b.baseFee):
		return refuse("the fee cap is below the base fee (EIP-1559)")
	case b.fork.active("osaka") && t.gas > params.MaxTxGas:
		return refuse("more gas than one transaction may have (EIP-7825)")
	case t.gas > b.world.Block.GasLimit:
		return refuse("more gas than a block has")
	case t.to == nil && b.fork.active("shanghai") && len(t.data) > params.MaxInitCodeSize:
		return refuse("too long a creation code (EIP-3860)")
	case t.gas < t.intrinsic(b.fork):
		return refuse("less gas than the transaction itself costs")
	case t.gas < t.floor(b.fork):
		return refuse("less gas than its data costs (EIP-7623)")
	}
	if err := errors.Join(t.checkBlobs(b), t.checkAuthorizations(b)); err != nil {
		return err
	}
	if t.most().Cmp(sender.Balance.ToBig()) > 0 {
		return refuse("the sender cannot pay")
	}
	return nil
}

// checkBlobs are the rules of EIP-4844.
func (t *transaction) checkBlobs(b *block) error {
	if t.blobHashes == nil && t.blobFeeCap == nil {
		return nil
	}
	switch {
	case !b.fork.active("cancun"):
		return refuse("blobs before Cancun")
	case t.to == nil:
		return refuse("blobs of a creation")
	case len(t.blobHashes) == 0:
		return refuse("a blob transaction without blobs")
	case t.blobFeeCap == nil || t.blobFeeCap.Lt(&b.blobBaseFee):
		return refuse("the blob fee cap is below the blob base fee")
	case len(t.blobHashes) > b.fork.blobs.Max:
		return refuse("more blobs than a block holds")
	case b.fork.active("osaka") && len(t.blobHashes) > maxBlobsPerTransaction:
		return refuse("more blobs than a transaction may have (EIP-7594)")
	}
	for _, h := range t.blobHashes {
		if h[0] != 1 { // VERSIONED_HASH_VERSION_KZG
			return refuse("a blob hash of an unknown version")
		}
	}
	return nil
}

// checkAuthorizations are the rules for the whole list (EIP-7702); a single one
// that is invalid is passed over later.
func (t *transaction) checkAuthorizations(b *block) error {
	switch {
	case t.authorizations == nil:
		return nil
	case !b.fork.active("prague"):
		return refuse("authorizations before Prague")
	case t.to == nil:
		return refuse("authorizations of a creation")
	case len(t.authorizations) == 0:
		return refuse("an empty list of authorizations")
	}
	return nil
}

// most is the most the transaction may take from its sender, wei.
func (t *transaction) most() *big.Int {
	total := new(big.Int).Mul(new(big.Int).SetUint64(t.gas), t.feeCap.ToBig())
	total.Add(total, t.value.ToBig())
	if t.blobFeeCap != nil {
		total.Add(total, new(big.Int).Mul(new(big.Int).SetUint64(t.blobGas()), t.blobFeeCap.ToBig()))
	}
	return total
}

func (t *transaction) blobGas() uint64 {
	return uint64(len(t.blobHashes)) * params.BlobTxBlobGasPerBlob
}

// intrinsic is the gas of the transaction itself: the yellow paper's g0 (eq. 64)
// with EIP-2028, EIP-2930, EIP-3860 and EIP-7702. It cannot overflow: all lists
// were read from a file of bounded size.
func (t *transaction) intrinsic(f fork) uint64 {
	gas := params.TxGas
	zeros := uint64(bytes.Count(t.data, []byte{0}))
	gas += zeros*params.TxDataZeroGas + (uint64(len(t.data))-zeros)*params.TxDataNonZeroGasEIP2028
	if t.to == nil {
		gas += params.CreateGas
		if f.active("shanghai") {
			gas += params.InitCodeWordGas * ((uint64(len(t.data)) + 31) / 32)
		}
	}
	gas += uint64(len(t.accessList)) * params.TxAccessListAddressGas
	gas += uint64(t.accessList.StorageKeys()) * params.TxAccessListStorageKeyGas
	return gas + uint64(len(t.authorizations))*params.CallNewAccountGas // PER_EMPTY_ACCOUNT_COST
}

// floor is the least gas that a transaction with its data uses (EIP-7623).
func (t *transaction) floor(f fork) uint64 {
	if !f.active("prague") {
		return 0
	}
	zeros := uint64(bytes.Count(t.data, []byte{0}))
	tokens := zeros + (uint64(len(t.data))-zeros)*params.TxTokenPerNonZeroByte
	return params.TxGas + tokens*params.TxCostFloorPerToken
}

// price is the effective gas price (EIP-1559), wei.
func (t *transaction) price(b *block) *uint256.Int {
	price, overflow := new(uint256.Int).AddOverflow(&t.tipCap, &b.baseFee)
	if overflow || price.Gt(&t.feeCap) {
		return t.feeCap.Clone()
	}
	return price
}

// message does what comes before the execution: it changes the block's World, and
// says what is left to run. The transaction has been checked.
func (t *transaction) message(b *block) *evm.Message {
	accounts := b.world.Accounts
	sender := change(accounts, t.from)
	price := t.price(b)
	cost := new(uint256.Int).Mul(price, uint256.NewInt(t.gas))
	cost.Add(cost, new(uint256.Int).Mul(&b.blobBaseFee, uint256.NewInt(t.blobGas())))
	sender.Balance.Sub(&sender.Balance, cost)
	m := &evm.Message{
		From: t.from, To: t.to, Data: t.data, Value: t.value,
		Gas:      t.gas - t.intrinsic(b.fork),
		GasPrice: *price, AccessList: t.accessList, BlobHashes: t.blobHashes, BlobBaseFee: b.blobBaseFee,
		BlockHash: testBlockHash,
	}
	var refund uint64 // counted before the execution
	if t.to == nil {
		m.Address = crypto.CreateAddress(t.from, sender.Nonce)
	} else {
		sender.Nonce++
		for i := range t.authorizations {
			refund += t.authorize(b, &t.authorizations[i], m)
		}
		if target, ok := delegation(accounts, *t.to); ok {
			m.AccessList = append(m.AccessList[:len(m.AccessList):len(m.AccessList)], types.AccessTuple{Address: target})
		}
	}
	m.Settle = func(left, counter uint64) (toSender, toCoinbase uint256.Int) {
		used := t.gas - left
		used -= min(counter+refund, used/params.RefundQuotientEIP3529)
		used = max(used, t.floor(b.fork))
		toSender.Mul(price, uint256.NewInt(t.gas-used))
		toCoinbase.Mul(new(uint256.Int).Sub(price, &b.baseFee), uint256.NewInt(used))
		return toSender, toCoinbase
	}
	return m
}

// authorize applies one authorization, unless it is invalid, and returns what it
// adds to the refund counter (EIP-7702, "Behavior").
func (t *transaction) authorize(b *block, a *types.SetCodeAuthorization, m *evm.Message) (refund uint64) {
	if !a.ChainID.IsZero() && !a.ChainID.Eq(uint256.NewInt(b.world.Block.ChainID)) || a.Nonce+1 == 0 {
		return 0
	}
	authority, err := a.Authority()
	if err != nil {
		return 0 // no signature
	}
	m.AccessList = append(m.AccessList[:len(m.AccessList):len(m.AccessList)], types.AccessTuple{Address: authority})
	account := b.world.Accounts[authority]
	exists := account != nil
	if !exists {
		account = &evm.Account{}
	}
	_, delegated := types.ParseDelegation(account.Code)
	if len(account.Code) > 0 && !delegated || account.Nonce != a.Nonce {
		return 0
	}
	account = change(b.world.Accounts, authority)
	account.Nonce++
	account.Code = nil
	if a.Address != (common.Address{}) {
		account.Code = types.AddressToDelegation(a.Address)
	}
	if exists {
		return params.CallNewAccountGas - params.TxAuthTupleGas // PER_EMPTY_ACCOUNT_COST − PER_AUTH_BASE_COST
	}
	return 0
}

// delegation is where an account's code is, if it is delegated.
func delegation(accounts map[common.Address]*evm.Account, address common.Address) (common.Address, bool) {
	if a := accounts[address]; a != nil {
		return types.ParseDelegation(a.Code)
	}
	return common.Address{}, false
}

// change is an account that may be changed, in place of a shared or missing one.
func change(accounts map[common.Address]*evm.Account, address common.Address) *evm.Account {
	copied := &evm.Account{}
	if a := accounts[address]; a != nil {
		*copied = *a
	}
	accounts[address] = copied
	return copied
}

// testBlockHash is what the format says of block hashes: the hash of the number's
// decimal digits.
func testBlockHash(number uint64) common.Hash {
	return crypto.Keccak256Hash([]byte(new(big.Int).SetUint64(number).String()))
}
