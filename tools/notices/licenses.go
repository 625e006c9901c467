package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// known are the licenses that may be in a release, each with what its text has. What a release contains must be in this
// list, so that a new license is read by a person.
var known = []struct {
	spdx  string
	words []string
}{
	{"LGPL-3.0-or-later", []string{"gnu lesser general public license", "version 3"}},
	{"GPL-3.0-or-later", []string{"gnu general public license", "version 3"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "2.0"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "the above copyright notice and this permission notice"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "the names of its contributors may not"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"MIT", []string{"mit license", "copyright ©"}}, // named in a source, without its text
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any", "the software is provided \"as is\" and the author disclaims all warranties"}},
}

// inSources are modules without a file about rights, which name their license in a source.
var inSources = map[string]string{"github.com/holiman/bloomfilter/v2": "bloomfilter.go"}

// within are licenses whose words are part of another one's text: of the two, the other one holds. go-ethereum has the
// texts of GPL and LGPL; the GPL is that of its programs, and what the LGPL adds to.
var within = map[string]string{"BSD-2-Clause": "BSD-3-Clause", "GPL-3.0-or-later": "LGPL-3.0-or-later"}

// licenseOf is the SPDX expression of the files about rights of a module.
func licenseOf(texts []text) (string, error) {
	has := map[string]bool{}
	for _, t := range texts {
		plain := strings.Join(strings.Fields(strings.ToLower(t.text)), " ")
		for _, l := range known {
			if !slices.ContainsFunc(l.words, func(word string) bool { return !strings.Contains(plain, word) }) {
				has[l.spdx] = true
			}
		}
	}
	for part, whole := range within {
		if has[whole] {
			delete(has, part)
		}
	}
	if len(has) == 0 {
		return "", errors.New("no license that is known: read it, and add it to known in tools/notices")
	}
	return strings.Join(slices.Sorted(maps.Keys(has)), " AND "), nil
}
