package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/licensecheck"
)

// texts matches the files of a module's root that must be distributed with the program.
var texts = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)`)

// besides matches the names among these that are no licences.
var besides = regexp.MustCompile(`(?i)^(notice|patents)`)

// decided are modules whose licence was determined by a person: the name, the file with the text,
// and the module of this file if it is another one.
var decided = map[string]struct{ licence, file, from string }{
	"github.com/golang/freetype": {"FTL", "licenses/ftl.txt", ""}, // the user may choose between this and the GPL
	"github.com/gonum/floats":    {"BSD-3-Clause", "LICENSE", "gonum.org/v1/gonum"},
	"github.com/gonum/internal":  {"BSD-3-Clause", "LICENSE", "gonum.org/v1/gonum"},
}

// readme matches files that may contain the licence of a module without a licence file.
var readme = regexp.MustCompile(`(?i)^readme(\.|$)`)

// These are the least percentages of a licence file, and of a readme, that licensecheck must
// recognise.
const (
	enough       = 60
	enoughReadme = 10
)

// pointer is the size in bytes up to which a file may contain no licence, because it only refers to
// one.
const pointer = 200

// text is a file and the modules that contain it.
type text struct {
	content string
	of      []string
}

// Page returns THIRD_PARTY.txt for the module whose root is at root.
func Page(root string) ([]byte, error) {
	modules, err := linked(root)
	if err != nil {
		return nil, err
	}
	scripts, err := bundled(root)
	if err != nil {
		return nil, err
	}
	modules = append(modules, scripts...)
	all, dirs := map[string]*text{}, map[string]string{}
	for _, m := range modules {
		dirs[m.Path] = m.Dir
	}
	licences := make([]string, len(modules))
	for i, m := range modules {
		if licences[i], err = collect(m, dirs, all); err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
	}
	out := new(bytes.Buffer)
	out.WriteString("What the program unfold is linked with, and under which licences. Written by: make third-party\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, m := range modules {
		fmt.Fprintf(table, "%s\t%s\n", strings.TrimSpace(m.Path+" "+m.Version), licences[i])
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	for _, t := range sorted(all) {
		fmt.Fprintf(out, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(t.of, "\n"), strings.Repeat("=", 80), t.content)
	}
	return out.Bytes(), nil
}

// sorted returns the texts in the order of their first files.
func sorted(all map[string]*text) []*text {
	var out []*text
	for _, t := range all {
		slices.Sort(t.of)
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *text) int { return cmp.Compare(a.of[0], b.of[0]) })
	return out
}

// collect adds the texts of a module to all and returns the SPDX names of its licences; dirs has
// the folder of every module.
func collect(m module, dirs map[string]string, all map[string]*text) (string, error) {
	if d, is := decided[m.Path]; is {
		m.Dir = cmp.Or(dirs[d.from], m.Dir)
		_, err := keep(m, d.file, all)
		return d.licence, err
	}
	names, err := add(m, texts, enough, all)
	if err == nil && len(names) == 0 {
		names, err = add(m, readme, enoughReadme, all)
	}
	if err == nil && len(names) == 0 {
		err = errors.New("there is no licence in its root")
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", "), err
}

// add adds the files of a module's root that match, and returns the licences in them.
func add(m module, which *regexp.Regexp, percent float64, all map[string]*text) (names []string, err error) {
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.IsDir() || !which.MatchString(f.Name()) {
			continue
		}
		raw, err := keep(m, f.Name(), all)
		if err != nil {
			return nil, err
		}
		if !besides.MatchString(f.Name()) {
			found := identify(raw, percent)
			if len(found) == 0 && len(raw) > pointer {
				return nil, fmt.Errorf("the licence in %s is not known", f.Name())
			}
			names = append(names, found...)
		}
	}
	return names, nil
}

// keep adds a file of a module to all and returns its contents.
func keep(m module, file string, all map[string]*text) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	words := strings.Join(strings.Fields(string(raw)), " ")
	if all[words] == nil {
		all[words] = &text{content: tidy(string(raw))}
	}
	all[words].of = append(all[words].of, m.Path+": "+file)
	return raw, nil
}

// identify returns the SPDX names of the licences in a text, none if less than percent of it is
// recognised.
func identify(raw []byte, percent float64) []string {
	coverage := licensecheck.Scan(raw)
	if coverage.Percent < percent {
		return nil
	}
	var out []string
	for _, match := range coverage.Match {
		out = append(out, match.ID)
	}
	return out
}

// tidy normalises line endings and trailing white space.
func tidy(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
