// Sbom writes what the programs of a release's archive are made of, as a CycloneDX document: sbom ARCHIVE DOCUMENT. It reads the
// modules that Go wrote into each program, so it lists exactly what was linked. The same archive always yields the same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom ARCHIVE DOCUMENT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(archive, document string) error {
	programs, err := programsIn(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	if len(programs) == 0 {
		return fmt.Errorf("%s: no program of Go's is in it", archive)
	}
	var b bytes.Buffer
	encoder := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true)
	if err := encoder.EncodeVersion(bill(filepath.Base(archive), programs), cdx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(document, b.Bytes(), 0o644) // #nosec G306 G703 -- a file of a release, which its caller names
}

// programsIn returns the programs by their names.
func programsIn(archive string) (map[string]*debug.BuildInfo, error) {
	programs := map[string]*debug.BuildInfo{}
	keep := func(name string, r io.Reader) error {
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if info, err := buildinfo.Read(bytes.NewReader(data)); err == nil {
			programs[path.Base(name)] = info
		}
		return nil
	}
	if strings.HasSuffix(archive, ".zip") {
		return programs, eachZipped(archive, keep)
	}
	return programs, eachTarred(archive, keep)
}

func eachZipped(archive string, keep func(string, io.Reader) error) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(keep(f.Name, r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}

func eachTarred(archive string, keep func(string, io.Reader) error) error {
	f, err := os.Open(archive) // #nosec G703 -- its caller names it
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	t := tar.NewReader(z)
	for {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := keep(header.Name, t); err != nil {
			return err
		}
	}
}

// bill has a component for each program, one for each module in any of them, and says which program depends on which modules.
func bill(archive string, programs map[string]*debug.BuildInfo) *cdx.BOM {
	components := map[string]cdx.Component{}
	var dependencies []cdx.Dependency
	var whole []string
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		var needs []string
		for _, m := range modules(programs[name]) {
			components[m.BOMRef] = m
			needs = append(needs, m.BOMRef)
		}
		components[name] = cdx.Component{BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name}
		dependencies = append(dependencies, cdx.Dependency{Ref: name, Dependencies: &needs})
		whole = append(whole, name)
	}
	dependencies = append(dependencies, cdx.Dependency{Ref: archive, Dependencies: &whole})
	var list []cdx.Component
	for _, ref := range slices.Sorted(maps.Keys(components)) {
		list = append(list, components[ref])
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: archive, Type: cdx.ComponentTypeApplication, Name: archive}}
	bom.Components, bom.Dependencies = &list, &dependencies
	return bom
}

// modules are those of a program, and Go's own library.
func modules(info *debug.BuildInfo) []cdx.Component {
	list := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, library(m.Path, m.Version))
	}
	return list
}

func library(name, version string) cdx.Component {
	url := "pkg:golang/" + name + "@" + version
	return cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: url}
}
