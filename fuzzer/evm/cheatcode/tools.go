package cheatcode

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/sightline-evm/sightline/internal/abi"
)

// toolTable: functions that depend on no state.
var toolTable = []function{
	{Signature: "computeCreateAddress(address,uint256)", Returns: "address", run: createAddress},
	{Signature: "computeCreate2Address(bytes32,bytes32)", Returns: "address", run: create2Address},
	{Signature: "computeCreate2Address(bytes32,bytes32,address)", Returns: "address", run: create2Address},
	{Signature: "ensNamehash(string)", Returns: "bytes32", run: namehash},
	{Signature: "toRlp(bytes[])", Returns: "bytes", run: toRLP},
	{Signature: "fromRlp(bytes)", Returns: "bytes[]", run: fromRLP},
	{Signature: "unixTime()", Returns: "uint256", run: unixTime, Note: "the block's time, in milliseconds: nothing depends on the clock"},
	{Signature: "getFoundryVersion()", Returns: "string", run: foundryVersion, Note: "the one whose cheatcodes these are: " + version},
	{Signature: "foundryVersionCmp(string)", Returns: "int256", run: compareVersion},
	{Signature: "foundryVersionAtLeast(string)", Returns: "bool", run: versionAtLeast},
	{Signature: "isContext(uint8)", Returns: "bool", run: isContext, Note: "it is a test"},
}

// version is the Foundry whose cheatcodes are in the table.
const version = "1.7.1"

func createAddress(_ *context, a []abi.Value) ([]abi.Value, error) {
	nonce, err := small(&a[1].Word)
	if err != nil {
		return nil, err
	}
	return []abi.Value{addressOf(crypto.CreateAddress(a[0].Address(), nonce))}, nil
}

// factory is the deployer of contracts that every chain has at the same address
// (https://github.com/Arachnid/deterministic-deployment-proxy).
var factory = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")

func create2Address(_ *context, a []abi.Value) ([]abi.Value, error) {
	deployer, code := factory, a[1].Hash()
	if len(a) > 2 {
		deployer = a[2].Address()
	}
	return []abi.Value{addressOf(crypto.CreateAddress2(deployer, a[0].Hash(), code[:]))}, nil
}

// namehash is EIP-137's, of a name as it is.
func namehash(_ *context, a []abi.Value) ([]abi.Value, error) {
	var node common.Hash
	if len(a[0].Bytes) == 0 {
		return []abi.Value{hashOf(node)}, nil
	}
	labels := strings.Split(a[0].Text(), ".")
	for _, label := range slices.Backward(labels) {
		node = crypto.Keccak256Hash(node[:], crypto.Keccak256([]byte(label)))
	}
	return []abi.Value{hashOf(node)}, nil
}

func toRLP(_ *context, a []abi.Value) ([]abi.Value, error) {
	list := make([][]byte, len(a[0].Elems))
	for i := range list {
		list[i] = a[0].Elems[i].Bytes
	}
	data, err := rlp.EncodeToBytes(list)
	return []abi.Value{bytesOf(data)}, err
}

func fromRLP(_ *context, a []abi.Value) ([]abi.Value, error) {
	var list [][]byte
	if err := rlp.DecodeBytes(a[0].Bytes, &list); err != nil {
		return nil, err
	}
	var result abi.Value
	for _, data := range list {
		result.Elems = append(result.Elems, bytesOf(data))
	}
	return []abi.Value{result}, nil
}

func unixTime(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Environment().Time * 1000)}, nil
}

func foundryVersion(*context, []abi.Value) ([]abi.Value, error) {
	return []abi.Value{textOf(version)}, nil
}

// orderOf compares our version with one of three numbers.
func orderOf(text string) (int, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return 0, errors.New("a version has three numbers: 1.2.3")
	}
	for i, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return 0, err
		}
		ours, err := strconv.Atoi(part)
		if err != nil {
			return 0, err
		}
		if order := cmp.Compare(ours, n); order != 0 {
			return order, nil
		}
	}
	return 0, nil
}

func compareVersion(_ *context, a []abi.Value) ([]abi.Value, error) {
	order, err := orderOf(a[0].Text())
	if err != nil {
		return nil, err
	}
	result := uintOf(uint64(max(order, 0)))
	if order < 0 {
		result.Word.SetAllOne()
	}
	return []abi.Value{result}, nil
}

func versionAtLeast(_ *context, a []abi.Value) ([]abi.Value, error) {
	order, err := orderOf(a[0].Text())
	return []abi.Value{boolOf(order >= 0)}, err
}

// isContext knows VmSafe.ForgeContext's first two: a test of any kind, and forge test.
func isContext(_ *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{boolOf(a[0].Word.LtUint64(2))}, nil
}
