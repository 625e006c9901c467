// Package layering holds the rules of the whole repository that no compiler and no
// linter holds: which package may import which, and a few of its style. It has
// only tests.
package layering
