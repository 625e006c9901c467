package world

import (
	"context"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file puts tokens into what only its owner may put some into: an exchange to which the owner adds liquidity, a farm whose rewards it pays in.
// Without them there is nothing to trade or to earn, and nothing to lose: what senders may pay in is for the campaign to find out, but an account that
// attacks is none that owns something.
//
//	addLiquidity(address token, uint256 amount)
//	fundRewards(uint256 amount)
//
// What a call does says whether it is one: what the contract has of a token rises by the amount, for the deployer, as often as it makes the call,
// and not for a user who has as much and allows as much.

// Bounds of what is tried. Arbitrary: an exchange has two tokens and one way in.
const (
	maxStocked   = 8 // calls that are kept
	maxStockings = 8 // functions of an instance that are tried
)

// stockShift: what the deployer puts in at a time is one in 2^3 of what it has, and of what a user has. Arbitrary: most is left to both.
const stockShift = 3

// stock puts tokens into instances from first on.
func (f *funder) stock(ctx context.Context, first int) error {
	left := maxStocked
	for _, in := range slices.Clone(f.instances[first:]) {
		if in.Contract == nil || role(in.Contract) != UnderTest || in.Contract.Generated || hasProperties(in.Contract) {
			continue
		}
		methods := stockings(in.Contract)
		for _, token := range slices.Clone(f.instances[first:]) {
			if left == 0 || len(methods) == 0 || !isToken(token.Contract) || !slices.Contains(f.spendersOf(token.Address), in.Address) {
				continue
			}
			done, err := f.stockByAny(ctx, &in, &token, methods)
			if err != nil {
				return err
			}
			if done {
				left--
			}
		}
	}
	return nil
}

// stockByAny puts a token into an instance by the first of its functions that does so.
func (f *funder) stockByAny(ctx context.Context, in, token *evm.Instance, methods []abi.Method) (bool, error) {
	for i := range methods {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if done, err := f.stockWith(in, token, &methods[i]); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// stockings lists functions of a contract that may put a token into it: they take an amount, and no more than two addresses.
func stockings(c *bytecode.Contract) (list []abi.Method) {
	for _, m := range sortedMethods(c) {
		amounts, others := 0, 0
		for _, in := range m.Inputs {
			switch {
			case in.Type.T == abi.UintTy && in.Type.Size == 256:
				amounts++
			case in.Type.T != abi.AddressTy:
				others++
			}
		}
		if !m.IsConstant() && !m.IsPayable() && amounts == 1 && others == 0 && len(m.Inputs) <= 3 && len(list) < maxStockings {
			list = append(list, m)
		}
	}
	return list
}

// stockWith puts a token into an instance by one of its functions, if that is what it is for.
func (f *funder) stockWith(in, token *evm.Instance, m *abi.Method) (bool, error) {
	p := payment(token.Contract)
	if p == nil {
		return false, nil
	}
	account := evm.Sender{Address: in.Address}
	had, err := f.balance(token, p, account)
	if err != nil || had == nil || !had.IsZero() {
		return false, err
	}
	var amount *uint256.Int
	for _, sender := range []evm.Sender{Deployer, User1} {
		has, err := f.balance(token, p, sender)
		if err != nil || has == nil {
			return false, err
		}
		if has.Rsh(has, stockShift); amount == nil || has.Lt(amount) {
			amount = has
		}
	}
	if amount.IsZero() {
		return false, nil
	}
	var values []reflect.Value
	for _, input := range m.Inputs {
		if input.Type.T == abi.AddressTy {
			values = append(values, reflect.ValueOf(token.Address))
		} else {
			values = append(values, reflect.ValueOf(amount.ToBig()))
		}
	}
	before := f.mark()
	by := func(who evm.Sender, want *uint256.Int) (bool, error) {
		done, err := f.perform(in, m.Sig, who, nil, values...)
		if err != nil || !done {
			return false, err
		}
		has, err := f.balance(token, p, account)
		return has != nil && has.Eq(want), err
	}
	anyone, err := by(User1, amount)
	f.undo(before)
	if err != nil || anyone {
		return false, err
	}
	done, err := by(Deployer, amount)
	if err != nil || !done {
		f.undo(before)
		return false, err
	}
	once := f.mark()
	again, err := by(Deployer, new(uint256.Int).Lsh(amount, 1))
	if f.undo(once); !again {
		f.undo(before)
	}
	return again, err
}
