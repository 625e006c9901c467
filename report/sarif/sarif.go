// Package sarif writes the part of SARIF 2.1.0 that GitHub code scanning reads.
//
// What GitHub does with a file, and what this package does about it:
//
//   - Only a result's first location is read, and a result without a location
//     makes it refuse the file. So Result has exactly one, and a caller with a
//     finding that has no source line must say so in a Notification.
//   - An alert shows in a pull request only if every line of its region is an
//     added or edited line there. Regions are one line, with all four fields:
//     without columns the whole line is marked, which counts the same, but the
//     file viewer then shows the wrong extent.
//   - Related locations show only where the message links to them as "[text](1)".
//     They carry an id for that; no other location does.
//   - Two results of one rule on one line are one alert; the second one's text is
//     lost. Callers fold them.
//   - partialFingerprints is read for primaryLocationLineHash alone; when it
//     differs from what GitHub's own uploader computes, alerts close and reopen.
//     LineHashes computes the same.
//   - security-severity is a string, and a number there makes the upload fail. Its
//     presence makes the alert a security alert.
//   - 25,000 results are accepted and 5,000 kept, 1,000 locations and 100 kept,
//     10,000 thread flow locations and 1,000 kept, 20 tags and 10 kept, 10 MB
//     gzipped. GitHub chooses what it drops, without a message. Encode drops the
//     least severe first and adds a notification.
//   - Suppressions, originalUriBaseIds and baselineState are not read, so this
//     package does not write them.
//   - The name of the tool's driver is the key of a ruleset: it must never change.
//
// Output is deterministic: structs in order, maps with sorted keys.
package sarif

import (
	"bytes"
	"encoding/json"
)

// Levels of results and notifications.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note"
)

// schemaURI names the OASIS schema of the version written.
const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Log is a SARIF file.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []*Run `json:"runs"`
}

// Run holds the results of one run of one tool.
type Run struct {
	Tool              Tool              `json:"tool"`
	AutomationDetails AutomationDetails `json:"automationDetails"`
	Invocations       []Invocation      `json:"invocations"` // exactly one
	ColumnKind        string            `json:"columnKind"`  // utf16CodeUnits: how columns count
	Results           []Result          `json:"results"`
}

// Tool holds the driver; extensions are not used.
type Tool struct {
	Driver Driver `json:"driver"`
}

// Driver describes the tool and the rules its results refer to.
type Driver struct {
	Name           string `json:"name"` // never changes
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri,omitempty"`
	Rules          []Rule `json:"rules"`
}

// Rule is a class of results.
type Rule struct {
	ID                   string         `json:"id"`
	Name                 string         `json:"name"`             // at most MaxName characters
	ShortDescription     Text           `json:"shortDescription"` // at most MaxDescription characters
	FullDescription      Text           `json:"fullDescription"`  // at most MaxDescription characters
	Help                 Help           `json:"help"`
	HelpURI              string         `json:"helpUri,omitempty"` // https
	DefaultConfiguration Configuration  `json:"defaultConfiguration"`
	Properties           RuleProperties `json:"properties"`
}

// Text is a message in plain text. In a result's message "[text](1)" links to
// the related location with the id 1.
type Text struct {
	Text string `json:"text"`
}

// Help is a rule's documentation; GitHub shows the markdown.
type Help struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

// Configuration holds a rule's default level.
type Configuration struct {
	Level string `json:"level"`
}

// RuleProperties are the properties that GitHub sorts and filters alerts by.
type RuleProperties struct {
	Tags             []string `json:"tags,omitempty"`              // at most MaxTags
	Precision        string   `json:"precision,omitempty"`         // "very-high", "high", "medium", "low"
	ProblemSeverity  string   `json:"problem.severity,omitempty"`  // "error", "warning", "recommendation"
	SecuritySeverity string   `json:"security-severity,omitempty"` // "0.1" to "10.0"; its presence makes a security alert
}

// AutomationDetails names the series of runs that this one belongs to.
type AutomationDetails struct {
	ID string `json:"id"` // "category/run"
}

// Invocation says how the run went.
type Invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []Notification `json:"toolExecutionNotifications,omitempty"`
}

// Notification is a message about the run, not about the code.
type Notification struct {
	Level   string `json:"level"`
	Message Text   `json:"message"`
}

// Result is an alert.
type Result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"` // in Driver.Rules
	Level               string            `json:"level"`
	Message             Text              `json:"message"`   // its first sentence shows where space is short
	Locations           []Location        `json:"locations"` // exactly one
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	CodeFlows           []CodeFlow        `json:"codeFlows,omitempty"`
	RelatedLocations    []Location        `json:"relatedLocations,omitempty"`
}

// Location is a region of a file.
type Location struct {
	ID       int              `json:"id,omitempty"` // of a related location, from 1
	Physical PhysicalLocation `json:"physicalLocation"`
	Message  *Text            `json:"message,omitempty"`
}

// PhysicalLocation is a file and a region of it.
type PhysicalLocation struct {
	Artifact ArtifactLocation `json:"artifactLocation"`
	Region   Region           `json:"region"`
}

// ArtifactLocation is a file by its URI relative to the repository's root.
type ArtifactLocation struct {
	URI string `json:"uri"` // escaped, see FileURI
}

// Region is an extent of text; lines and columns count from 1, columns in UTF-16
// units, the end column is one past the last.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

// CodeFlow is an execution that leads to the result.
type CodeFlow struct {
	ThreadFlows []ThreadFlow `json:"threadFlows"` // exactly one
}

// ThreadFlow is a series of steps.
type ThreadFlow struct {
	Locations []ThreadFlowLocation `json:"locations"`
}

// ThreadFlowLocation is one step.
type ThreadFlowLocation struct {
	Location Location `json:"location"`
}

// New is a log with one run of the named tool, with no results.
func New(driver Driver, automationID string) *Log {
	return &Log{Schema: schemaURI, Version: "2.1.0", Runs: []*Run{{
		Tool:              Tool{driver},
		AutomationDetails: AutomationDetails{automationID},
		Invocations:       []Invocation{{ExecutionSuccessful: true}},
		ColumnKind:        "utf16CodeUnits",
		Results:           []Result{},
	}}}
}

// Notify adds a notification to the run.
func (r *Run) Notify(level, text string) {
	inv := &r.Invocations[0]
	inv.Notifications = append(inv.Notifications, Notification{level, Text{text}})
}

// Flow is a code flow of the given steps.
func Flow(steps ...Location) CodeFlow {
	flow := ThreadFlow{Locations: make([]ThreadFlowLocation, len(steps))}
	for i, step := range steps {
		flow.Locations[i].Location = step
	}
	return CodeFlow{[]ThreadFlow{flow}}
}

// encode writes the log as indented JSON.
func encode(log *Log) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
