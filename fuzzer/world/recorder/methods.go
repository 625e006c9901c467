package recorder

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file has the methods of the JSON-RPC endpoint that deploy scripts use: those
// that ethers, viem and forge ask for. Names and arguments are the execution API's.

// ethMethods are eth_….
type ethMethods struct{ r *Recorder }

// txArguments are a call's or a transaction's.
type txArguments struct {
	From  *common.Address `json:"from"`
	To    *common.Address `json:"to"`
	Value *hexutil.U256   `json:"value"`
	Nonce *hexutil.Uint64 `json:"nonce"`
	Data  hexutil.Bytes   `json:"data"`
	Input hexutil.Bytes   `json:"input"`
}

func (a *txArguments) data() []byte {
	if a.Input != nil {
		return a.Input
	}
	return a.Data
}

func (a *txArguments) value() *uint256.Int {
	if a.Value == nil {
		return nil
	}
	return (*uint256.Int)(a.Value)
}

func (a *txArguments) from(r *Recorder) common.Address {
	if a.From != nil {
		return *a.From
	}
	return r.start.Senders[0].Address
}

// reverted is the error of a call that fails.
type reverted struct {
	reason string
	data   []byte
}

func (e *reverted) Error() string  { return "execution reverted: " + e.reason }
func (e *reverted) ErrorCode() int { return 3 } // as nodes have it
func (e *reverted) ErrorData() any { return hexutil.Encode(e.data) }

func (m *ethMethods) chain() uint64 {
	if id := m.r.start.Block.ChainID; id != 0 {
		return id
	}
	return evm.ChainID
}

func (m *ethMethods) ChainId() hexutil.Uint64 { return hexutil.Uint64(m.chain()) } //nolint:staticcheck // as eth_chainId

func (m *ethMethods) BlockNumber() hexutil.Uint64 {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	number, _ := m.r.head()
	return hexutil.Uint64(number)
}

// Accounts are those that transactions can be sent from without a signature.
func (m *ethMethods) Accounts() []common.Address {
	var list []common.Address
	for _, s := range m.r.start.Senders {
		list = append(list, s.Address)
	}
	return list
}

func (m *ethMethods) GasPrice() hexutil.Uint64             { return 0 }
func (m *ethMethods) MaxPriorityFeePerGas() hexutil.Uint64 { return 0 }
func (m *ethMethods) Syncing() bool                        { return false }

// FeeHistory says that gas costs nothing.
func (m *ethMethods) FeeHistory(count hexutil.Uint64, _ rpc.BlockNumber, percentiles []float64) (map[string]any, error) {
	const most = 1024 // as nodes have it
	if count > most || len(percentiles) > most {
		return nil, errors.New("too many blocks")
	}
	fees, used, rewards := []string{"0x0"}, []float64{}, [][]string{}
	for range count {
		fees, used = append(fees, "0x0"), append(used, 0)
		row := make([]string, len(percentiles))
		for i := range row {
			row[i] = "0x0"
		}
		rewards = append(rewards, row)
	}
	return map[string]any{"oldestBlock": m.BlockNumber(), "baseFeePerGas": fees, "gasUsedRatio": used, "reward": rewards}, nil
}

// SendTransaction runs a transaction of any account.
func (m *ethMethods) SendTransaction(a txArguments) (common.Hash, error) {
	return m.r.send(&transaction{from: a.from(m.r), to: a.To, data: a.data(), value: a.value()}, (*uint64)(a.Nonce), nil)
}

// SendRawTransaction runs a signed one.
func (m *ethMethods) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	from, err := types.Sender(types.LatestSignerForChainID(new(big.Int).SetUint64(m.chain())), &tx)
	if err != nil {
		return common.Hash{}, err
	}
	value, overflow := uint256.FromBig(tx.Value())
	if overflow {
		return common.Hash{}, errors.New("a value above 2^256")
	}
	hash, nonce := tx.Hash(), tx.Nonce()
	return m.r.send(&transaction{from: from, to: tx.To(), data: tx.Data(), value: value}, &nonce, &hash)
}

