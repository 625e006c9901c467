// Package replay owns everything that is run again: the files that a run leaves for that
// (the snapshot of its World, reproducers, faults, upgrades, and the bundle of them all),
// running them on go-ethereum, judging what they claim, and showing what they do. It
// knows nothing of the project: a snapshot has the lines and names that it shows.
package replay
