// Package storetest is the conformance suite of package store: what every kind of
// bucket has to do for snapshots to be published in it.
//
// Run takes a bucket, so that it can also do to it what must not happen: damage
// objects, leave half of one behind.
package storetest
