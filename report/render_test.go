package report

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	r, o := load(t, "fail"), testOptions()
	o.OmitTimes = true
	files, err := Render(r, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(files)), " "); got != "comment.md lcov.info report.html report.json sightline.sarif summary.md" {
		t.Errorf("files: %s", got)
	}
	if !bytes.Equal(files[JSONFile], encodeReport(t, r, true)) {
		t.Error("report.json is not what WriteJSON writes")
	}
	if strings.Contains(string(files[CommentFile]), "92 s") || r.Stats.Seconds == 0 {
		t.Error("times are in the comment, or were taken from the report")
	}
}
