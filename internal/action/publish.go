package action

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// publish publishes a report on GitHub. No failure here changes the exit code: the
// verdict is about the pull request, not about GitHub.
func (a *action) publish(ctx context.Context, r *report.Report) {
	if a.run == nil {
		// Without the runner's environment, the report cannot be published.
		a.runner.Annotate(github.Annotation{Level: github.LevelError, Title: "Sightline", Message: human.Clean(r.Reason, maxLogLine)})
		a.warn(a.runner.Output("verdict", r.Verdict), "an output")
		return
	}
	a.annotate(r)
	a.outputs(r)
	summary, err := a.file(report.SummaryFile)
	if err == nil {
		err = a.runner.Summary(summary)
	}
	a.warn(err, "the job's summary")
	if errors.Is(ctx.Err(), context.Canceled) {
		return // the runner kills the process within seconds
	}
	if a.step == stepPlan {
		return // the merge comes to the same, and tells people
	}
	limited, stop := context.WithDeadline(ctx, a.deadline)
	defer stop()
	if a.client == nil {
		if a.comment != commentNever || a.upload || a.issue {
			a.notice("Sightline has no token, so it neither comments nor uploads alerts nor opens issues: the report is in the job's summary and the outputs. Set `token: ${{ github.token }}`.")
		}
		return
	}
	a.runner.Group("GitHub")
	defer a.runner.EndGroup()
	denied := a.writeComment(limited, r)
	denied = a.uploadSARIF(limited, r) || denied
	a.writeIssue(limited, r)
	if denied && a.run.Fork {
		a.notice("This pull request comes from a fork, whose workflows may only read: Sightline cannot comment or upload alerts. " +
			"The campaign and its verdict are unaffected; the report is in the job's summary and the outputs.")
	}
}

func (a *action) notice(text string) {
	a.runner.Annotate(github.Annotation{Level: github.LevelNotice, Title: "Sightline", Message: text})
}

// warn annotates what could not be done. GitHub's errors may contain text by others.
func (a *action) warn(err error, what string) {
	if err != nil {
		a.runner.Annotate(github.Annotation{Level: github.LevelWarning, Title: "Sightline", Message: fmt.Sprintf("%s: %s", what, human.Clean(err.Error(), maxLogLine))})
	}
}

// file returns a file of the run, as it was made: others may have changed what is in the output
// folder.
func (a *action) file(name string) ([]byte, error) {
	data, ok := a.files[name]
	if !ok {
		return nil, fmt.Errorf("%s was not made", name)
	}
	return data, nil
}

// outFile returns the path of a file in the output folder, or of the folder itself; empty where
// nothing was written.
func (a *action) outFile(name string) string {
	if a.unwritten {
		return ""
	}
	return filepath.Join(a.settings.Value("out"), name)
}

// annotate shows the verdict and the report's remarks.
func (a *action) annotate(r *report.Report) {
	level := map[string]github.Level{report.Pass: github.LevelNotice, report.Skipped: github.LevelNotice}[r.Verdict]
	switch {
	case level == "":
		level = github.LevelError
	case r.Doubtful():
		level = github.LevelWarning
	}
	a.runner.Annotate(github.Annotation{Level: level, Title: "Sightline: " + r.Verdict, Message: human.Clean(r.Reason, maxLogLine)})
	for _, w := range r.Warnings {
		a.runner.Annotate(github.Annotation{Level: github.LevelWarning, Title: "Sightline", Message: human.Clean(w, maxLogLine)})
	}
	for _, remark := range report.Annotations(r) {
		a.runner.Annotate(github.Annotation{Level: github.Level(remark.Level), Title: remark.Title, Message: remark.Message, File: remark.File, Line: remark.Line, EndLine: remark.EndLine, Column: remark.Column})
	}
}

// outputs sets the outputs that action.yml documents. Paths are relative to the
// checkout, since a container has it at another path than the steps after it.
func (a *action) outputs(r *report.Report) {
	counts := report.CountsOf(r)
	type output struct{ name, value string }
	values := []output{
		{"verdict", r.Verdict},
		{"reason", human.Clean(r.Reason, maxLogLine)},
		{"findings", strconv.Itoa(counts.Findings)},
		{"new-findings", strconv.Itoa(counts.New)},
		{"lines", strconv.Itoa(counts.Lines)},
		{"reached", strconv.Itoa(counts.Reached)},
		{"seed", a.settings.Value("seed")},
		{"out", a.outFile("")},
		{"report", a.outFile(report.JSONFile)},
		{"sarif", a.outFile(report.SARIFFile)},
		{"comment-file", a.outFile(report.CommentFile)},
		{"summary", a.outFile(report.SummaryFile)},
		{"page", a.outFile(report.HTMLFile)},
		{"lcov", a.outFile(report.LCOVFile)},
		{"plan", ""},
	}
	bundle := ""
	if r.BundleSHA256 != "" {
		bundle = a.settings.Value("bundle")
	}
	values = append(values, output{"bundle", bundle}, output{"bundle-sha256", r.BundleSHA256})
	restore, save := a.corpusKeys()
	values = append(values, []output{{"corpus-restore-key", restore}, {"corpus-save-key", save}}...)
	for _, v := range values {
		a.warn(a.runner.Output(v.name, v.value), "an output")
	}
}

