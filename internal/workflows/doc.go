// Package workflows contains only tests: of this repository's workflows, and of
// those in docs/workflows and of sightline init.
package workflows
