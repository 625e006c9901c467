//go:build !unix

package child

import "os/exec"

// Group does nothing where there are no process groups: cancelling kills the
// child itself.
func Group(*exec.Cmd) {}

// demote does nothing where there are no user ids.
func demote(*exec.Cmd, []string) bool { return false }

// BecomeOwner does nothing where there are no user ids.
func BecomeOwner(*exec.Cmd, string, string, bool) (bool, error) { return false, nil }
