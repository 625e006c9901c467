// Package workflows holds the workflows that users paste, and that `sightline init` writes.
package workflows

import _ "embed"

// The workflows by the kind of project, as they are published.
var (
	//go:embed foundry.yml
	Foundry string
	//go:embed hardhat.yml
	Hardhat string
	//go:embed pull-request.yml
	Plain string // sources that solc alone can compile
)
