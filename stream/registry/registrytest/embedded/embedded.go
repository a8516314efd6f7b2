// Package embedded runs a schema registry within the process, for measurements.
package embedded

import "github.com/twmb/franz-go/pkg/sr/srfake"

// Start starts a registry without schemas, and returns its address and a function to stop it.
func Start() (url string, stop func()) {
	r := srfake.New()
	return r.URL(), r.Close
}
