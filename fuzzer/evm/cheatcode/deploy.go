package cheatcode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// deployTable: contracts of the build, deployed by their names, and signed transactions that create one. No cheatcode
// runs code: the machine makes a call of one of these a call of [Creator], which does.
var deployTable = []function{
	{Signature: "deployCode(string)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,bytes)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,uint256)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,bytes32)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,bytes,uint256)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,bytes,bytes32)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,uint256,bytes32)", Returns: "address", run: deployCode},
	{Signature: "deployCode(string,bytes,uint256,bytes32)", Returns: "address", run: deployCode},
	{Signature: broadcastRaw, run: broadcastRawTransaction, Note: "of transactions that create a contract"},
}

const broadcastRaw = "broadcastRawTransaction(bytes)"

// Creator is an account whose code, [CreatorCode], creates a contract, in the name of
// the caller of deployCode.
var Creator = common.BytesToAddress(crypto.Keccak256([]byte("sightline: deployCode")))

// CreatorCode is called with a word of wei, a word of salt, a word that is zero for CREATE
// and not for CREATE2, then the creation code, of which it makes a contract. It returns the
// contract's address; it passes on a failure as it is.
var CreatorCode = common.FromHex("606036038060606000376040356019576000600035f06024565b602035906000600035f55b806033573d600060003e3d6000fd5b60005260206000f3")

// deployments are the selectors of deployTable.
var deployments = func() map[[4]byte]bool {
	selectors := map[[4]byte]bool{}
	for i := range deployTable {
		selectors[[4]byte(crypto.Keccak256([]byte(deployTable[i].Signature)))] = true
	}
	return selectors
}()

// Deploys reports whether calldata is a call of deployCode.
func Deploys(input []byte) bool { return len(input) >= 4 && deployments[[4]byte(input)] }

// Deploy returns the input of the call of Creator that replaces a call of deployCode, and
// lets Creator create in the caller's name, pranks included; false where the cheatcode
// itself reports an error.
func (s *State) Deploy(edge *Edge, call *Call) (input []byte, ok bool) {
	fn := index()[[4]byte(call.Input)]
	arguments, err := decode(fn.arguments, call.Input[4:])
	if err != nil || edge == nil || len(s.Pranks) >= maxPranks {
		return nil, false
	}
	if fn.Signature == broadcastRaw {
		tx, signer, err := signedCreation(arguments[0].Bytes)
		if err != nil {
			return nil, false
		}
		return s.creates(call, signer, &signer, *uint256.MustFromBig(tx.Value()), nil, tx.Data()), true
	}
	if edge.Artifact == nil {
		return nil, false
	}
	code, _, err := edge.Artifact(arguments[0].Text())
	if err != nil {
		return nil, false
	}
	var value uint256.Int
	var salt *uint256.Int
	for i := range fn.arguments {
		switch fn.arguments[i].Kind {
		case abi.Bytes:
			code = slices.Concat(code, arguments[i].Bytes)
		case abi.Uint:
			value = arguments[i].Word
		case abi.FixedBytes:
			salt = &arguments[i].Word
		}
	}
	inner := *call
	inner.Create, inner.To = true, common.Address{}
	sender, origin := s.Sender(&inner)
	return s.creates(call, sender, origin, value, salt, code), true
}

// creates returns the input of the call of Creator that creates a contract in a sender's name, with a salt if there is one, and
// lets it do so.
func (s *State) creates(call *Call, sender common.Address, origin *common.Address, value uint256.Int, salt *uint256.Int, code []byte) (input []byte) {
	salted := uint256.NewInt(1)
	if salt == nil {
		salt, salted = new(uint256.Int), new(uint256.Int)
	}
	for _, word := range []*uint256.Int{&value, salt, salted} {
		bytes := word.Bytes32()
		input = append(input, bytes[:]...)
	}
	p := Prank{By: Creator, Depth: call.Depth + 1, Sender: sender, Origin: origin, Once: true}
	at, _ := slices.BinarySearchFunc(s.Pranks, p.Depth, func(p Prank, depth int) int { return p.Depth - depth })
	s.Pranks = slices.Insert(s.Pranks, at, p)
	return append(input, code...)
}

// signedCreation decodes a transaction that creates a contract, and who signed it.
func signedCreation(raw []byte) (tx *types.Transaction, signer common.Address, err error) {
	tx = new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, signer, fmt.Errorf("it is not a signed transaction: %w", err)
	}
	if tx.To() != nil {
		return nil, signer, errors.New("only transactions that create a contract are run: make the call itself, with vm.prank")
	}
	if value, overflow := uint256.FromBig(tx.Value()); overflow || value == nil {
		return nil, signer, errors.New("its value does not fit a word")
	}
	scheme := types.Signer(types.HomesteadSigner{}) // without a chain id, as of transactions that are valid on every chain (before EIP-155)
	if tx.Protected() {
		scheme = types.LatestSignerForChainID(tx.ChainId())
	}
	if signer, err = types.Sender(scheme, tx); err != nil {
		return nil, signer, fmt.Errorf("its signature is not valid: %w", err)
	}
	return tx, signer, nil
}

// broadcastRawTransaction runs for calls that were not passed on to Creator.
func broadcastRawTransaction(_ *context, a []abi.Value) ([]abi.Value, error) {
	if _, _, err := signedCreation(a[0].Bytes); err != nil {
		return nil, err
	}
	return nil, errors.New("it is called by CALL, and without ether")
}

// Deployed cleans up after Creator, whether or not it created a contract.
func (s *State) Deployed() {
	s.Pranks = slices.DeleteFunc(s.Pranks, func(p Prank) bool { return p.By == Creator })
}

// deployCode runs for calls that were not passed on to Creator.
func deployCode(c *context, a []abi.Value) ([]abi.Value, error) {
	if _, _, err := c.artifact(a[0].Text()); err != nil {
		return nil, err
	}
	return nil, errors.New("it is called by CALL, and without ether")
}
