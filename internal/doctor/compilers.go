package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/setup"
)

// Bounds of looking for compilers. Arbitrary: more sources than the largest projects have, and so many
// different pragmas that their compilers fit one line.
const (
	maxSources = 5_000
	maxPragmas = 6
)

// solc are the compilers that the projects' sources ask for.
func (d *doctor) solc(ctx context.Context) []Line {
	if d.repository == nil {
		return nil
	}
	var have, lacking []string
	add := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	failed := ""
	for i := range d.repository.Projects {
		for _, pragmas := range d.wanted(ctx, &d.repository.Projects[i]) {
			options := d.compilers
			options.Root = filepath.Join(d.repository.Top, filepath.FromSlash(d.repository.Projects[i].Folder))
			found, err := solc.Find(ctx, pragmas, options)
			newest, listed := solc.Newest(pragmas, options)
			switch {
			case err == nil && found.WebAssembly():
				add(&have, found.Number().String()+" (WebAssembly)")
			case err == nil:
				add(&have, found.Number().String())
			case ctx.Err() != nil:
				return one(Warn, "solc", "", "which compilers there are was not clear within %s", patience)
			case listed:
				add(&lacking, newest.String())
			default:
				failed = human.OneLine(err)
			}
		}
	}
	switch {
	case failed != "":
		return one(Fail, "solc", "", "%s", failed)
	case len(lacking) > 0:
		text := "a run downloads " + human.First(lacking, maxPragmas)
		if len(have) > 0 {
			text = human.First(have, maxPragmas) + " at hand; " + text
		}
		return one(Warn, "solc", "without a network, name one with --solc, or install it: npm install --save-dev solc@"+lacking[0], "%s", text)
	case len(have) == 0:
		return one(OK, "solc", "", "no source says which compiler it needs")
	}
	return one(OK, "solc", "", "%s at hand", human.First(have, maxPragmas))
}

// wanted are the pragmas of a project's sources: together where one compiler may take them all, else
// each by itself. A version in the settings of its tool is the only one.
func (d *doctor) wanted(ctx context.Context, p *setup.Project) [][]string {
	at := filepath.Join(d.repository.Top, filepath.FromSlash(p.Folder))
	if version := settings.CodeSettings(at, d.o.Getenv).Solc; version != "" {
		return [][]string{{version}}
	}
	options := d.compilers
	options.Root = at
	tree, err := sources.Open(at, options)
	if err != nil {
		return nil // a run says what is wrong with the settings
	}
	names, err := tree.Names()
	if err != nil {
		return nil
	}
	var all []string
	for _, name := range names[:min(len(names), maxSources)] {
		text, err := tree.ReadNamed(name)
		if err != nil || ctx.Err() != nil {
			continue
		}
		for _, pragma := range solidity.Pragmas(text) {
			if pragma = strings.Join(strings.Fields(pragma), " "); !slices.Contains(all, pragma) {
				all = append(all, pragma)
			}
		}
	}
	if _, together := solc.Newest(all, options); together || len(all) == 0 {
		if len(all) == 0 {
			return nil
		}
		return [][]string{all}
	}
	var each [][]string
	for _, pragma := range all[:min(len(all), maxPragmas)] {
		each = append(each, []string{pragma})
	}
	return each
}

// node runs solc's builds for WebAssembly, and Hardhat.
func (d *doctor) node(ctx context.Context) []Line {
	version, missing := d.ask(ctx, "node")
	if missing != "" {
		return one(Warn, "node", "install Node.js 18 or newer", "node %s: compilers from npm cannot be run, nor Hardhat", missing)
	}
	return one(OK, "node", "", "%s", version)
}

// forge says how a Foundry project is compiled.
func (d *doctor) forge(ctx context.Context) []Line {
	if d.repository == nil || !slices.ContainsFunc(d.repository.Projects, func(p setup.Project) bool { return p.Tool == settings.ToolFoundry }) {
		return nil
	}
	version, missing := d.ask(ctx, "forge")
	if missing != "" {
		return one(Warn, "forge", "install Foundry, for all settings of foundry.toml and for findings to be tried under forge", "forge %s: solc compiles in its place", missing)
	}
	return one(OK, "forge", "", "%s", fmt.Sprint(strings.TrimPrefix(strings.TrimPrefix(version, "forge "), "Version: ")))
}
