package pipeline

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// This file puts what a condition compared into words.

// operand says what an operand is, and its value.
func (v *view) operand(s *side) *report.Operand {
	return &report.Operand{Is: v.is(s), Value: v.plain(s)}
}

// is says what an operand is; empty: that is not known, or it is a number in the code.
func (v *view) is(s *side) string {
	if call := v.callOf(s); call != nil {
		callee := &v.exec.Frames[call.Callee]
		if callee.CodeAddress == recovers {
			return "the signer"
		}
		if callee.Program != nil {
			return "the answer of " + v.calleeName(callee)
		}
	}
	if a := v.storedIn(s); a != nil && s.taint.Any(evm.FromStorage) {
		return v.variable(a).name
	}
	if a := v.lastRead(); a != nil && s.taint.Any(evm.FromStorage) && !s.taint.Any(evm.FromTimestamp|evm.FromNumber|evm.Hashed) {
		if s.taint.Any(evm.FromCalldata) {
			return "what " + v.variable(a).name + " and an argument make"
		}
		return "what " + v.variable(a).name + " makes"
	}
	for _, known := range []struct {
		source evm.Source
		name   string
	}{
		{evm.Hashed, "a hash"}, {evm.FromStorage | evm.FromTimestamp, "a time that was stored, and a delay"}, {evm.FromStorage | evm.FromNumber, "a block that was stored, and a delay"}, {evm.FromTimestamp, "block.timestamp"}, {evm.FromNumber, "block.number"}, {evm.FromCallValue, "msg.value"},
		{evm.FromOwnBalance, "its ether"}, {evm.FromBalance, "ether"}, {evm.FromGas, "gasleft()"}, {evm.FromCode, "the size of code"},
		{evm.FromStorage, "from storage"}, {evm.FromCaller, "msg.sender"}, {evm.FromOrigin, "tx.origin"}, {evm.FromCalldata, "an argument"},
	} {
		if s.taint.Has(known.source) {
			return known.name
		}
	}
	if s.known && s.taint.Clean() && v.isChainID(s) {
		return "block.chainid"
	}
	if s.known && s.taint.Clean() && s.value.BitLen() > fewBits && s.value.BitLen() <= addressBits {
		return strings.TrimPrefix(v.whence(s), ", ")
	}
	return ""
}

// plain is an operand's value in words.
func (v *view) plain(s *side) string {
	both := s.taint.Sources | s.other.taint.Sources
	signed := v.comparison.Op == byte(vm.SLT) || v.comparison.Op == byte(vm.SGT)
	switch {
	case isFlag(v.comparison) && v.comparison.Op == byte(vm.ISZERO) && s.value.LtUint64(2):
		return fmt.Sprint(!s.value.IsZero())
	case both&evm.FromTimestamp != 0:
		return v.timeText(s, report.WantsTime)
	case both&(evm.FromCallValue|evm.FromBalance) != 0:
		return input.Ether(&s.value)
	case v.comparesAccounts():
		return v.shortAddress(s.value.Bytes20())
	}
	return v.wordText(&s.value, signed)
}

// comparesAccounts reports whether the operands are accounts: one is msg.sender, or large.
func (v *view) comparesAccounts() bool {
	bits := max(v.left.value.BitLen(), v.right.value.BitLen())
	callers := v.either(func(s *side) bool { return s.taint.Sources == evm.FromCaller || s.taint.Sources == evm.FromOrigin }) != nil
	return v.comparison.Op == byte(vm.EQ) && bits <= addressBits && (bits > fewBits || callers)
}

// timeText is a time or a block's number in words.
func (v *view) timeText(s *side, kind string) string {
	const earliest, latest = 1e8, 1e12 // seconds: below are durations; beyond, no calendar helps
	if x := s.value; kind == report.WantsTime && x.IsUint64() && x.Uint64() > earliest && x.Uint64() < latest {
		return fmt.Sprintf("%d (%s)", x.Uint64(), time.Unix(int64(x.Uint64()), 0).UTC().Format("2006-01-02 15:04"))
	}
	return s.value.Dec()
}

// distance is how far apart the operands are, in words; empty where that says nothing.
func (v *view) distance() string {
	if isFlag(v.comparison) || v.left.value == v.right.value && v.relation != "<" && v.relation != ">" {
		return ""
	}
	signed := v.comparison.Op == byte(vm.SLT) || v.comparison.Op == byte(vm.SGT)
	number := func(s *side) *big.Int {
		if signed && s.value.Sign() < 0 {
			return new(big.Int).Neg(new(uint256.Int).Neg(&s.value).ToBig())
		}
		return s.value.ToBig()
	}
	gap := new(big.Int).Sub(number(&v.right), number(&v.left))
	if gap.Sign() < 0 {
		gap.Neg(gap)
	}
	if v.relation == "<" || v.relation == ">" {
		gap.Add(gap, big.NewInt(1))
	}
	sources := v.left.taint.Sources | v.right.taint.Sources
	if sources&evm.FromCode != 0 || v.relation == "!=" || v.relation == "==" && sources&(evm.FromTimestamp|evm.FromNumber|evm.FromCallValue|evm.FromBalance) == 0 {
		return "" // of addresses, hashes, modes
	}
	amount, overflow := uint256.FromBig(gap)
	if overflow {
		return ""
	}
	switch {
	case sources&evm.FromTimestamp != 0 && amount.IsUint64():
		return duration(amount.Uint64()) + " short"
	case sources&evm.FromNumber != 0 && amount.IsUint64():
		return amount.Dec() + " blocks short"
	case sources&(evm.FromCallValue|evm.FromBalance) != 0:
		return input.Ether(amount) + " short"
	}
	return v.wordText(amount, false) + " short"
}

// duration is a time span in words: "3 days".
func duration(seconds uint64) string {
	for _, unit := range []struct {
		name    string
		seconds uint64
	}{{"year", 365 * 86400}, {"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		if n := seconds / unit.seconds; n >= 2 || n == 1 && seconds%unit.seconds == 0 {
			return human.Plural(int(n), unit.name)
		}
	}
	return human.Plural(int(seconds), "second")
}
