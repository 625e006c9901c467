//go:build !linux

package child

// Orphans does nothing here: only Linux hands orphans to a program.
func Orphans() (end func()) { return func() {} }
