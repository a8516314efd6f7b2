package config

import (
	"reflect"

	"unfold/internal/setting"
	"unfold/models/fit"
)

// Key is one setting.
type Key = setting.Key

// Keys lists every setting in the order of Config, those of kinds of models among those
// that all kinds share.
func Keys() []Key {
	keys := setting.Of(reflect.TypeFor[Config](), "", func(c any) any { return c })
	return fit.AddKeys(keys, "model", func(c any, kind string) fit.Settings { return c.(*Config).Model.settings(kind) })
}

// Find returns the key of that path.
func Find(path string) (Key, bool) {
	for _, k := range Keys() {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}
