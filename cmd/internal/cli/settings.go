package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/config"
	"unfold/models/fit"
)

// keyNames says which flag a key gets in a command, and in which group of the
// help; ok is false for none.
type keyNames = func(k config.Key) (name, group string, ok bool)

// flagName is a key's name as a flag.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

// fitKeys gives the columns' and the model's settings their short names.
func fitKeys(k config.Key) (name, group string, ok bool) {
	section, rest, _ := strings.Cut(k.Path, ".")
	switch {
	case k.Path == "model.place": // a fit places nothing that it does not learn
		return "", "", false
	case k.Path == frameKey: // which a fit takes from files, too: frameFlag
		return "", "", false
	case config.OfMessages(k.Path):
		return "", "", false
	case section == "model":
		return flagName(rest), "model", true
	case section == "source" && !strings.Contains(rest, "."):
		return flagName(rest), "columns", true
	}
	return "", "", false
}

// embedKeys are those of placing, and what the output has besides.
func embedKeys(k config.Key) (name, group string, ok bool) {
	if k.Path == "sink.loglik" {
		return k.Name(), "model", true
	}
	return placeKeys(k)
}

// placeKeys are those settings that may differ from what the model was learnt
// with: what passes through, and how rows are placed.
func placeKeys(k config.Key) (name, group string, ok bool) {
	switch k.Path {
	case "source.id", "source.keep", "source.label", "source.missing", "source.invalid_text", "source.vector", "source.class_probabilities":
		return flagName(k.Name()), "columns", true
	case "model.place", "model.search", "model.recall", "model.threads":
		return k.Name(), "model", true
	}
	return "", "", false
}

// serveKeys are those of embed, and how records are read.
func serveKeys(k config.Key) (name, group string, ok bool) {
	if k.Path == "source.types" {
		return flagName(k.Name()), "columns", true
	}
	return embedKeys(k)
}

// dataKeys are those that say which columns of data form its vectors.
func dataKeys(k config.Key) (name, group string, ok bool) {
	name, group, ok = fitKeys(k)
	switch name {
	case "id", "keep", "label", "invalid-text", "class-probabilities":
		return "", "", false
	}
	return name, group, ok && group == "columns"
}

// stageKeys gives every setting the flag that its path spells.
func stageKeys(k config.Key) (name, group string, ok bool) {
	section, _, below := strings.Cut(k.Path, ".")
	switch {
	case !below, section == "log", section == "trace":
		return k.Flag(), "stage", true
	case section == "registry":
		return k.Flag(), "source", true
	case section == "source" && !strings.HasPrefix(k.Path, "source.kafka.") && !config.OfMessages(k.Path):
		return k.Flag(), "columns", true
	case section == "dead_letter":
		return k.Flag(), "sink", true
	}
	return k.Flag(), section, true
}

// brokerKeys are those that say where topics are.
func brokerKeys(k config.Key) (name, group string, ok bool) {
	if strings.HasPrefix(k.Path, "source.kafka.") || strings.HasPrefix(k.Path, "sink.kafka.") || k.Path == "dead_letter.topic" {
		return stageKeys(k)
	}
	return "", "", false
}

// settingFlags are a command's flags that set keys of the configuration.
type settingFlags struct {
	Flags kong.Plugins `embed:""`
	// values are those that were given, by key path, once they are parsed.
	values func() map[string]string `kong:"-"`
}

// flagsOf makes a flag of every key that names gives one.
func flagsOf(names keyNames, kinds []fit.Kind) settingFlags {
	var fields []reflect.StructField
	var keys []config.Key
	for _, k := range config.Keys(kinds...) {
		name, group, ok := names(k)
		if !ok {
			continue
		}
		field := flagOf(k, name, group, helpOf(k), placeholder(k))
		field.Name = fmt.Sprintf("F%d", len(fields))
		fields, keys = append(fields, field), append(keys, k)
	}
	given := reflect.New(reflect.StructOf(fields))
	values := func() map[string]string {
		out := map[string]string{}
		for i, k := range keys {
			if f := given.Elem().Field(i); !f.IsNil() {
				out[k.Path] = fmt.Sprint(f.Elem().Interface())
			}
		}
		return out
	}
	return settingFlags{kong.Plugins{given.Interface()}, values}
}

// flagOf is the field of a flag, F, that sets a key.
func flagOf(k config.Key, name, group, help, placeholder string) reflect.StructField {
	typ := reflect.TypeFor[*string]()
	if k.Bool {
		typ = reflect.TypeFor[*bool]()
	}
	tag := fmt.Sprintf(`name:%s help:%s group:%s`, strconv.Quote(name), strconv.Quote(help), strconv.Quote(group))
	if placeholder != "" {
		tag += " placeholder:" + strconv.Quote(placeholder)
	}
	if len(k.Choices) > 0 {
		tag += " " + tagChoices + ":" + strconv.Quote(strings.Join(k.Choices, ","))
	}
	if !k.Common {
		tag += " " + tagRare + `:""`
	}
	return reflect.StructField{Name: "F", Type: typ, Tag: reflect.StructTag(tag)}
}

func helpOf(k config.Key) string {
	if k.Default == "" || strings.Contains(k.Help, "Default") {
		return k.Help
	}
	return k.Help + " Default " + k.Default + "."
}

func placeholder(k config.Key) string {
	if len(k.Choices) > 0 {
		return strings.Join(k.Choices, "|")
	}
	return k.Placeholder
}
