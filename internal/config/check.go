package config

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// check rejects invalid values before anything is read or compiled, those of every group at
// once.
func (s *Settings) check() error {
	var build, campaign, output error
	if v := s.options.Change.Verify; s.has("verify-build") && !slices.Contains(change.Verifications, v) {
		build = exit.BadInput("--verify-build %q: want required, if-possible or never", v)
	}
	if s.has("timeout") {
		campaign = s.checkCampaign()
	}
	if s.has("fail-on") {
		output = s.checkOutput()
	}
	return errors.Join(build, campaign, output)
}

// checkCampaign checks the flags of a campaign.
func (s *Settings) checkCampaign() error {
	c, w := &s.options.Campaign, &s.options.World
	if !(s.timeout >= 0 && s.timeout <= maxTimeout) { // NaN fails, too
		return exit.BadInput("--timeout %v: want seconds, from 0 to %d (30 days)", float64(s.timeout), maxTimeout)
	}
	if s.timeout == 0 && c.Calls == 0 {
		return exit.BadInput("--timeout 0 without --test-limit: the campaign would never end")
	}
	if c.Workers < 1 || c.Workers > maxWorkers {
		return exit.BadInput("--workers %d: want 1 to %d", c.Workers, maxWorkers)
	}
	if s.seqLen < 1 || s.seqLen > maxSeqLen {
		return exit.BadInput("--seq-len %d: want 1 to %d", s.seqLen, maxSeqLen)
	}
	if _, err := parseShare(s.afterReached); s.afterReached != "" && err != nil {
		return s.setAt("after-reached", exit.BadInput("--after-reached %q: want a share of the budget, such as 25%% or 0.25", s.afterReached))
	}
	if _, err := fuzzer.ScheduleNamed(c.Schedule); err != nil {
		return exit.BadInput("--schedule: %w", err)
	}
	if _, err := fuzzer.TechniquesNamed(c.Without); err != nil {
		return exit.BadInput("--without: %w", err)
	}
	if _, err := oracle.Choose(c.Oracles); err != nil {
		return exit.BadInput("--oracles: %w", err)
	}
	if _, err := oracle.PanicCodes(c.Panics); err != nil {
		return exit.BadInput("--panics: %w", err)
	}
	if w.RPC != "" {
		if err := chain.CheckURL(w.RPC); err != nil {
			return exit.BadInput("--rpc: %w", err)
		}
	}
	if w.RPC != "" && s.options.Change.Offline {
		return exit.BadInput("--offline and --rpc are mutually exclusive: a live chain is read through the network")
	}
	if w.Block != 0 && w.RPC == "" {
		return exit.BadInput("--block %d without --rpc: there is no chain to fork", w.Block)
	}
	if w.Fork != "" && !slices.Contains(evm.Forks(), w.Fork) {
		return exit.BadInput("--evm-version %q: want one of %s", w.Fork, strings.Join(evm.Forks(), ", "))
	}
	return s.checkExchange()
}

// FailLevels are the values that --fail-on accepts.
var FailLevels = []string{"none", "low", "medium", "high", "critical"}

// parseShare reads "50%" or "0.5" as a number from 0 to 1.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err == nil && !(share >= 0 && share <= 1) { // NaN, too
		err = strconv.ErrRange
	}
	return share, err
}

// checkSelfCheck rejects invalid values; "true" and "false" are what a key of a configuration or an input has.
func (s *Settings) checkSelfCheck() error {
	switch s.selfCheck {
	case "true":
		s.selfCheck = selfCheckOracles
	case "false":
		s.selfCheck = selfCheckOff
	case selfCheckOff, selfCheckOracles, selfCheckTests:
	default:
		return s.setAt("self-check", exit.BadInput("--self-check %q: want oracles, tests or off", s.selfCheck))
	}
	if n := s.options.SelfCheck.Mutants; n < 1 || n > maxMutants {
		return s.setAt("self-check-mutants", exit.BadInput("--self-check-mutants %d: want 1 to %d", n, maxMutants))
	}
	if t := s.mutantTimeout; !(t > 0 && t <= maxTimeout) { // NaN, too
		return s.setAt("self-check-timeout", exit.BadInput("--self-check-timeout %g: want a number of seconds above 0", float64(t)))
	}
	return nil
}

// checkOutput rejects invalid values, and creates the output folder.
func (s *Settings) checkOutput() error {
	o, g := &s.options.Output, &s.options.Gate
	if !slices.Contains(FailLevels, g.FailOn) {
		return exit.BadInput("--fail-on %q: want none, low, medium, high or critical", g.FailOn)
	}
	if !slices.Contains([]string{DiscloseFull, DiscloseIntroduced}, s.disclosure) {
		return exit.BadInput("--disclosure %q: want full or introduced", s.disclosure)
	}
	if s.options.Change.Audit && s.disclosure == DiscloseIntroduced {
		return exit.BadInput("--disclosure introduced cannot be combined with --audit: without a base, nothing is introduced")
	}
	if err := s.checkSelfCheck(); err != nil {
		return err
	}
	share, err := parseShare(s.minReached)
	if err != nil {
		return s.setAt("min-reached", exit.BadInput("--min-reached %q: want a share of the changed lines, such as 50%% or 0.5", s.minReached))
	}
	if s.minReached != DefaultMinReached {
		g.MinReached = &share
	}
	if err := report.CheckGate(g.Condition); err != nil {
		return s.setAt("gate", exit.BadInput("--gate %q: %w; it may use new_findings(SEVERITY), findings(SEVERITY), reached, reached_lines, lines, only_reverts, unreached, unreachable, undeployed, unmapped, not_fuzzed, partly, unread and calls", g.Condition, err))
	}
	if s.onlyLookedAt {
		return nil
	}
	if o.Bundle != "" {
		folder, err := files.OpenFolder(filepath.Dir(o.Bundle), true)
		if err != nil {
			return exit.BadInput("--bundle %s: its folder cannot be created: %v; name another file", o.Bundle, files.Plain(err))
		}
		folder.Close()
	}
	if o.Dir == "" {
		return exit.BadInput("--out is empty: name a folder")
	}
	folder, err := files.OpenFolder(o.Dir, true)
	if err != nil {
		return exit.BadInput("--out %s cannot be created: %v; choose a writable folder", o.Dir, files.Plain(err))
	}
	defer folder.Close()
	if err := atomicfile.WriteIn(folder, probe, nil); err != nil {
		return exit.BadInput("--out %s cannot be written: %v; choose a writable folder", o.Dir, files.Plain(err))
	}
	return folder.Remove(probe)
}

// probe is a file that is written to find out whether a folder can be written.
const probe = ".sightline-probe"

// setAt adds to an error the place where the configuration sets a key, if it does.
func (s *Settings) setAt(key string, err error) error {
	if place, ok := s.places[key]; ok && place.Line > 0 {
		return exit.At(err, place)
	}
	return err
}
