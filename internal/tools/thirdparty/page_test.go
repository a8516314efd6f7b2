package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// THIRD_PARTY.txt is up to date with the modules that are linked today.
func TestPageIsCurrent(t *testing.T) {
	want, err := Page(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "THIRD_PARTY.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	has := slices.Collect(strings.Lines(string(got)))
	for line := range strings.Lines(string(want)) {
		if !slices.Contains(has, line) {
			t.Errorf("THIRD_PARTY.txt lacks %q", line)
			break
		}
	}
	t.Error("THIRD_PARTY.txt is not what is linked today: make third-party")
}

// A module without a licence, or with an unknown one, is an error.
func TestUnknownLicences(t *testing.T) {
	mit, err := os.ReadFile("testdata/mit.txt")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("You may use this on sunny days only. ", 20)
	for _, c := range []struct {
		name         string
		files        map[string]string
		licence, bad string
	}{
		{"nothing", nil, "", "there is no licence"},
		{"a licence", map[string]string{"LICENSE": string(mit)}, "MIT", ""},
		{"spelled otherwise", map[string]string{"Copying.md": string(mit)}, "MIT", ""},
		{"in the readme", map[string]string{"README.md": long + string(mit)}, "MIT", ""},
		{"a readme without", map[string]string{"README.md": long}, "", "README.md is not known"},
		{"home-made", map[string]string{"LICENSE": long}, "", "LICENSE is not known"},
		{"two, one of them home-made", map[string]string{"LICENSE": string(mit), "LICENSE.data": long}, "", "LICENSE.data is not known"},
		{"a notice alone", map[string]string{"NOTICE": long}, "", "there is no licence"},
		{"with a notice", map[string]string{"LICENSE": string(mit), "NOTICE": long}, "MIT", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all := map[string]*text{}
			licence, err := collect(module{Path: "example.com/m", Dir: dir}, nil, all)
			if c.bad != "" {
				if err == nil || !strings.Contains(err.Error(), c.bad) {
					t.Fatalf("%q, %v; want the error %q", licence, err, c.bad)
				}
				return
			}
			if err != nil || licence != c.licence || len(all) != len(c.files) {
				t.Errorf("%q, %v, %d texts; want %q and %d", licence, err, len(all), c.licence, len(c.files))
			}
		})
	}
}
