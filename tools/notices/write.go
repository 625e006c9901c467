package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// outputs are the files to write; empty names: none.
type outputs struct {
	sbom, texts, page string
	check             bool
}

func write(o outputs, version string, modules []module) error {
	if o.check {
		return unchanged(o.page, table(modules))
	}
	if o.page != "" {
		if err := os.WriteFile(o.page, []byte(table(modules)), 0o644); err != nil {
			return err
		}
	}
	if o.texts != "" {
		if err := os.WriteFile(o.texts, []byte(notices(modules)), 0o644); err != nil {
			return err
		}
	}
	if o.sbom == "" {
		return nil
	}
	var out bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom(version, modules)); err != nil {
		return err
	}
	return os.WriteFile(o.sbom, out.Bytes(), 0o644)
}

// unchanged is an error if a file is not what would be written.
func unchanged(name, text string) error {
	if name == "" {
		return errors.New("-check: want -page FILE")
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(old) != text {
		return fmt.Errorf("%s is not what the program contains: write it with the same command without -check", name)
	}
	return nil
}

// table is a page of the modules with their licenses. Versions are in go.mod, and in the SBOM of a release.
func table(modules []module) string {
	var out strings.Builder
	out.WriteString("# Licenses\n\nWhat a release contains of others: Go's standard library, Go modules, and the npm packages that report.html is bundled from. Each release has\n" +
		"the versions in its SBOM, and the license texts in its archives. The table is made by `go run -C tools ./notices`.\n\n| module | license |\n| --- | --- |\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "| %s | %s |\n", m.name, m.license)
	}
	return out.String()
}

// notices are all texts about rights.
func notices(modules []module) string {
	var out strings.Builder
	out.WriteString("Sightline contains the following works of others, under these terms.\n")
	for _, m := range modules {
		for _, t := range m.texts {
			fmt.Fprintf(&out, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), m.name, m.version, t.name, t.text)
		}
	}
	return out.String()
}

// bom is the SBOM: without a serial number or a time, the same for the same program.
func bom(version string, modules []module) *cyclonedx.BOM {
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication, Name: "sightline", Version: version, BOMRef: "sightline"}}
	components := make([]cyclonedx.Component, len(modules))
	for i, m := range modules {
		url := fmt.Sprintf("pkg:%s/%s@%s", m.kind, strings.ReplaceAll(m.name, "@", "%40"), m.version)
		components[i] = cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, Name: m.name, Version: m.version, PackageURL: url, BOMRef: url,
			Licenses: &cyclonedx.Licenses{{Expression: m.license}},
		}
	}
	b.Components = &components
	return b
}
