package config

import (
	"reflect"

	"unfold/internal/setting"
)

// Key is one setting.
type Key = setting.Key

// Keys lists every setting in the order of Config.
func Keys() []Key {
	return setting.Of(reflect.TypeFor[Config](), "", func(c any) any { return c })
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
