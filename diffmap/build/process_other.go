//go:build !unix

package build

import "os/exec"

// group does nothing where there are no process groups: cancelling kills the
// child itself.
func group(*exec.Cmd) {}

// demote does nothing where there are no user ids.
func demote(*exec.Cmd, []string) bool { return false }

// becomeOwner does nothing where there are no user ids.
func becomeOwner(*exec.Cmd, string, string, bool) (bool, error) { return false, nil }
