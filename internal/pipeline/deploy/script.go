package deploy

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
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/fuzzer/world/recorder"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
)

// Variables that pass the endpoint to the script; forge reads the second one by itself.
const (
	rpcVariable      = "SIGHTLINE_RPC_URL"
	forgeRPCVariable = "ETH_RPC_URL"
)

// Variables that pass the script an account that needs no signature, and the private key of
// another one. Both have ether.
const (
	senderVariable = "SIGHTLINE_SENDER"
	keyVariable    = "SIGHTLINE_PRIVATE_KEY"
)

// scriptKey is that key. It is not secret: the account exists in our Worlds only.
func scriptKey() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("sightline deploy script")))
	if err != nil {
		panic(err) // the hash is a number below the curve's order
	}
	return key
}

// Script is what a deploy script did.
type Script struct {
	recorded world.Recording
	release  *bytecode.Table // of the build whose code it deployed
}

// on is what the script did with the code of another build.
func (s *Script) on(table *bytecode.Table) *world.Recording {
	recorded := s.recorded
	recorded.Substitute = substitution(s.release, table)
	return &recorded
}

// runScript runs the script that --setup-command names, if any.
func (r *Recipe) runScript(ctx context.Context, c *change.Change, o *Options, log *progress.Log) error {
	if o.Command == "" {
		return nil
	}
	release := bytecode.NewTable(compile.Contracts(Release(c)))
	key := scriptKey()
	signer := crypto.PubkeyToAddress(key.PublicKey)
	r.Plan.World.ForScript(signer)
	begin := r.Plan.World.Begin(r.Fork)
	endpoint, err := recorder.New(begin, c.Table, recorder.Options{
		Substitute: substitution(release, c.Table), Deployer: world.Create2Deployer,
	})
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	said, err := runRecorded(ctx, endpoint, project.Script{Root: c.Root, Repository: c.Paths.Checkout, Strangers: c.Strangers(), Command: o.Command, Names: o.Env, Env: []string{
		senderVariable + "=" + begin.Senders[0].Address.Hex(), keyVariable + "=" + hexutil.Encode(crypto.FromECDSA(key)),
	}}, log)
	if err != nil {
		return err
	}
	calls := endpoint.Given()
	failed := endpoint.Failed()
	log.Line("script  %d transactions, %d failed", len(calls)+len(failed), len(failed))
	for _, text := range failed {
		log.Line("        %s", human.Printable(text))
	}
	if len(calls) == 0 {
		return exit.CannotFuzz("--setup-command %s: it succeeded without sending a transaction to the endpoint in %s; its output: %s", o.Command, rpcVariable, human.Printable(said))
	}
	r.Script = &Script{world.Recording{Script: o.Command, Calls: calls, Keys: map[common.Address]*ecdsa.PrivateKey{signer: key}}, release}
	return nil
}

// runRecorded runs the script with an endpoint that only this machine reaches.
func runRecorded(ctx context.Context, r *recorder.Recorder, script project.Script, log *progress.Log) (said string, err error) {
	handler, err := r.Handler()
	if err != nil {
		return "", exit.CannotFuzz("%w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", exit.CannotFuzz("the set-up's endpoint cannot be opened: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	address := "http://" + listener.Addr().String()
	log.Line("script  %s", human.Printable(script.Command))
	script.Env = append(script.Env, rpcVariable+"="+address, forgeRPCVariable+"="+address)
	said, err = project.RunScript(ctx, script)
	closing := server.Close()
	if serving := <-done; !errors.Is(serving, http.ErrServerClosed) {
		closing = errors.Join(closing, serving)
	}
	if err != nil {
		return "", change.BuildError(err)
	}
	if closing != nil {
		return "", exit.CannotFuzz("the set-up's endpoint failed: %w", closing)
	}
	return said, nil
}

// substitution replaces creation code of one build by that of another: the contract of the
// same name with the same arguments and libraries. Unknown code stays.
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
