package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Key is one setting.
type Key struct {
	// Path names it, "source.kafka.topic".
	Path string
	// Help says in a sentence what it is. Placeholder stands for its value in
	// help, Default is its default as text, Choices the words it takes, if only
	// some.
	Help, Placeholder, Default string
	Choices                    []string
	// Bool and List tell its type where that matters for the command line.
	Bool, List bool
	// Required: the stage does not run without it. Common: most people need it, so
	// that a short help shows it.
	Required, Common bool

	least *float64
	index [][]int // the fields' indices from Config down
}

// Flag returns the name of the key's flag, "source-kafka-topic".
func (k Key) Flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(k.Path) }

// Env returns the key's environment variable, "UNFOLD_SOURCE_KAFKA_TOPIC".
func (k Key) Env() string {
	return "UNFOLD_" + strings.ToUpper(strings.NewReplacer(".", "_").Replace(k.Path))
}

// Name returns the last part of the path, "topic".
func (k Key) Name() string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }

// Keys lists every setting in the order of Config.
func Keys() []Key { return keysOf(reflect.TypeFor[Config](), "", nil) }

// Find returns the key of that path.
func Find(path string) (Key, bool) {
	for _, k := range Keys() {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}

func keysOf(t reflect.Type, path string, index [][]int) []Key {
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		name, ok := f.Tag.Lookup("key")
		if !ok {
			continue
		}
		at := append(append([][]int{}, index...), []int{i})
		full := strings.Trim(path+"."+name, ".")
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(f.Type, full, at)...)
			continue
		}
		k := Key{
			Path: full, Help: f.Tag.Get("help"), Placeholder: f.Tag.Get("placeholder"), Default: f.Tag.Get("default"),
			Bool: f.Type.Kind() == reflect.Bool, List: f.Type.Kind() == reflect.Slice,
			Required: f.Tag.Get("required") == "true", Common: f.Tag.Get("common") == "true", index: at,
		}
		if c := f.Tag.Get("choices"); c != "" {
			k.Choices = strings.Split(c, ",")
		}
		if m := f.Tag.Get("min"); m != "" {
			v, err := strconv.ParseFloat(m, 64)
			if err != nil {
				panic(fmt.Sprintf("config: %s: min:%q", full, m))
			}
			k.least = &v
		}
		keys = append(keys, k)
	}
	return keys
}

func (k Key) field(c *Config) reflect.Value {
	v := reflect.ValueOf(c).Elem()
	for _, i := range k.index {
		v = v.FieldByIndex(i)
	}
	return v
}

// Set gives the key a value from its text form; a list's parts are separated by
// commas.
func (k Key) Set(c *Config, text string) error {
	if k.List {
		var parts []string
		for _, p := range splitList(text) {
			if p = strings.TrimSpace(p); p != "" {
				parts = append(parts, p)
			}
		}
		return k.setList(c, parts)
	}
	return k.setScalar(c, strings.TrimSpace(text))
}

func (k Key) setList(c *Config, parts []string) error {
	k.field(c).Set(reflect.ValueOf(append([]string(nil), parts...)))
	return nil
}

func (k Key) setScalar(c *Config, text string) error {
	if len(k.Choices) > 0 {
		if err := oneOf(text, k.Choices); err != nil {
			return err
		}
	}
	f := k.field(c)
	if u, ok := f.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		f.SetBool(v)
	case reflect.Int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		f.SetInt(int64(v))
		return k.atLeast(float64(v))
	case reflect.Uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0", text)
		}
		f.SetUint(v)
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is not a number", text)
		}
		f.SetFloat(v)
		return k.atLeast(v)
	default:
		panic(fmt.Sprintf("config: %s has a type that cannot be set: %s", k.Path, f.Type()))
	}
	return nil
}

func (k Key) atLeast(v float64) error {
	if k.least != nil && v < *k.least {
		return fmt.Errorf("%v is too small; it must be at least %v", v, *k.least)
	}
	return nil
}

// Text returns the key's value in its text form.
func (k Key) Text(c *Config) string {
	f := k.field(c)
	if k.List {
		return strings.Join(f.Interface().([]string), ",")
	}
	return fmt.Sprint(f.Interface())
}

// splitList splits at commas that no backslash precedes (column options may
// hold escaped commas; the backslash stays).
func splitList(text string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ',':
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

func oneOf(text string, choices []string) error {
	for _, c := range choices {
		if text == c {
			return nil
		}
	}
	hint := ""
	if near := nearest(text, choices); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return fmt.Errorf("%q is none of %s%s", text, strings.Join(choices, ", "), hint)
}

// nearest returns the word that was probably meant, or "".
func nearest(word string, words []string) string {
	best, least := "", 1+max(1, 2*len(word)/5)
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	return best
}
