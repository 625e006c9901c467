// Package page has the page that shows a report in a browser: one file that needs no network. What it
// shows is JSON in it, which a script renders as text and attributes alone; a policy in the page lets no
// other script run, and nothing be loaded or sent.
//
// The script and the style are bundled from src, with the packages of package-lock.json that ./test
// installs. After a change there, run go generate.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the bundle
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
)

//go:generate go test -run ^TestBundle$ -update .

var (
	//go:embed page.js
	script string
	//go:embed page.css
	style string
)

// Text is what the page says where its script cannot run.
type Text struct {
	Title   string // of the window, too
	Details []string
}

// Render makes the page. The data is whatever the script in src expects; its strings, and those of the text,
// may be anyone's.
func Render(t Text, data any) ([]byte, error) {
	// json escapes "<", ">" and "&", so that nothing in a string ends the element or begins a comment, and
	// U+2028 and U+2029.
	var encoded bytes.Buffer
	if err := json.NewEncoder(&encoded).Encode(data); err != nil {
		return nil, fmt.Errorf("the page's data: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<div id="page"><main><h1>%s</h1>
`, Policy(), html.EscapeString(t.Title), style, html.EscapeString(t.Title))
	for _, detail := range t.Details {
		fmt.Fprintf(&out, "<p>%s</p>\n", html.EscapeString(detail))
	}
	fmt.Fprintf(&out, `<noscript><p>The rest of this page needs JavaScript. summary.md, next to it, has the same as text, and report.json all of it.</p></noscript>
</main></div>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`, bytes.TrimSpace(encoded.Bytes()), script)
	return out.Bytes(), nil
}

// Policy is the page's content security policy: its own script and style, by their hashes, and nothing else.
// Scripts cannot make markup of text either.
func Policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		hash(script), hash(style))
}

// hash is the source expression of an inline script or style.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
