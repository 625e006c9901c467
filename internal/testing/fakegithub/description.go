package fakegithub

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// paths are those of the API that Sightline calls. The router needs to be told
// that a file's path may hold slashes.
var paths = map[string]string{
	"/user":                        "/user",
	"/repos/{owner}/{repo}/issues": "/repos/{owner}/{repo}/issues",
	"/repos/{owner}/{repo}/issues/{issue_number}":           "/repos/{owner}/{repo}/issues/{issue_number}",
	"/repos/{owner}/{repo}/issues/{issue_number}/comments":  "/repos/{owner}/{repo}/issues/{issue_number}/comments",
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
	"/repos/{owner}/{repo}/code-scanning/sarifs":            "/repos/{owner}/{repo}/code-scanning/sarifs",
	"/repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}": "/repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}",
	"/repos/{owner}/{repo}/compare/{basehead}":              "/repos/{owner}/{repo}/compare/{basehead}",
	"/repos/{owner}/{repo}/pulls/{pull_number}":             "/repos/{owner}/{repo}/pulls/{pull_number}",
	"/repos/{owner}/{repo}/pulls/{pull_number}/files":       "/repos/{owner}/{repo}/pulls/{pull_number}/files",
	"/repos/{owner}/{repo}/tags":                            "/repos/{owner}/{repo}/tags",
	"/repos/{owner}/{repo}/contents/{path}":                 "/repos/{owner}/{repo}/contents/{path:.+}",
}

// description is GitHub's own description of those paths.
type description struct {
	document *openapi3.T
	router   routers.Router
}

// descriptionFile is where ./test installs the npm package @octokit/openapi.
const descriptionFile = "@octokit/openapi/generated/api.github.com.json"

// load reads GitHub's description once for all tests of a program: it is 13 MB.
var load = sync.OnceValues(func() (*description, error) {
	modules, err := nodeModules()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(descriptionFile)))
	if err != nil {
		return nil, err
	}
	data, err = subset(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", descriptionFile, err)
	}
	document, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", descriptionFile, err)
	}
	document.Servers = openapi3.Servers{{URL: apiPath}}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", descriptionFile, err)
	}
	return &description{document, router}, nil
})

// nodeModules is the folder that ./test installs npm packages into.
func nodeModules() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	modules := filepath.Join(dir, ".cache", "npm", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "@octokit")); err != nil {
		return "", fmt.Errorf("%s has no @octokit: run ./test once, it installs what tests need", modules)
	}
	return modules, nil
}

// subset is a description of the paths above with what they refer to, and of
// nothing else: all of it takes seconds to read.
func subset(data []byte) ([]byte, error) {
	var all struct {
		OpenAPI    string                                `json:"openapi"`
		Info       any                                   `json:"info"`
		Paths      map[string]any                        `json:"paths"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	kept := map[string]map[string]any{}
	used := map[string]any{}
	var keep func(value any) error
	keep = func(value any) error {
		switch v := value.(type) {
		case []any:
			for _, element := range v {
				if err := keep(element); err != nil {
					return err
				}
			}
		case map[string]any:
			// Discriminators name schemas in addition to the references;
			// validation does not need them.
			delete(v, "discriminator")
			if ref, ok := v["$ref"].(string); ok {
				return keepReference(ref, all.Components, kept, keep)
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if err := keep(v[key]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, ok := all.Paths[path]
		if !ok {
			return nil, fmt.Errorf("it does not describe %s", path)
		}
		if err := keep(item); err != nil {
			return nil, err
		}
		used[paths[path]] = item
	}
	return json.Marshal(map[string]any{"openapi": all.OpenAPI, "info": all.Info, "paths": used, "components": kept})
}

// keepReference keeps the component that a reference names, and what it refers to.
func keepReference(ref string, components map[string]map[string]json.RawMessage, kept map[string]map[string]any, keep func(any) error) error {
	kind, name, ok := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	raw, known := components[kind][name]
	if !ok || !known {
		return errors.New("nothing is at " + ref)
	}
	if _, done := kept[kind][name]; done {
		return nil
	}
	if kept[kind] == nil {
		kept[kind] = map[string]any{}
	}
	var component any
	if err := json.Unmarshal(raw, &component); err != nil {
		return err
	}
	kept[kind][name] = component
	return keep(component)
}