// try runs a call that leaves nothing behind.
func (m *ethMethods) try(a *txArguments) (*evm.CallResult, error) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	from := a.from(m.r)
	nonce, err := m.r.nonce(from)
	if err != nil {
		return nil, err
	}
	c, _ := m.r.call(from, a.To, a.data(), a.value(), nonce)
	exec, err := m.r.machine.Run(append(m.r.calls[:len(m.r.calls):len(m.r.calls)], c))
	if err != nil {
		return nil, err
	}
	result := exec.Calls[len(exec.Calls)-1]
	if result.Outcome != evm.Success {
		return nil, &reverted{result.Reason(), common.CopyBytes(result.Output)}
	}
	result.Output = common.CopyBytes(result.Output)
	return &result, nil
}

func (m *ethMethods) Call(a txArguments, _ *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	result, err := m.try(&a)
	if err != nil {
		return nil, err
	}
	return result.Output, nil
}

// EstimateGas is the gas that every transaction gets, if the call succeeds.
func (m *ethMethods) EstimateGas(a txArguments, _ *rpc.BlockNumberOrHash) (hexutil.Uint64, error) {
	_, err := m.try(&a)
	return gasLimit, err
}

// now is the state behind all transactions.
func (r *Recorder) now() (*evm.World, error) {
	if r.state != nil {
		return r.state, nil
	}
	if _, err := r.machine.Run(r.calls); err != nil {
		return nil, err
	}
	r.state = r.machine.Export()
	return r.state, nil
}

func (m *ethMethods) account(a common.Address) (*evm.Account, error) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	return m.r.account(a)
}

func (r *Recorder) account(a common.Address) (*evm.Account, error) {
	w, err := r.now()
	if err != nil {
		return nil, err
	}
	account, err := w.Account(a)
	if account == nil {
		account = new(evm.Account)
	}
	return account, err
}

func (m *ethMethods) GetBalance(a common.Address, _ *rpc.BlockNumberOrHash) (hexutil.U256, error) {
	account, err := m.account(a)
	if err != nil {
		return hexutil.U256{}, err
	}
	return hexutil.U256(account.Balance), nil
}

func (m *ethMethods) GetCode(a common.Address, _ *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	account, err := m.account(a)
	if err != nil {
		return nil, err
	}
	return account.Code, nil
}

func (m *ethMethods) GetStorageAt(a common.Address, slot string, _ *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	w, err := m.r.now()
	if err != nil {
		return nil, err
	}
	value, err := w.Word(a, common.HexToHash(slot))
	return value[:], err
}

// GetTransactionCount is an account's nonce. A contract's counts what it created: forge
// tells by it where it will put the next one.
func (m *ethMethods) GetTransactionCount(a common.Address, _ *rpc.BlockNumberOrHash) (hexutil.Uint64, error) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	account, err := m.r.account(a)
	if err != nil || len(account.Code) > 0 {
		return hexutil.Uint64(account.Nonce), err
	}
	n, err := m.r.nonce(a)
	return hexutil.Uint64(n), err
}

// block is a block as nodes show it, with its transaction, nil for none: as a whole or
// by its hash.
func (m *ethMethods) block(number, at uint64, t *transaction, full bool) map[string]any {
	w := m.r.start
	transactions := []any{}
	switch {
	case t != nil && full:
		transactions = append(transactions, m.shown(t))
	case t != nil:
		transactions = append(transactions, t.hash)
	}
	return map[string]any{
		"number": hexutil.Uint64(number), "hash": blockHash(number), "parentHash": blockHash(number - 1), "timestamp": hexutil.Uint64(at),
		"nonce": "0x0000000000000000", "sha3Uncles": types.EmptyUncleHash, "logsBloom": types.Bloom{}, "transactionsRoot": types.EmptyTxsHash,
		"stateRoot": types.EmptyRootHash, "receiptsRoot": types.EmptyReceiptsHash, "miner": w.Block.Coinbase, "difficulty": "0x0", "totalDifficulty": "0x0",
		"extraData": "0x", "size": "0x0", "gasLimit": hexutil.Uint64(2 * gasLimit), "gasUsed": "0x0", "baseFeePerGas": "0x0",
		"mixHash": w.Block.PrevRandao, "transactions": transactions, "uncles": []common.Hash{},
	}
}

