// Command sightline fuzzes what a pull request changed in an Ethereum contract
// project. `sightline --help` lists its commands; README.md and docs/ describe them.
package main

import (
	"os"

	"github.com/sightline-evm/sightline/internal/heap"
)

func main() {
	heap.LeaveRoom()
	os.Exit(newProgram(os.Stdin, os.Stdout, os.Stderr).main(os.Args[1:]))
}
