//go:build !unix

package gitrepo

import (
	"os"
	"os/exec"
)

// owner has no use: this system has no user IDs.
type owner struct{}

func ownerOf(string) (*owner, error) { return nil, nil }

func (*owner) become(*exec.Cmd) {}

func group(*exec.Cmd) {}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func temporary(*owner) (string, error) { return os.MkdirTemp("", "sightline-git-") }
