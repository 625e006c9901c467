// Package long is for tests that are long by nature: of many seeds or of many fixtures they
// take a fixed sample, and all where long tests are asked for, as before a release.
package long

import "os"

// Variable is the environment variable that asks for all: ./test --long sets it to 1.
const Variable = "SIGHTLINE_TEST_LONG"

// Asked reports whether long tests are asked for.
func Asked() bool { return os.Getenv(Variable) == "1" }

// Pick is how many a test tries, of seeds say: few, or all where long tests are asked for.
func Pick[N int | uint64](few, all N) N {
	if Asked() {
		return all
	}
	return few
}

// Sample is every n-th of a list from the first on, or all of it where long tests are asked for.
func Sample[T any](all []T, n int) []T {
	if Asked() {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
