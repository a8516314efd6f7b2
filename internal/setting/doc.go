// Package setting derives settings from struct tags. Each field becomes a Key: its name in YAML,
// its flag and its environment variable, with help, default and allowed values. It also has types
// whose text form mixes words and numbers, such as auto.
package setting
