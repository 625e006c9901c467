package compile

import "strings"

// Owner is the project whose folder holds a file most closely; false where none
// does. Projects and the file are relative to the same root.
func Owner(projects []string, file string) (project string, found bool) {
	for _, p := range projects {
		if (p == "." || strings.HasPrefix(file, p+"/")) && (!found || project == "." || len(p) > len(project)) {
			project, found = p, true
		}
	}
	return project, found
}
