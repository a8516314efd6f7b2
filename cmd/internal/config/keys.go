package config

import (
	"reflect"

	"unfold/internal/setting"
	"unfold/models/fit"
)

// Key is one setting.
type Key = setting.Key

// Keys lists every setting in the order of Config. Settings of kinds of models come among those
// that all kinds share. more are kinds in addition to the built-in ones.
func Keys(more ...fit.Kind) []Key { return keysOf(fit.With(more...)) }

func keysOf(kinds fit.Kinds) []Key {
	keys := setting.Of(reflect.TypeFor[Config](), "", func(c any) any { return c })
	return kinds.AddKeys(keys, "model", func(c any, kind string) fit.Settings { return c.(*Config).Model.settings(kind) })
}

// Find returns the key with the given path.
func Find(path string, more ...fit.Kind) (Key, bool) { return find(path, fit.With(more...)) }

func find(path string, kinds fit.Kinds) (Key, bool) {
	for _, k := range keysOf(kinds) {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}
