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

// keyNames returns the flag of a key in a command, and its group in the help. ok is false for keys
// without a flag.
type keyNames = func(k config.Key) (name, group string, ok bool)

// flagName converts a key's name to a flag's.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

// fitKeys names the settings of columns and model in short form.
func fitKeys(k config.Key) (name, group string, ok bool) {
	section, rest, _ := strings.Cut(k.Path, ".")
	switch {
	case k.Path == "model.place": // fit only places rows that it learns
		return "", "", false
	case k.Path == frameKey: // frameFlag handles it, because fit also accepts files
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

// embedKeys selects the settings of placing and of the output.
func embedKeys(k config.Key) (name, group string, ok bool) {
	if k.Path == "sink.loglik" {
		return k.Name(), "model", true
	}
	return placeKeys(k)
}

// placeKeys selects the settings that may differ from the model's: the columns that pass through
// and the placement of rows.
func placeKeys(k config.Key) (name, group string, ok bool) {
	switch k.Path {
	case "source.id", "source.keep", "source.label", "source.missing", "source.invalid_text", "source.vector", "source.class_probabilities":
		return flagName(k.Name()), "columns", true
	case "model.place", "model.search", "model.recall", "model.threads":
		return k.Name(), "model", true
	}
	return "", "", false
}

// serveKeys selects the settings of embed and the types of records.
func serveKeys(k config.Key) (name, group string, ok bool) {
	if k.Path == "source.types" {
		return flagName(k.Name()), "columns", true
	}
	return embedKeys(k)
}

// dataKeys selects the settings of the columns that form vectors.
func dataKeys(k config.Key) (name, group string, ok bool) {
	name, group, ok = fitKeys(k)
	switch name {
	case "id", "keep", "label", "invalid-text", "class-probabilities":
		return "", "", false
	}
	return name, group, ok && group == "columns"
}

// stageKeys names the flag of every setting after its full path.
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

// brokerKeys selects the settings of brokers and topics.
func brokerKeys(k config.Key) (name, group string, ok bool) {
	if strings.HasPrefix(k.Path, "source.kafka.") || strings.HasPrefix(k.Path, "sink.kafka.") || k.Path == "dead_letter.topic" {
		return stageKeys(k)
	}
	return "", "", false
}

// settingFlags are the flags of a command that set keys of the configuration.
type settingFlags struct {
	Flags kong.Plugins `embed:""`
	// values returns the given values by key path. It works after parsing.
	values func() map[string]string `kong:"-"`
}

// flagsOf returns a flag for every key that names selects.
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

// flagOf returns the struct field of a flag that sets a key.
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
	switch {
	case len(k.Choices) >= manyChoices:
		return strings.ToUpper(k.Name())
	case len(k.Choices) > 0:
		return strings.Join(k.Choices, "|")
	}
	return k.Placeholder
}
