package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// equivalentText names changes that no test can detect, each with the reason. A line is
//
//	package file function kind: text # reason
//
// without a line number, so that it survives edits elsewhere. Function is - outside of functions.
//
//go:embed equivalent.txt
var equivalentText string

// excuses maps the changes of a package to the reasons why no test can detect them.
type excuses map[string]string

// key names a change without its line. Changes of one function with equal texts share it.
func (s site) key() string {
	name := s.Func
	if name == "" {
		name = "-"
	}
	return fmt.Sprintf("%s %s %s: %s", s.File, name, s.Kind, s.Text)
}

// excusesOf returns the excuses of a package, for example ./stream.
func excusesOf(path, text string) (excuses, error) {
	out := excuses{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		change, reason, reasoned := strings.Cut(line, " # ")
		name, key, whole := strings.Cut(change, " ")
		if !reasoned || !whole || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("equivalent.txt, line %d: want: package file function kind: text # reason", i+1)
		}
		if name == strings.TrimPrefix(path, "./") {
			out[strings.TrimSpace(key)] = strings.TrimSpace(reason)
		}
	}
	return out, nil
}

// check returns an error for a change that does not exist, such as one whose code has changed.
func (e excuses) check(path string, sites []site) error {
	there := map[string]bool{}
	for _, s := range sites {
		there[s.key()] = true
	}
	for key := range e {
		if !there[key] {
			return fmt.Errorf("equivalent.txt: %s has no change %q: remove or correct the line", path, key)
		}
	}
	return nil
}

// excuse moves survivors and missed changes with an excuse to r.Equivalent.
func (r *result) excuse(e excuses) {
	for _, list := range []*[]site{&r.Survivors, &r.Missed} {
		var rest []site
		for _, s := range *list {
			if reason := e[s.key()]; reason != "" {
				r.Equivalent = append(r.Equivalent, equivalent{s, reason})
				continue
			}
			rest = append(rest, s)
		}
		*list = rest
	}
}

// note returns the reason of a change as a remark.
func (e excuses) note(s site) string {
	if reason := e[s.key()]; reason != "" {
		return " (equivalent: " + reason + ")"
	}
	return ""
}

// equivalent is a change that no test can detect.
type equivalent struct {
	site
	Reason string
}
