// Command sightline-hub is the server of the live exchange: through it, campaigns on many machines that fuzz the same change hand
// each other what shows something new. `sightline-hub --help` describes it; docs/scale.md says when it is of use.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
