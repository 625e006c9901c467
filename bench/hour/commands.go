package main

import (
	"fmt"
	"strings"
)

// commandsOf returns the shell commands of a page, in order: the lines of its blocks of sh,
// and of its indented ones, without comments. With a heading, "Try it", only those of that
// section; that none are left is an error, since someone has changed the page.
func commandsOf(page, heading string) ([]string, error) {
	var commands []string
	inside, fence := heading == "", ""
	blank := true // the line before was
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, " \r\n")
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(trimmed, "```") && fence == "":
			fence = "other"
			if trimmed == "```sh" || trimmed == "```bash" {
				fence = "sh"
			}
		case strings.HasPrefix(trimmed, "```"):
			fence = ""
		case fence == "" && strings.HasPrefix(line, "#"):
			inside = heading == "" || strings.TrimLeft(line, "# ") == heading
		case inside && (fence == "sh" || fence == "" && blank && strings.HasPrefix(line, "    ")):
			if command := withoutComment(line); command != "" {
				commands = append(commands, command)
			}
			continue // a block goes on
		}
		blank = line == ""
	}
	if len(commands) == 0 {
		return nil, fmt.Errorf("the page has no commands below %q", heading)
	}
	return commands, nil
}

// withoutComment removes what the shell does not read.
func withoutComment(line string) string {
	command, _, _ := strings.Cut(" "+line, " #")
	return strings.TrimSpace(command)
}
