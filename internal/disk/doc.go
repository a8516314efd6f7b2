// Package disk reports how much room a file system has.
package disk