// GetBlockByNumber is a block; nil where there is none.
func (m *ethMethods) GetBlockByNumber(number rpc.BlockNumber, full bool) map[string]any {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	head, at := m.r.head()
	if number < 0 || uint64(number) == head {
		var last *transaction
		if n := len(m.r.made); n > 0 {
			last = m.r.made[n-1]
		}
		return m.block(head, at, last, full)
	}
	for _, t := range m.r.made {
		if t.number == uint64(number) {
			return m.block(t.number, t.time, t, full)
		}
	}
	if uint64(number) <= m.r.start.Block.Number {
		return m.block(uint64(number), m.r.start.Block.Time, nil, full)
	}
	return nil
}

// GetBlockByHash is a block by its hash; nil where there is none.
func (m *ethMethods) GetBlockByHash(hash common.Hash, full bool) map[string]any {
	m.r.mu.Lock()
	numbers := []uint64{m.r.start.Block.Number}
	for _, t := range m.r.made {
		numbers = append(numbers, t.number)
	}
	m.r.mu.Unlock()
	for _, n := range numbers {
		if blockHash(n) == hash {
			return m.GetBlockByNumber(rpc.BlockNumber(n), full) //nolint:gosec // so many blocks there are not
		}
	}
	return nil
}

// GetTransactionReceipt tells what came of a transaction; nil where it is not known.
func (m *ethMethods) GetTransactionReceipt(hash common.Hash) map[string]any {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	t := m.r.byHash[hash]
	if t == nil {
		return nil
	}
	status := hexutil.Uint64(0)
	if t.outcome == evm.Success {
		status = 1
	}
	logs := t.logs
	if logs == nil {
		logs = []*types.Log{}
	}
	return map[string]any{
		"transactionHash": t.hash, "transactionIndex": "0x0", "blockHash": blockHash(t.number), "blockNumber": hexutil.Uint64(t.number),
		"from": t.from, "to": t.to, "contractAddress": t.contract, "status": status, "type": "0x2", "logs": logs, "logsBloom": types.Bloom{},
		"gasUsed": hexutil.Uint64(t.gasUsed), "cumulativeGasUsed": hexutil.Uint64(t.gasUsed), "effectiveGasPrice": "0x0",
	}
}

// GetTransactionByHash shows a transaction; nil where it is not known.
func (m *ethMethods) GetTransactionByHash(hash common.Hash) map[string]any {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	t := m.r.byHash[hash]
	if t == nil {
		return nil
	}
	return m.shown(t)
}

// shown is a transaction as nodes show it.
func (m *ethMethods) shown(t *transaction) map[string]any {
	return map[string]any{
		"hash": t.hash, "nonce": hexutil.Uint64(t.nonce), "blockHash": blockHash(t.number), "blockNumber": hexutil.Uint64(t.number), "transactionIndex": "0x0",
		"from": t.from, "to": t.to, "value": hexutil.U256(t.call.Value), "input": hexutil.Bytes(t.data), "gas": hexutil.Uint64(gasLimit),
		"gasPrice": "0x0", "maxFeePerGas": "0x0", "maxPriorityFeePerGas": "0x0", "type": "0x2", "accessList": []any{},
		"chainId": hexutil.Uint64(m.chain()), "v": "0x0", "r": "0x1", "s": "0x1", "yParity": "0x0",
	}
}

// logFilter is what eth_getLogs is asked for; topics are not looked at by scripts that
// deploy, and so are not supported.
type logFilter struct {
	FromBlock *rpc.BlockNumber `json:"fromBlock"`
	ToBlock   *rpc.BlockNumber `json:"toBlock"`
	BlockHash *common.Hash     `json:"blockHash"`
	Address   any              `json:"address"`
	Topics    []any            `json:"topics"`
}

