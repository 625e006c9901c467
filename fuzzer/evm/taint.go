package evm

import "slices"

// Source is a set of places that a traced value comes from, a bit each.
type Source uint32

// The sources.
const (
	// FromCalldata: what the transaction's sender passed. Calldata of an inner frame, and
	// return data, come from what the memory that it was copied from came from.
	FromCalldata   Source = 1 << iota
	FromCaller            // CALLER, where that is the transaction's sender
	FromOrigin            // ORIGIN
	FromTimestamp         // TIMESTAMP
	FromNumber            // NUMBER
	FromOtherBlock        // COINBASE, PREVRANDAO, BLOCKHASH and whatever else a block says of itself
	FromFee               // GASPRICE, BASEFEE and BLOBBASEFEE
	FromBalance           // BALANCE and SELFBALANCE
	FromOwnBalance        // likewise, of the account that the frame acts on
	FromCallValue         // CALLVALUE of the outermost frame; an inner frame's comes from its caller's operand
	FromReturnData        // what a call returned
	FromGas               // GAS and MSIZE: how much was used so far
	FromCode              // EXTCODESIZE, EXTCODEHASH, EXTCODECOPY
	FromStorage           // SLOAD; a word that the sequence wrote before comes from there as well
	Hashed                // it went through a hash
)

// LabelKind is the kind of event that a label names.
type LabelKind uint8

// The kinds of labels.
const (
	OfSuccess LabelKind = iota // whether a call succeeded, or what a CREATE returned; index in Trace.Calls
	OfAnswer                   // the first 32 bytes of a call's return data; likewise
	OfOutput                   // the bytes behind them; likewise
	OfWrapped                  // the result of an operation; index in Trace.Wraps
)

// Label says that a value was computed from what a recorded event yielded.
type Label struct {
	Kind  LabelKind
	Event int32
}

// Taint says where a value comes from. It follows data: what a branch decided leaves no
// taint on what is computed behind it.
type Taint struct {
	Sources Source
	// Via are sources that decided which word was read: those of a mapping's key, say, or
	// of an offset in memory.
	Via    Source
	Labels []Label // in order, not to be changed
}

// Has reports whether the value comes from all of these sources.
func (t Taint) Has(s Source) bool { return t.Sources&s == s }

// Any reports whether the value comes from one of these sources.
func (t Taint) Any(s Source) bool { return t.Sources&s != 0 }

// Depends reports whether the value comes from one of these sources, or from a place that
// one of them decided.
func (t Taint) Depends(s Source) bool { return (t.Sources|t.Via)&s != 0 }

// Carries reports whether the value was computed from what an event yielded.
func (t Taint) Carries(kind LabelKind, event int) bool {
	return slices.Contains(t.Labels, Label{kind, int32(event)})
}

// Clean reports whether the value comes from nothing but the code.
func (t Taint) Clean() bool { return t.Sources|t.Via == 0 && len(t.Labels) == 0 }
