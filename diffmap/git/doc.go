// Package git asks git what changed in a working tree: the diff with a base, of which the
// merge base with the default branch is the default, and that inside of submodules.
package git
