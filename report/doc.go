// Package report is the model of report.json, and everything that follows from it alone:
// the verdict, and its rendering as SARIF, comment, summary, annotations and text.
//
// Renderers, each from the whole report:
//
//	render.go       the files of a run
//	terminal.go     the end of a run at a terminal
//	sarif.go        code scanning alerts
//	annotations.go  annotations of lines
//	html.go         the data of report.html
//	html_parts.go   its findings, lines and what the change does
//	summary.go      the job's summary, in Markdown
//	issue.go        an issue of the default branch
//	comment.go      the comment of a pull request
//	markdown.go     what comment, summary and issue share
//	survey.go       what a change would leave unfuzzed, without a campaign
//	json.go         report.json, written and read
//	version1.go     report.json of version 1
//	deprecated.go   fields of report.json under earlier names
//	screen.go       how much of a comment is seen without unfolding anything
//
// Parts of a report, for all renderers:
//
//	selfcheck.go    planted mistakes
//	behavior.go     what the change does
//	permission.go   who can write what
//	diagram.go      calls as a sequence diagram
//	trouble.go      why a run ended in an error
//	reproduce.go    commands and tests that show a finding again
//	exchange.go     what was exchanged with other campaigns
//
// What the report comes to:
//
//	verdict.go      pass, fail, skipped or error, and why
//	missing.go      what was not looked at
//	explain.go      why a line was not reached
//	tests.go        what the project's own tests reach
//	harness.go      contracts that Sightline wrote
//	shards.go       the machines that fuzzed
//	audit.go        a project without a change
//	starved.go      a campaign that ran too little
//	gate.go         gates that are conditions
//	clash.go        storage layouts that clash, and how they are shown
//	withhold.go     what a public report does not say
//	answer.go       what is asked after a sequence
//	gating.go       which findings fail a gate
//
// What they are made with:
//
//	writer.go       a page of Markdown that fits into bounds
//	console.go      lines of a terminal
//	sarif_parts.go  places and levels of SARIF
//	html_clean.go   text for report.html
//	options.go      what is not in the report: links, names of files
//	alike.go        findings that are the same to people
//	text.go         findings and calls in words
//	waiver.go       findings that are accepted
//	allow.go        functions that everyone may call
//	tally.go        lines by status, and rows of lines
//	escape.go       strangers' text in Markdown
//	model.go        the model of report.json
package report
