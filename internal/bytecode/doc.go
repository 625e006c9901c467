// Package bytecode is the shared leaf of Sightline: compiled contracts, their
// code cut into basic blocks, and the places in it that everything else talks
// about.
//
// The spine of the program is [Location]: a diff becomes a list of [Target]s
// (Locations with the changed [Position] they come from), an execution is a
// [Path] of blocks in a [Program], a finding holds a Location, and only the
// report turns a Location into a file and a line.
//
// The package knows neither compilers nor EVM state and imports nothing of the
// project.
package bytecode
