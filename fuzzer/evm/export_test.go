package evm

// The bounds of a Checked, for its tests.
const (
	MaxMismatches   = maxMismatches
	VerifyAllowance = verifyAllowance
	VerifyShare     = verifyShare
)
