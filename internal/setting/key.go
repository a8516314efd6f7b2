package setting

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Key is one setting.
type Key struct {
	// Path names it, "source.kafka.topic".
	Path string
	// Help describes the setting in a sentence. Placeholder stands for the value in help texts,
	// Default is the default as text, and Choices are the allowed words, if they are limited.
	Help, Placeholder, Default string
	Choices                    []string
	// Python is the parameter's name in the Python package, if it differs from Name.
	Python string
	// Bool and List describe the type as far as the command line needs it.
	Bool, List bool
	// Required means that the stage does not run without it. Common means that most people need it,
	// so that the short help includes it.
	Required, Common bool

	// After is the name of the key that precedes this one in lists; "" means the previous key of
	// its struct.
	After string

	least  *float64
	fields []field
}

// field returns a key's field in the struct of all settings.
type field func(all any) reflect.Value

// Flag returns the name of the key's flag, "source-kafka-topic".
func (k Key) Flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(k.Path) }

// Env returns the key's environment variable, "UNFOLD_SOURCE_KAFKA_TOPIC".
func (k Key) Env() string {
	return "UNFOLD_" + strings.ToUpper(strings.NewReplacer(".", "_").Replace(k.Path))
}

// Name returns the last part of the path, "topic".
func (k Key) Name() string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }

// Values describes the values that the key accepts, "auto, exact, hnsw" or "N, from 1".
func (k Key) Values() string {
	switch {
	case k.Bool:
		return "true, false"
	case len(k.Choices) > 0:
		return strings.Join(k.Choices, ", ")
	case k.least != nil:
		return fmt.Sprintf("%s, from %v", k.Placeholder, *k.least)
	}
	return k.Placeholder
}

// Of lists the keys of a struct of type t by its tags, in order, below path. The tags are key (the
// name; "" for a struct whose keys belong to the surrounding one), help, placeholder, default,
// choices, min, required, common, after and python. Instead of the tag choices, a field's type may
// have the methods Choices and About. About returns a sentence that follows the help. A method
// Check returns an error for a wrong value of a text. root converts the argument of Set and Text to
// a pointer to the struct.
func Of(t reflect.Type, path string, root func(all any) any) []Key { return of(t, path, root, nil) }

func of(t reflect.Type, path string, root func(all any) any, index []int) []Key {
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		name, ok := f.Tag.Lookup("key")
		if !ok {
			continue
		}
		at := append(slices.Clone(index), i)
		full := strings.Trim(path+"."+name, ".")
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, of(f.Type, full, root, at)...)
			continue
		}
		keys = append(keys, keyOf(f, full, func(all any) reflect.Value {
			return reflect.ValueOf(root(all)).Elem().FieldByIndex(at)
		}))
	}
	return keys
}

// keyOf returns the key of a field, from its tags.
func keyOf(f reflect.StructField, path string, at field) Key {
	k := Key{
		Path: path, Help: f.Tag.Get("help"), Placeholder: f.Tag.Get("placeholder"), Default: f.Tag.Get("default"),
		Bool: f.Type.Kind() == reflect.Bool, List: f.Type.Kind() == reflect.Slice,
		Required: f.Tag.Get("required") == "true", Common: f.Tag.Get("common") == "true", After: f.Tag.Get("after"),
		Python: f.Tag.Get("python"), fields: []field{at},
	}
	if c := f.Tag.Get("choices"); c != "" {
		k.Choices = strings.Split(c, ",")
	}
	if c, ok := reflect.Zero(f.Type).Interface().(interface {
		Choices() []string
		About() string
	}); ok {
		k.Choices, k.Help = c.Choices(), k.Help+" "+c.About()
	}
	if m := f.Tag.Get("min"); m != "" {
		v, err := strconv.ParseFloat(m, 64)
		if err != nil {
			panic(fmt.Sprintf("setting: %s: min:%q", path, m))
		}
		k.least = &v
	}
	return k
}

// Add adds keys to a list, each after the key that its After names, or after the previous one. A
// key that exists already is the same setting in another struct; it then sets both.
func Add(list, more []Key) []Key {
	at := len(list)
	for _, k := range more {
		if i := slices.IndexFunc(list, func(l Key) bool { return l.Path == k.Path }); i >= 0 {
			list[i].fields = append(slices.Clone(list[i].fields), k.fields...)
			at = i + 1
			continue
		}
		if k.After != "" {
			if i := slices.IndexFunc(list, func(l Key) bool { return l.Name() == k.After && l.section() == k.section() }); i >= 0 {
				at = i + 1
			}
		}
		list = slices.Insert(list, at, k)
		at++
	}
	return list
}

// section is the path without the name.
func (k Key) section() string { return strings.TrimSuffix(k.Path, k.Name()) }

// Set sets the key's value from its text form; the parts of a list are separated by commas.
func (k Key) Set(all any, text string) error {
	if k.List {
		var parts []string
		for _, p := range SplitList(text) {
			if p = strings.TrimSpace(p); p != "" {
				parts = append(parts, p)
			}
		}
		return k.SetList(all, parts)
	}
	for _, f := range k.fields {
		if err := k.setScalar(f(all), strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return nil
}

// SetList sets the parts of a list.
func (k Key) SetList(all any, parts []string) error {
	for _, f := range k.fields {
		f(all).Set(reflect.ValueOf(append([]string(nil), parts...)))
	}
	return nil
}

func (k Key) setScalar(f reflect.Value, text string) error {
	if len(k.Choices) > 0 {
		if err := oneOf(text, k.Choices); err != nil {
			return err
		}
	}
	if u, ok := f.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
		if v, ok := f.Interface().(interface{ Check() error }); ok {
			return v.Check()
		}
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
		panic(fmt.Sprintf("setting: %s has a type that cannot be set: %s", k.Path, f.Type()))
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
func (k Key) Text(all any) string {
	f := k.fields[0](all)
	if k.List {
		return strings.Join(f.Interface().([]string), ",")
	}
	return fmt.Sprint(f.Interface())
}

// SplitList splits at commas without a preceding backslash. (Column options may contain escaped
// commas; the backslash stays.)
func SplitList(text string) []string {
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
	base, _, parameter := strings.Cut(text, ":")
	for _, c := range choices {
		// The choice name:P takes a parameter, which Check of the setting's type checks.
		switch {
		case text == c || parameter && c == base+":P":
			return nil
		case c == text+":P":
			return fmt.Errorf("%q needs a number in place of P: %s", text, c)
		}
	}
	hint := ""
	if near := Nearest(text, choices); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return fmt.Errorf("%q is none of %s%s", text, strings.Join(choices, ", "), hint)
}

// Nearest returns the most similar word, which was probably meant, or "".
func Nearest(word string, words []string) string {
	best, least := "", 1+max(1, 2*len(word)/5)
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	return best
}
