// Package storetest is the conformance suite of package store: it tests that snapshots can be
// published in a kind of bucket.
//
// Run takes a bucket instead of a store, so that it can also damage objects and leave partial ones.
package storetest
