// Package interp is the machine that campaigns run on: our own interpreter, built for
// fuzzing. It yields the same executions as package gethvm, which it has no code for
// the state in common with.
package interp
