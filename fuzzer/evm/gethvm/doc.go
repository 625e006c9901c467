// Package gethvm is the reference machine: go-ethereum's interpreter with hooks, on a
// state of our own. Its answer counts wherever package interp's is another.
package gethvm
