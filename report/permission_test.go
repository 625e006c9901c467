package report

import (
	"fmt"
	"strings"
	"testing"
)

// permissionRows are rows of all kinds.
func permissionRows() []Permission {
	return []Permission{
		{Contract: "src/V.sol:Vault", Variable: "fee", Before: "the owner", Now: "the owner"},
		{Contract: "src/V.sol:Vault", Variable: "limit", Before: Anyone, Now: "the owner", Changed: true},
		{Contract: "src/V.sol:Vault", Variable: "owner", Before: "the owner", Now: Anyone, Changed: true},
		{Contract: "src/V.sol:Vault", Variable: "added", Now: Anyone},
	}
}

// TestPermissions renders who can write what: opened first, in the comment only what changed.
func TestPermissions(t *testing.T) {
	rows := permissionRows()
	SortPermissions(rows)
	r := load(t, "pass")
	r.Effect = &Effect{Permissions: rows}
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	comment, summary := string(Comment(r, testOptions())), string(Summary(r, testOptions()))
	const said = "**Who can write**: `Vault.owner`: the owner → anyone; `Vault.limit`: anyone → the owner.\n"
	if !strings.Contains(comment, said) || strings.Contains(comment, "Vault.fee") || strings.Contains(comment, "Vault.added") {
		t.Errorf("comment:\n%s", comment)
	}
	const table = `| Variable | On the base | Now |
|---|---|---|
| ` + "`Vault.owner`" + ` | the owner | **anyone** |
| ` + "`Vault.limit`" + ` | anyone | **the owner** |
| ` + "`Vault.fee`" + ` | the owner | the owner |
| ` + "`Vault.added`" + ` |  | anyone |
`
	if !strings.Contains(summary, said) || !strings.Contains(summary, table) {
		t.Errorf("summary:\n%s", summary)
	}
	r.Effect.Permissions = rows[2:]
	if comment := string(Comment(r, testOptions())); strings.Contains(comment, "Who can write") {
		t.Errorf("nothing changed:\n%s", comment)
	}
}

// TestDropped lists what is no finding in the summary alone.
func TestDropped(t *testing.T) {
	r := load(t, "pass")
	r.SelfCheck = nil // it names oracles
	r.Effect = &Effect{Dropped: []Dropped{{Oracle: "third-party-loss", Reason: "the same can be taken on the base", Count: 3}}}
	if comment := string(Comment(r, testOptions())); strings.Contains(comment, "third-party-loss") {
		t.Errorf("comment:\n%s", comment)
	}
	if summary := string(Summary(r, testOptions())); !strings.Contains(summary, "| `third-party-loss` | the same can be taken on the base | 3 |\n") {
		t.Errorf("summary:\n%s", summary)
	}
}

// TestManyPermissions bounds the comment's line and the summary's table.
func TestManyPermissions(t *testing.T) {
	var rows []Permission
	for i := range 2_000 {
		rows = append(rows, Permission{Contract: "A", Variable: fmt.Sprint("v", i), Before: "the owner", Now: Anyone, Changed: true})
	}
	r := load(t, "pass")
	r.Effect = &Effect{Permissions: rows}
	if comment := string(Comment(r, testOptions())); !strings.Contains(comment, "`A.v2`") || strings.Contains(comment, "`A.v3`") || !strings.Contains(comment, "1997 more") {
		t.Errorf("comment:\n%s", comment)
	}
	if summary := string(Summary(r, testOptions())); !strings.Contains(summary, "`A.v999`") || strings.Contains(summary, "`A.v1000`") {
		t.Error("the summary does not show 1,000 rows")
	}
}

// TestPermissionsAreChecked refuses rows that contradict themselves.
func TestPermissionsAreChecked(t *testing.T) {
	for _, row := range []Permission{
		{Contract: "A", Variable: "a"},
		{Contract: "A", Variable: "a", Before: "the owner", Now: "the owner", Changed: true},
		{Contract: "A", Variable: "a", Before: "the owner", Now: Anyone},
		{Contract: "A", Variable: "a", Now: Anyone, Changed: true},
	} {
		r := load(t, "pass")
		r.Effect = &Effect{Permissions: []Permission{row}}
		if r.Validate() == nil {
			t.Errorf("%+v is taken", row)
		}
	}
}

// TestWithheldPermissions leaves out what may be a live bug.
func TestWithheldPermissions(t *testing.T) {
	r := &Report{Effect: &Effect{Permissions: permissionRows()}}
	all := r.Effect
	r.Withhold(false)
	if len(r.Effect.Permissions) != 3 || len(all.Permissions) != 4 || strings.Contains(fmt.Sprint(r.Effect.Permissions), "limit") {
		t.Errorf("%+v", r.Effect.Permissions)
	}
}
