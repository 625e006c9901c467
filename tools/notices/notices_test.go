package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mit  = "Permission is hereby granted, free of charge, to any person …\nThe above copyright notice and this permission\nnotice shall be included"
	bsd2 = "Redistribution and use in source and binary forms, with or without"
)

func TestLicenseOf(t *testing.T) {
	for name, c := range map[string]struct {
		texts []text
		want  string
	}{
		"MIT":             {[]text{{"LICENSE", mit}}, "MIT"},
		"two clauses":     {[]text{{"LICENSE", bsd2}}, "BSD-2-Clause"},
		"three clauses":   {[]text{{"LICENSE", bsd2 + "\nNeither the name of"}}, "BSD-3-Clause"},
		"two in a file":   {[]text{{"LICENSE", bsd2 + mit}}, "BSD-2-Clause AND MIT"},
		"two files":       {[]text{{"LICENSE", bsd2}, {"LICENSE.b", mit}}, "BSD-2-Clause AND MIT"},
		"LGPL with GPL":   {[]text{{"COPYING", "GNU GENERAL PUBLIC LICENSE Version 3"}, {"COPYING.LESSER", "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 3"}}, "LGPL-3.0-or-later"},
		"another license": {[]text{{"LICENSE", "All rights reserved."}}, ""},
		"none":            {nil, ""},
	} {
		got, err := licenseOf(c.texts)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// TestPackages: what is for development alone is left out, and texts are those about rights.
func TestPackages(t *testing.T) {
	dir := t.TempDir()
	lock := `{"packages": {"": {}, "node_modules/b": {"version": "2.0.0"}, "node_modules/@a/c": {"version": "1.0.0"}, "node_modules/d": {"version": "3.0.0", "dev": true}}}`
	for name, content := range map[string]string{"package-lock.json": lock, "b/LICENSE": mit, "b/index.js": "", "@a/c/license.md": bsd2} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := npmPackages(filepath.Join(dir, "package-lock.json"), dir)
	if err != nil || len(got) != 2 || got[0].name != "@a/c" || got[1].version != "2.0.0" || len(got[1].texts) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	got[0].license, got[1].license = "BSD-2-Clause", "MIT"
	if page := table(got); !strings.Contains(page, "| @a/c | BSD-2-Clause |\n| b | MIT |\n") {
		t.Error(page)
	}
	if all := notices(got); !strings.Contains(all, "b 2.0.0: LICENSE\n\n"+mit) {
		t.Error(all)
	}
	if b := bom("0.1.0", got); (*b.Components)[0].PackageURL != "pkg:npm/%40a/c@1.0.0" {
		t.Errorf("%+v", *b.Components)
	}
	page := filepath.Join(dir, "page.md")
	if err := write(outputs{page: page}, "", got); err != nil {
		t.Fatal(err)
	}
	if err := write(outputs{page: page, check: true}, "", got); err != nil {
		t.Error(err)
	}
	if err := write(outputs{page: page, check: true}, "", got[:1]); err == nil {
		t.Error("a page of other modules passes")
	}
}
