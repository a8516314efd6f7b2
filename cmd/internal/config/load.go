package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"unfold/internal/regular"
	"unfold/internal/setting"
	"unfold/internal/simd"
	"unfold/models/fit"
)

// DefaultFile is read if no file is named and it exists.
const DefaultFile = "unfold.yaml"

// Problem is a single error in the settings.
type Problem struct {
	// Where is "unfold.yaml:3:5", "--refresh-every" or "UNFOLD_REFRESH_EVERY";
	// "" if the setting is missing.
	Where string
	// Key is the path of the setting, or the unknown path that was given.
	Key string
	// Message describes the error, Hint the remedy. The hint may be empty.
	Message, Hint string
}

// Name returns the last part of the key.
func (p Problem) Name() string { return p.Key[strings.LastIndexByte(p.Key, '.')+1:] }

func (p Problem) String() string {
	var b strings.Builder
	if p.Where != "" {
		b.WriteString(p.Where + ": ")
	}
	if p.Key != "" && p.Where != p.Key {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Error has all problems of the settings.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%d settings are wrong:\n  %s", len(lines), strings.Join(lines, "\n  "))
}

// Lookup returns an environment variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// Load reads the settings: defaults, then the file (none if path is empty), then the environment,
// then flags by key path. more are kinds of models in addition to the built-in ones. Load does not
// check that required settings are present; Config.Validate does.
func Load(path string, env Lookup, flags map[string]string, more ...fit.Kind) (*Config, error) {
	c, problems := Defaults(more...), []Problem(nil)
	if path != "" {
		text, err := regular.ReadSmall(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &Error{[]Problem{{Where: path, Message: "there is no such file",
				Hint: "name the configuration with -c, or give every setting as a flag"}}}
		case err != nil:
			return nil, &Error{[]Problem{{Where: path, Message: err.Error()}}}
		}
		problems = c.readYAML(path, text, env)
	}
	for _, k := range keysOf(c.Model.kinds) {
		if v, ok := env(k.Env()); ok {
			if err := k.Set(c, v); err != nil {
				problems = append(problems, Problem{Where: k.Env(), Key: k.Path, Message: err.Error()})
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		k, ok := find(path, c.Model.kinds)
		if !ok {
			panic("config: a flag for the unknown key " + path)
		}
		if err := k.Set(c, flags[path]); err != nil {
			problems = append(problems, Problem{Where: "--" + k.Flag(), Message: err.Error()})
		}
	}
	if len(problems) > 0 {
		return nil, &Error{problems}
	}
	return c, nil
}

// Defaults returns a Config with all defaults.
func Defaults(more ...fit.Kind) *Config {
	c := new(Config)
	c.Model.kinds = fit.With(more...)
	for _, k := range keysOf(c.Model.kinds) {
		if k.Default == "" {
			continue
		}
		if err := k.Set(c, k.Default); err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", k.Path, err))
		}
	}
	return c
}

// UnknownVariables lists environment variables ("NAME=value") that start like a setting's but match
// none, with the most similar name. It is meant for warnings.
func UnknownVariables(environ []string, more ...fit.Kind) []Problem {
	known := []string{"UNFOLD_CONFIG", simd.Variable}
	for _, k := range Keys(more...) {
		known = append(known, k.Env())
	}
	var problems []Problem
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "UNFOLD_") || slices.Contains(known, name) {
			continue
		}
		if near := setting.Nearest(name, known); near != "" {
			problems = append(problems, Problem{Where: name, Message: "no setting has this variable", Hint: "did you mean " + near + "?"})
		}
	}
	return problems
}

// FileExists reports whether a file exists and is accessible.
func FileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
