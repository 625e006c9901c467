// Package evmtest makes what machines are compared on: deep, mostly valid random
// programs in a random World, mutants of real code, and sequences of calls for
// them.
//
// Everything is a function of a seed, so that a mismatch is a number.
//
//	case.go        Worlds and sequences
//	program.go     programs and their statements, which mind the stack
//	expression.go  what pushes a word
//	assembler.go   labels and pushes
//	mutant.go      real code with small changes
//	random.go      smaller Worlds with simpler code, for the tests of the machines
//	compare.go     two machines on one sequence
package evmtest
