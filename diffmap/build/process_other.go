//go:build !unix

package build

import "os/exec"

// isolate does nothing where there are no process groups: cancelling kills the
// child itself.
func isolate(*exec.Cmd, []string) {}
