package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	const page = "# Title\n\n## Samples\n\n### bank.sol\n\n```solidity\ncontract Bank {}\n```\n\n**Comments**\n\n```yaml\na: 1\n```\n\n### bank_fixed.sol\n\n```solidity\ncontract Bank2 {}\n```\n"
	for name, test := range map[string]struct {
		files      map[string]string
		labels     string
		weaknesses map[string]string
		want       []sample
	}{
		"pages": {
			files: map[string]string{"entries/docs/SWC-107.md": page},
			want: []sample{
				{"SWC-107/bank.sol", "bank.sol", "contract Bank {}\n", []string{"107"}, false},
				{"SWC-107/bank_fixed.sol", "bank_fixed.sol", "contract Bank2 {}\n", []string{"107"}, true},
			},
		},
		"folders": {
			files:      map[string]string{"reentrancy/A.sol": "a", "README.md": "", "odd/B_fixed.sol": "b", "other/x/C.sol": "c"},
			weaknesses: map[string]string{"odd": "112"},
			want: []sample{
				{"odd/B_fixed.sol", "B_fixed.sol", "b", []string{"112"}, true},
				{"other/x/C.sol", "C.sol", "c", nil, false},
				{"reentrancy/A.sol", "A.sol", "a", []string{"107"}, false},
			},
		},
		"pages with labels": {
			files:  map[string]string{"entries/docs/SWC-107.md": page, "labels": "SWC-107/bank.sol 107 fixed # it cannot be\nSWC-107/bank_fixed.sol -\n"},
			labels: "labels",
			want: []sample{
				{"SWC-107/bank.sol", "bank.sol", "contract Bank {}\n", []string{"107"}, true},
				{"SWC-107/bank_fixed.sol", "bank_fixed.sol", "contract Bank2 {}\n", nil, false},
			},
		},
		"labels": {
			files:  map[string]string{"a/A.sol": "a", "B.sol": "b", "labels": "# ours\na/A.sol 107,104\n\nB.sol 110 fixed\n"},
			labels: "labels",
			want: []sample{
				{"a/A.sol", "A.sol", "a", []string{"107", "104"}, false},
				{"B.sol", "B.sol", "b", []string{"110"}, true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file, text := range test.files {
				at := filepath.Join(folder, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			labels := test.labels
			if labels != "" {
				labels = filepath.Join(folder, labels)
			}
			got, err := read(folder, labels, test.weaknesses)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(sample{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestKnownLabels(t *testing.T) {
	files, err := fs.Glob(known, "labels/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		data, err := known.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		notes, err := readNotes(file, data)
		if err != nil {
			t.Fatal(err)
		}
		var samples, want []sample
		for _, n := range notes {
			samples = append(samples, sample{name: n.name, expected: []string{"0"}})
			want = append(want, sample{name: n.name, expected: n.expected, fixed: n.fixed})
		}
		one := []sample{samples[0]}
		if err := relabelKnown(one); err != nil || one[0].expected[0] != "0" {
			t.Errorf("%s counts where one of its samples is there: %v, %v", file, one, err)
		}
		if err := relabelKnown(samples); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, samples, cmp.AllowUnexported(sample{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

func TestLoosened(t *testing.T) {
	for text, want := range map[string]string{
		"pragma solidity 0.4.24;\n":                             "pragma solidity ^0.4.24;\n",
		"pragma solidity =0.8.1 ;":                              "pragma solidity ^0.8.1 ;",
		"pragma solidity >=0.4.0 <0.6.0;":                       "pragma solidity >=0.4.0 <0.6.0;",
		"pragma solidity ^0.5.0; contract C{}":                  "pragma solidity ^0.5.0; contract C{}",
		"contract C { function() { x(); } }":                    "contract C { function() payable { x(); } }",
		"pragma solidity ^0.4.4;\ncontract C { function() {} }": "pragma solidity ^0.4.4;\ncontract C { function() {} }",
	} {
		if got := loosened(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestReadLabelsBad(t *testing.T) {
	labels := filepath.Join(t.TempDir(), "labels")
	if err := os.WriteFile(labels, []byte("A.sol\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.TempDir(), labels, nil); err == nil || !strings.Contains(err.Error(), "labels:1: want a file") {
		t.Errorf("error %v", err)
	}
}
