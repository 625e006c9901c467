// Package secrets keeps the workflow's tokens from the programs that a run starts: those of a
// pull request's project run as another user where that can be, and else as ours.
package secrets

import (
	"errors"
	"os"
	"slices"
)

// variables hold what GitHub's runner gives a step and what no other program may have: the
// workflow's token, the runner's own ones, and an endpoint's address, which may hold a key. An
// input's name has underscores where the native action passes it.
var variables = []string{
	"INPUT_TOKEN", "INPUT_RPC", "GITHUB_TOKEN", "GH_TOKEN",
	"SIGHTLINE_EXCHANGE_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL",
}

// Take takes the secrets out of the environment, and keeps other processes of our user from
// reading our memory. It returns a function like [os.Getenv] that still knows them.
//
// What Go does when a variable is unset changes its own copy of the environment. The one that
// the system shows in /proc/PID/environ is overwritten, so that root cannot read it either.
// An error says which of this could not be done; the function works all the same.
func Take() (getenv func(string) string, err error) {
	taken := map[string]string{}
	for _, name := range variables {
		if value, ok := os.LookupEnv(name); ok {
			taken[name] = value
			err = errors.Join(err, os.Unsetenv(name))
		}
	}
	err = errors.Join(err, overwrite(taken), conceal())
	return func(name string) string {
		if value, ok := taken[name]; ok {
			return value
		}
		if slices.Contains(variables, name) {
			return ""
		}
		return os.Getenv(name)
	}, err
}
