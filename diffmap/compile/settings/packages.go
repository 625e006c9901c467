package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// comparePackages compares two versions of a file that says which packages are installed:
// package.json, a lock file, or soldeer's. ok is false where either is not understood.
func comparePackages(file string, base, head []byte) (changed []string, ok bool) {
	read := lockFiles[path.Base(file)]
	if read == nil {
		return nil, false
	}
	old, err := read(base)
	if err != nil {
		return nil, false
	}
	now, err := read(head)
	if err != nil {
		return nil, false
	}
	return old.differ(now), true
}

// lockFiles read the files that say which packages are installed, by their names.
var lockFiles = map[string]func(text []byte) (packages, error){
	"package.json":        manifest,
	"package-lock.json":   npmLock,
	"npm-shrinkwrap.json": npmLock,
	"yarn.lock":           yarnLock,
	"pnpm-lock.yaml":      pnpmLock,
	"bun.lock":            bunLock,
	"soldeer.lock":        soldeerLock,
}

// packages are the contents of packages (versions with checksums) by name and, within, by whatever
// asks for them: a range, or a place in node_modules.
type packages map[string]map[string]string

func (p packages) add(name, wanted, contents string) {
	if p[name] == nil {
		p[name] = map[string]string{}
	}
	p[name][wanted] = contents
}

