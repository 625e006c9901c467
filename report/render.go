package report

import "bytes"

// Names of the files that [Render] makes.
const (
	JSONFile    = "report.json"
	SARIFFile   = "sightline.sarif"
	CommentFile = "comment.md"
	SummaryFile = "summary.md"
	HTMLFile    = "report.html"
	LCOVFile    = "lcov.info"
)

// Render makes report.json, sightline.sarif, comment.md, summary.md, report.html and lcov.info, by name.
func Render(r *Report, o Options) (map[string][]byte, error) {
	if o.OmitTimes {
		r = normalize(r)
		dropTimes(r)
	}
	var data bytes.Buffer
	if err := WriteJSON(&data, r, o.OmitTimes); err != nil {
		return nil, err
	}
	alerts, err := SARIF(r, o)
	if err != nil {
		return nil, err
	}
	shown, err := HTML(r, o)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		JSONFile: data.Bytes(), SARIFFile: alerts, CommentFile: Comment(r, o), SummaryFile: Summary(r, o), HTMLFile: shown,
		LCOVFile: LCOV(r),
	}, nil
}