// corpusKeys returns the keys of the saved inputs in GitHub's cache: the prefix to
// restore them by, and the key to save them under. The latter is empty if they must
// not be saved: only runs of the default branch may save, since all others read its
// cache, and only plain inputs. The key depends on their content, so that the same
// content is saved once.
func (a *action) corpusKeys() (restore, save string) {
	if a.settings.Value("corpus-dir") == "" {
		return "", ""
	}
	restore = "sightline-corpus:" + cacheKey(a.inRepository(".")) + ":"
	if !a.ofDefaultBranch() {
		return restore, ""
	}
	files, sum, err := (&fuzzer.Corpus{Dir: a.settings.Value("corpus-dir")}).Sum()
	a.warn(err, "the saved inputs cannot be cached")
	if err != nil || files == 0 {
		return restore, ""
	}
	return restore, restore + sum[:32]
}

// ofDefaultBranch reports whether the run is one of the default branch as it is, which a pull
// request has no part in.
func (a *action) ofDefaultBranch() bool {
	switch a.run.Name {
	case github.Push, github.Schedule, github.WorkflowDispatch:
		branch := a.run.Repository.DefaultBranch
		return branch != "" && a.run.Ref == "refs/heads/"+branch
	}
	return false
}

// cacheKey returns text for a key of GitHub's cache, which may contain no commas and
// has at most 512 characters.
func cacheKey(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/-", r)) {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), 400)]
}

// writeComment writes or updates the pull request's comment. It reports whether GitHub denied it.
func (a *action) writeComment(ctx context.Context, r *report.Report) (denied bool) {
	if a.run.Name != github.PullRequest || a.comment == commentNever {
		return false
	}
	body, err := a.file(report.CommentFile)
	if err != nil {
		a.warn(err, "the comment")
		return false
	}
	// An existing comment is always kept up to date.
	// Code that no contract uses is worth a new one, a new version of a dependency is not.
	unused := slices.ContainsFunc(r.Lines, func(l report.Line) bool { return l.Unused })
	silent := r.Verdict == report.Skipped && !unused || a.comment == commentOnFindings && len(r.Findings)+len(r.Clashes) == 0
	address, err := a.client.Comment(ctx, a.run.Event.Number, github.Sticky{Prefix: report.MarkerPrefix, Body: body, Update: silent})
	if address != "" {
		fmt.Fprintf(a.out, "comment %s\n", human.Clean(address, maxLogLine))
	}
	switch {
	case errors.Is(err, github.ErrNewer):
		a.notice(human.Clean(err.Error(), maxLogLine))
		return false
	case err != nil:
		return a.refused(err, "The comment on the pull request was not written")
	}
	return false
}

// uploadSARIF uploads the alerts to code scanning. It reports whether GitHub denied
// it.
func (a *action) uploadSARIF(ctx context.Context, r *report.Report) (denied bool) {
	switch {
	case !a.upload, a.run.Name == github.MergeGroup: // a queue's branch is deleted, and its alerts would never be seen
		return false
	case r.Verdict == report.Error:
		return false // would close alerts although nothing was fuzzed
	}
	sarif, err := a.file(report.SARIFFile)
	if err != nil {
		a.warn(err, "the alerts")
		return false
	}
	sha, ref := a.run.SHA, a.run.Ref
	if a.branchCheckedOut() {
		sha, ref = a.head, fmt.Sprintf("refs/pull/%d/head", a.run.Event.Number)
	}
	if err := a.client.Upload(ctx, github.Upload{SHA: sha, Ref: ref, SARIF: sarif}); err != nil {
		return a.refused(err, "The alerts were not uploaded")
	}
	fmt.Fprintf(a.out, "alerts  uploaded as %s\n", human.Clean(a.category, maxLogLine))
	return false
}

// refused reports that GitHub did not do something. A lack of permissions is a notice,
// and for a fork one notice covers everything; a failure is a warning.
func (a *action) refused(err error, what string) (denied bool) {
	var refusal *github.Refusal
	if errors.Is(err, github.ErrProcessing) {
		a.notice(err.Error())
		return false
	}
	if !errors.As(err, &refusal) || !refusal.Denied() {
		a.warn(err, what)
		return false
	}
	if !a.run.Fork {
		a.notice(strings.TrimSuffix(what, ".") + ": " + human.Clean(err.Error(), maxLogLine))
	}
	return true
}