// differ lists the packages that are not the same in others, sorted. Of a package with one
// version on both sides, it does not matter what asks for it.
func (p packages) differ(others packages) []string {
	var names []string
	for name := range maps.Keys(p) {
		one, single := only(p[name])
		other, too := only(others[name])
		if single && too && one == other {
			continue
		}
		if !maps.Equal(p[name], others[name]) {
			names = append(names, name)
		}
	}
	for name := range others {
		if p[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// only is the value that all keys have.
func only(m map[string]string) (value string, ok bool) {
	for _, v := range m {
		if ok && v != value {
			return "", false
		}
		value, ok = v, true
	}
	return value, ok
}

// installing are the fields of package.json that decide what is installed (the documentation of
// npm, yarn, pnpm and bun). A name in one of them is that of a package, or a path of packages.
var installing = []string{
	"dependencies", "devDependencies", "optionalDependencies", "peerDependencies",
	"overrides", "resolutions", "patchedDependencies",
}

// manifest reads the ranges of a package.json.
func manifest(text []byte) (packages, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	found := packages{}
	read := func(place string, table json.RawMessage) error {
		var values map[string]json.RawMessage
		if len(table) == 0 {
			return nil
		}
		if err := json.Unmarshal(table, &values); err != nil {
			return err
		}
		for name, value := range values {
			found.add(packageNamed(name), place+" "+name, place+" "+name+" "+string(value))
		}
		return nil
	}
	for _, field := range installing {
		if err := read(field, file[field]); err != nil {
			return nil, err
		}
	}
	var pnpm map[string]json.RawMessage
	if len(file["pnpm"]) > 0 {
		if err := json.Unmarshal(file["pnpm"], &pnpm); err != nil {
			return nil, err
		}
	}
	for _, field := range []string{"overrides", "patchedDependencies"} {
		if err := read("pnpm."+field, pnpm[field]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// packageNamed is the package of what overrides are written for: "@a/b", "@a/b@1.2", "x>@a/b",
// "x/**/@a/b".
func packageNamed(selector string) string {
	if i := strings.LastIndexByte(selector, '>'); i >= 0 {
		selector = selector[i+1:]
	}
	parts := strings.Split(selector, "/")
	name := parts[len(parts)-1]
	if n := len(parts); n > 1 && strings.HasPrefix(parts[n-2], "@") {
		name = parts[n-2] + "/" + name
	}
	name, _ = nameAndVersion(name)
	return name
}

// nameAndVersion divides "@a/b@1.2" at the last "@" that is not the first character.
func nameAndVersion(text string) (name, version string) {
	if i := strings.IndexByte(text[min(1, len(text)):], '@'); i >= 0 {
		return text[:i+1], text[i+2:]
	}
	return text, ""
}

// npmEntry is an installed package of npm's lock files.
type npmEntry struct {
	Version      string              `json:"version"`
	Resolved     string              `json:"resolved"`
	Integrity    string              `json:"integrity"`
	Link         bool                `json:"link"`
	Dependencies map[string]npmEntry `json:"dependencies"` // of version 1
}

func (e *npmEntry) contents() string {
	if e.Integrity != "" {
		return e.Integrity // whatever registry it is from
	}
	return e.Version + " " + e.Resolved
}

// npmLock reads npm's lock file. A workspace's own packages are links, and their files are in
// the repository.
func npmLock(text []byte) (packages, error) {
	var file struct {
		Packages     map[string]json.RawMessage `json:"packages"` // since version 2
		Dependencies map[string]npmEntry        `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		// What version 2 repeats for old readers is not needed.
		return nil, err
	}
	found := packages{}
	for place, raw := range file.Packages {
		at := strings.LastIndex(place, "node_modules/")
		if at < 0 {
			continue
		}
		var e struct {
			npmEntry
			Dependencies json.RawMessage `json:"dependencies"` // ranges, here
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		if !e.Link {
			found.add(place[at+len("node_modules/"):], place, e.contents())
		}
	}
	if len(file.Packages) > 0 {
		return found, nil
	}
	var add func(prefix string, entries map[string]npmEntry)
	add = func(prefix string, entries map[string]npmEntry) {
		for name, e := range entries {
			found.add(name, prefix+name, e.contents())
			add(prefix+name+"/", e.Dependencies)
		}
	}
	add("", file.Dependencies)
	return found, nil
}

// yarnField matches a field of an entry of yarn.lock: `  version "1.0.0"`, and since Yarn 2
// `  version: 1.0.0`.
var yarnField = regexp.MustCompile(`^  "?(version|resolved|integrity|resolution|checksum|linkType)"?:? "?([^"]*)"?$`)

// yarnLock reads Yarn's lock files, of all versions.
func yarnLock(text []byte) (packages, error) {
	found := packages{}
	var wanted []string
	fields := map[string]string{}
	end := func() {
		contents := fields["version"] + " " + fields["resolution"] + " " + fields["integrity"] + fields["checksum"]
		if fields["integrity"]+fields["checksum"] == "" {
			contents += fields["resolved"]
		}
		for _, w := range wanted {
			// Those of a workspace are in the repository.
			if name, _ := nameAndVersion(w); fields["linkType"] != "soft" && name != "" {
				found.add(name, w, contents)
			}
		}
		wanted = nil
		clear(fields)
	}
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			end()
			header, ok := strings.CutSuffix(line, ":")
			if !ok {
				return nil, fmt.Errorf("%q is not the beginning of an entry", line)
			}
			if header == "__metadata" {
				continue
			}
			for _, w := range strings.Split(header, ",") {
				wanted = append(wanted, strings.Trim(w, `" `))
			}
		default:
			if m := yarnField.FindStringSubmatch(line); m != nil {
				fields[m[1]] = m[2]
			}
		}
	}
	end()
	return found, nil
}

// pnpmLock reads pnpm's lock file: "/@a/b/1.0.0", "/@a/b@1.0.0" and "@a/b@1.0.0" are how its versions
// name a package, with what its peers are resolved to in parentheses, or after "_".
func pnpmLock(text []byte) (packages, error) {
	var file struct {
		Packages map[string]struct {
			Name       string         `yaml:"name"` // of one that is not from a registry
			Resolution map[string]any `yaml:"resolution"`
		} `yaml:"packages"`
		Importers map[string]map[string]any `yaml:"importers"`
		Root      map[string]any            `yaml:",inline"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	found := packages{}
	for key, entry := range file.Packages {
		bare, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "(")
		name, version := nameAndVersion(bare)
		if version == "" { // before version 6
			name, version = path.Dir(bare), path.Base(bare)
		}
		if entry.Name != "" {
			name = entry.Name
		}
		found.add(name, key, fmt.Sprint(version, entry.Resolution))
	}
	// Which of several versions a project has.
	importers := file.Importers
	if importers == nil {
		importers = map[string]map[string]any{".": file.Root}
	}
	for project, groups := range importers {
		for _, group := range []string{"dependencies", "devDependencies", "optionalDependencies"} {
			of, _ := groups[group].(map[string]any)
			for name, value := range of {
				if entry, ok := value.(map[string]any); ok {
					value = entry["version"]
				}
				if len(found[name]) > 1 || found[name] == nil {
					found.add(name, "importer "+project, fmt.Sprint(value))
				}
			}
		}
	}
	patched, _ := file.Root["patchedDependencies"].(map[string]any)
	for key, value := range patched {
		name, _ := nameAndVersion(key)
		found.add(name, "patch "+key, fmt.Sprint(value))
	}
	return found, nil
}

// trailing matches a comma before a bracket that closes, which bun's lock file has, or a string.
var trailing = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|,(\s*[\]}])`)

// bunLock reads bun's lock file: JSON with commas at the end of lists.
func bunLock(text []byte) (packages, error) {
	plain := trailing.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == ',' {
			return m[1:]
		}
		return m
	})
	var file struct {
		Packages map[string][]json.RawMessage `json:"packages"`
		Patched  map[string]string            `json:"patchedDependencies"`
	}
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, err
	}
	found := packages{}
	for key, entry := range file.Packages {
		var resolved string
		if len(entry) > 0 {
			_ = json.Unmarshal(entry[0], &resolved) // of another type: a version of the format that is unknown, and compared as it is
		}
		if strings.Contains(resolved, "@workspace:") {
			continue
		}
		contents := resolved
		for _, part := range entry {
			contents += " " + string(part)
		}
		found.add(packageNamed(key), key, contents)
	}
	for key, value := range file.Patched {
		name, _ := nameAndVersion(key)
		found.add(name, "patch "+key, value)
	}
	return found, nil
}

// soldeerLock reads soldeer's lock file.
func soldeerLock(text []byte) (packages, error) {
	file, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	found := packages{}
	list, _ := file["dependencies"].([]any)
	for _, value := range list {
		entry, _ := value.(map[string]any)
		name, _ := entry["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("a dependency has no name")
		}
		version, _ := entry["version"].(string)
		found.add(name, version, fmt.Sprint(entry))
	}
	return found, nil
}

// PackageOf is the package that holds a source, given by its path with slashes or by the name that a
// compiler has for it: below node_modules, an import that starts with the package's name, or
// Hardhat 3's "npm/NAME@VERSION/FILE". A folder of soldeer's dependencies is named "NAME-VERSION",
// which [SamePackage] knows.
func PackageOf(source string) string {
	if at := strings.LastIndex("/"+source, soldeerFolder); at >= 0 {
		name, _, _ := strings.Cut(source[at+len(soldeerFolder)-1:], "/")
		return soldeerFolder + name
	}
	source = strings.TrimPrefix(source, "npm/")
	const modules = "/node_modules/"
	if at := strings.LastIndex("/"+source, modules); at >= 0 {
		source = source[at+len(modules)-1:]
	}
	parts := strings.SplitN(source, "/", 3)
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name += "/" + parts[1]
	}
	name, _ = nameAndVersion(name)
	return name
}

// soldeerFolder is where soldeer installs packages.
const soldeerFolder = "/dependencies/"

// SamePackage reports whether what [PackageOf] returned is the package of this name.
func SamePackage(holder, name string) bool {
	if folder, ok := strings.CutPrefix(holder, soldeerFolder); ok {
		return folder == name || strings.HasPrefix(folder, name+"-")
	}
	return holder == name
}
