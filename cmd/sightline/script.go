package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/fuzzer/world/recorder"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
)

// This file runs the project's own deploy script against a chain of ours, and makes the
// World of what it did.

// rpcVariable names the endpoint to the script; forge takes the second one by itself.
const (
	rpcVariable      = "SIGHTLINE_RPC_URL"
	forgeRPCVariable = "ETH_RPC_URL"
)

// senderVariable and keyVariable tell the script an account that needs no signature, and
// the private key of another one. Both have ether.
const (
	senderVariable = "SIGHTLINE_SENDER"
	keyVariable    = "SIGHTLINE_PRIVATE_KEY"
)

// scriptKey is that key. It is no secret: the account exists in our Worlds only.
func scriptKey() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("sightline deploy script")))
	if err != nil {
		panic(err) // the hash is a number below the curve's order
	}
	return key
}

// recordScript runs the script that --setup-command names, if it does.
func (f *campaignFlags) recordScript(ctx context.Context, pr *project, show *progress.Log) error {
	if f.setupCommand == "" {
		return nil
	}
	shipped := shippedTable(pr)
	key := scriptKey()
	signer := crypto.PubkeyToAddress(key.PublicKey)
	f.plan.ForScript(signer)
	begin := f.plan.Begin(f.fork)
	r, err := recorder.New(begin, pr.table, recorder.Options{
		Substitute: substitution(shipped, pr.table), Deployer: world.Create2Deployer, Machine: []evm.Option{evm.LiftCodeSizeLimits},
	})
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	said, err := runRecorded(ctx, r, build.Script{Root: pr.root, Command: f.setupCommand, Names: pr.env, Env: []string{
		senderVariable + "=" + begin.Senders[0].Address.Hex(), keyVariable + "=" + hexutil.Encode(crypto.FromECDSA(key)),
	}}, show)
	if err != nil {
		return err
	}
	calls := r.Given()
	failed := r.Failed()
	show.Line("script  %d transactions, %d failed", len(calls)+len(failed), len(failed))
	for _, text := range failed {
		show.Line("        %s", human.Printable(text))
	}
	if len(calls) == 0 {
		return exit.CannotFuzz("--setup-command %s: it ended well and sent no transaction to the endpoint in %s; it said: %s", f.setupCommand, rpcVariable, human.Printable(said))
	}
	f.plan.Recorded, f.plan.shipped = &world.Recording{Script: f.setupCommand, Calls: calls, Keys: map[common.Address]*ecdsa.PrivateKey{signer: key}}, shipped
	return nil
}

// runRecorded runs the script with an endpoint that only this machine reaches.
func runRecorded(ctx context.Context, r *recorder.Recorder, script build.Script, show *progress.Log) (said string, err error) {
	handler, err := r.Handler()
	if err != nil {
		return "", exit.CannotFuzz("%w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", exit.CannotFuzz("no endpoint for the set-up: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	address := "http://" + listener.Addr().String()
	show.Line("script  %s", human.Printable(script.Command))
	script.Env = append(script.Env, rpcVariable+"="+address, forgeRPCVariable+"="+address)
	said, err = build.RunScript(ctx, script)
	closing := server.Close()
	if serving := <-done; !errors.Is(serving, http.ErrServerClosed) {
		closing = errors.Join(closing, serving)
	}
	if err != nil {
		return "", buildError(err)
	}
	if closing != nil {
		return "", exit.CannotFuzz("the endpoint of the set-up: %w", closing)
	}
	return said, nil
}

// shippedTable explains the code that the project's own build has, which is what its
// scripts deploy.
func shippedTable(pr *project) *bytecode.Table {
	var contracts []*bytecode.Contract
	for _, c := range build.Contracts(pr.given) {
		contracts = append(contracts, copyContract(c))
	}
	return bytecode.NewTable(contracts)
}

// substitution replaces creation code of one build by that of another: the contract of
// the same name with the same arguments and libraries. What is not known stays.
func substitution(from, to *bytecode.Table) func([]byte) []byte {
	byName := map[string]*bytecode.Contract{}
	for _, c := range to.Contracts() {
		byName[c.QualifiedName()] = c
	}
	return func(data []byte) []byte {
		p := from.LookupCreation(data)
		if p == nil || p.Contract == nil {
			return data
		}
		other := byName[p.Contract.QualifiedName()]
		if other == nil || other.Creation == nil {
			return data
		}
		code := append([]byte(nil), other.Creation.Bytes...)
		libraries := map[string][]byte{}
		for _, l := range p.Code.Links {
			libraries[l.Library] = data[l.Offset : l.Offset+20]
		}
		for _, l := range other.Creation.Links {
			address, known := libraries[l.Library]
			if !known {
				return data
			}
			copy(code[l.Offset:], address)
		}
		return append(code, data[len(p.Bytes):]...)
	}
}