// GetLogs lists events.
func (m *ethMethods) GetLogs(f logFilter) ([]*types.Log, error) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	addresses, err := addressesOf(f.Address)
	if err != nil {
		return nil, err
	}
	logs := []*types.Log{}
	for _, t := range m.r.made {
		if f.BlockHash != nil && blockHash(t.number) != *f.BlockHash || outside(t.number, f.FromBlock, f.ToBlock) {
			continue
		}
		for _, l := range t.logs {
			if (len(addresses) == 0 || addresses[l.Address]) && matchesTopics(l, f.Topics) {
				logs = append(logs, l)
			}
		}
	}
	return logs, nil
}

// outside reports whether a block is not between two; negative numbers are tags such as
// latest, which bound nothing here.
func outside(number uint64, from, to *rpc.BlockNumber) bool {
	return from != nil && *from >= 0 && number < uint64(*from) || to != nil && *to >= 0 && number > uint64(*to)
}

// addressesOf reads one address, or a list of them.
func addressesOf(v any) (map[common.Address]bool, error) {
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	set := map[common.Address]bool{}
	for _, one := range list {
		text, ok := one.(string)
		if !ok || !common.IsHexAddress(text) {
			return nil, fmt.Errorf("%v is not an address", one)
		}
		set[common.HexToAddress(text)] = true
	}
	return set, nil
}

// matchesTopics reports whether an event has the topics: null is any, a list one of several.
func matchesTopics(l *types.Log, topics []any) bool {
	for i, want := range topics {
		alternatives, list := want.([]any)
		if !list {
			alternatives = []any{want}
		}
		matches := want == nil
		for _, a := range alternatives {
			text, ok := a.(string)
			matches = matches || ok && i < len(l.Topics) && common.HexToHash(text) == l.Topics[i]
		}
		if !matches {
			return false
		}
	}
	return true
}

// netMethods are net_….
type netMethods struct{ r *Recorder }

func (m *netMethods) Version() string { return fmt.Sprint((&ethMethods{m.r}).chain()) }
func (m *netMethods) Listening() bool { return true }

// web3Methods are web3_….
type web3Methods struct{}

func (*web3Methods) ClientVersion() string { return "sightline" }

func (*web3Methods) Sha3(data hexutil.Bytes) hexutil.Bytes { return crypto.Keccak256(data) }

// evmMethods are evm_…, for scripts that let time pass.
type evmMethods struct{ r *Recorder }

// seconds reads a number that is written as one or in hexadecimal digits.
func seconds(v any) (uint64, error) {
	switch v := v.(type) {
	case float64:
		if v >= 0 && v < 1<<53 {
			return uint64(v), nil
		}
	case string:
		if n, ok := new(big.Int).SetString(v, 0); ok && n.IsUint64() {
			return n.Uint64(), nil
		}
	}
	return 0, fmt.Errorf("%v is not a number of seconds", v)
}

// IncreaseTime lets time pass before the next transaction.
func (m *evmMethods) IncreaseTime(v any) (hexutil.Uint64, error) {
	n, err := seconds(v)
	if err != nil {
		return 0, err
	}
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	m.r.advance += n
	return hexutil.Uint64(m.r.advance), nil
}

// Mine does nothing: every transaction is in a block of its own.
func (m *evmMethods) Mine(*any) string { return "0x0" }

// devMethods are what development nodes have besides; a script that needs the others
// fails, with their names.
type devMethods struct{ r *Recorder }

// ImpersonateAccount is granted: everybody's transactions are run.
func (m *devMethods) ImpersonateAccount(common.Address) bool { return true }

// StopImpersonatingAccount changes nothing.
func (m *devMethods) StopImpersonatingAccount(common.Address) bool { return true }

// Metadata is asked for by Ignition on chains with Hardhat's id: another instance is
// another chain, on which nothing of an earlier deployment is left.
func (m *devMethods) Metadata() map[string]any {
	eth := ethMethods(*m)
	number := eth.BlockNumber()
	return map[string]any{
		"clientVersion": "sightline", "chainId": eth.chain(), "instanceId": m.r.instance,
		"latestBlockNumber": uint64(number), "latestBlockHash": blockHash(uint64(number)),
	}
}

// GetAutomine says that a transaction is in a block at once: Ignition need not wait for
// others to follow.
func (m *devMethods) GetAutomine() bool { return true }

// Mine does nothing, see evm_mine.
func (m *devMethods) Mine(*any, *any) bool { return true }
