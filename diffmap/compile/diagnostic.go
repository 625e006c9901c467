package compile

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// diagnostic is an element of the output's "errors", which holds warnings too.
type diagnostic struct {
	Severity         string `json:"severity"`
	Type             string `json:"type"`
	Message          string `json:"message"`
	FormattedMessage string `json:"formattedMessage"`
	SourceLocation   *struct {
		File  string `json:"file"`
		Start int    `json:"start"`
	} `json:"sourceLocation"`
}

// shownErrors is how many compiler errors a message quotes; the first ones are
// mostly the cause of the others.
const shownErrors = 5

// maxErrorText bounds one quoted error; 1,000 bytes hold solc's excerpt of the
// source. Arbitrary.
const maxErrorText = 1000

// compileErrors is the error of an output whose diagnostics hold errors.
func compileErrors(diagnostics []diagnostic) error {
	var texts []string
	count := 0
	for _, d := range diagnostics {
		if d.Severity != "error" {
			continue
		}
		count++
		if count <= shownErrors {
			texts = append(texts, d.text())
		}
	}
	if count == 0 {
		return nil
	}
	if more := count - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	said := strings.Join(texts, "\n")
	return &reading.Error{Kind: solc.ErrCompile, Places: reading.PlacesIn(said), Problem: "the sources do not compile:\n  " + strings.ReplaceAll(said, "\n", "\n  ")}
}

// text is the compiler's own rendering, which has file, line and excerpt.
func (d diagnostic) text() string {
	text := strings.TrimSpace(d.FormattedMessage)
	if text == "" {
		text = strings.TrimSpace(d.Type + ": " + d.Message)
		if d.SourceLocation != nil && d.SourceLocation.File != "" {
			text = d.SourceLocation.File + ": " + text
		}
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}
