// Package workflows holds nothing but tests: of the workflows of this repository
// and of those that docs/workflows offers.
package workflows
