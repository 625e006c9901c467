package evm

// Options are what the options of a machine ask for. The type is exported for the
// packages of the machines; others pass an [Option].
type Options struct {
	LiftCodeSize bool // see LiftCodeSizeLimits
	Blind        bool // see WithoutFeedback
	Trace        bool // see WithTrace
}

// Option changes how a machine is made.
type Option func(*Options)

// LiftCodeSizeLimits lets contracts and creation code be longer than EIP-170 and
// EIP-3860 allow, as forge does in tests. Without it, code that a debug build made longer
// than those is bounded by the size that it has where it ships, see
// [bytecode.Code.Released].
func LiftCodeSizeLimits(o *Options) { o.LiftCodeSize = true }

// WithoutFeedback makes an interp.Interpreter record how calls end, and nothing of the way
// there: no paths, comparisons, accesses or logs. No campaign can use it; it tells what
// recording costs.
func WithoutFeedback(o *Options) { o.Blind = true }

// WithTrace makes a gethvm.Reference follow where values come from and go to, and fill
// [Execution.Trace]. Such a machine runs every call of a sequence anew and takes several
// times as long; it is for the few executions that oracles look at closely. An
// interp.Interpreter takes no notice.
func WithTrace(o *Options) { o.Trace = true }
