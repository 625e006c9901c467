//go:build !unix

package child

import "os/exec"

// Group does nothing: without process groups, canceling kills the child itself.
func Group(*exec.Cmd) {}

// demote does nothing: this system has no user IDs.
func demote(*exec.Cmd, []string) bool { return false }

// Unprivileged has no meaning here: this system has no user IDs.
const Unprivileged = -1

// Stranger has no meaning here, either.
const Stranger = -1

// BecomeOwner does nothing: this system has no user IDs.
func BecomeOwner(*exec.Cmd, string, string, bool) (bool, error) { return false, nil }
