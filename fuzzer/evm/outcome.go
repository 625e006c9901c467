package evm

var outcomeNames = [...]string{
	Success:             "success",
	Reverted:            "reverted",
	OutOfGas:            "out of gas",
	InvalidOpcode:       "invalid opcode",
	InvalidJump:         "invalid jump",
	StackFault:          "stack underflow or overflow",
	StaticViolation:     "state change in a static call",
	DepthExceeded:       "call depth exceeded",
	InsufficientBalance: "insufficient balance",
	CreateFault:         "creation failed",
	OtherFault:          "exceptional halt",
}

func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown outcome"
}
