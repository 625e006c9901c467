package report

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// allowable are the oracles whose findings a [Waiver] of a permission accepts: they say who can call a
// function. What the call does to the assets of others is said by other oracles, and is not accepted by it.
var allowable = []string{"permission-widened", "guard-lost"}

// byAnyone ends a permission. No other account can be named: that needs no waiver, since the oracles look at
// accounts that nothing was given to.
const byAnyone = " by anyone"

// allowedFunction is what comes before it: a contract, maybe with its source, and a function, maybe with its
// parameters.
var allowedFunction = regexp.MustCompile(`^([^()\s]+)\.([A-Za-z_$][A-Za-z0-9_$]*)(\(\S*\))?$`)

// permission is what a waiver allows everyone.
type permission struct{ contract, function, parameters string }

func parsePermission(text string) (permission, error) {
	what, ok := strings.CutSuffix(text, byAnyone)
	m := allowedFunction.FindStringSubmatch(strings.TrimSpace(what))
	switch {
	case !ok:
		return permission{}, fmt.Errorf("allow is %q; want a function and `by anyone`, such as Vault.harvest by anyone", human.Clean(text, maxName))
	case m == nil:
		return permission{}, fmt.Errorf("allow is %q; want the contract and the function before `by anyone`, such as Vault.harvest or src/Vault.sol:Vault.harvest(uint256)", human.Clean(text, maxName))
	}
	return permission{m[1], m[2], m[3]}, nil
}

// checkPermission returns an error if a waiver of a permission says anything of a finding.
func (w *Waiver) checkPermission() error {
	if w.ID != "" || w.Fingerprint != "" || w.Contract != "" {
		return errors.New("it has allow as well as id, fingerprint or contract: allow is enough, or make two waivers of it")
	}
	_, err := parsePermission(w.Allow)
	return err
}

// allows reports whether a permission is that of a finding. Where strangers write the code, it has to name
// the contract's source and the parameters: another function can be written that has the names.
func (w *Waiver) allows(r *Report, f *Finding, strangers bool) bool {
	allowed, err := parsePermission(w.Allow)
	of := f.calls()
	if err != nil || !slices.Contains(allowable, f.Oracle) || allowed.function != of.function ||
		allowed.contract != of.contract && allowed.contract != of.contract[strings.LastIndexByte(of.contract, ':')+1:] ||
		allowed.parameters != "" && allowed.parameters != of.parameters {
		return false
	}
	if strangers && allowed != of {
		text := fmt.Sprintf("the waiver `allow: %s` has no source of the contract or no parameters, and other code can be written to have these names, so it is not applied; if it is meant, write: allow: %s.%s%s%s",
			human.Clean(w.Allow, maxName), of.contract, of.function, of.parameters, byAnyone)
		if !slices.Contains(r.Warnings, text) {
			r.Warnings = append(r.Warnings, text)
		}
		return false
	}
	return true
}

// calls is the function that the last call of a finding's sequence calls; zero, which no waiver names, where it calls none.
func (f *Finding) calls() permission {
	m := allowedFunction.FindStringSubmatch(f.Called)
	if m == nil {
		return permission{}
	}
	return permission{m[1], m[2], m[3]}
}

// name is the waiver for people.
func (w *Waiver) name() string {
	if w.Allow != "" {
		return w.Allow
	}
	return w.ID
}

// UnusedPermissions calls do for those of the waivers that hold and accept no finding, each with the
// contract and the function that it names.
func (r *Report) UnusedPermissions(do func(w *Waiver, contract, function string)) {
	for i := range r.Waivers {
		w := &r.Waivers[i]
		used := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Waived != nil && f.Waived.Allow == w.Allow })
		if allowed, err := parsePermission(w.Allow); err == nil && !w.Expired && !used {
			do(w, allowed.contract, allowed.function+allowed.parameters)
		}
	}
}
