// Package remote reads inputs that lie elsewhere: objects of a store (s3://bucket/key, the
// schemes of package stream/store) and pages of the web (https://host/path).
//
//	var files remote.Files
//	defer files.Close()
//	addresses, err := files.Expand(ctx, "s3://bucket/events/day-*.parquet")
//	path, err := files.Local(ctx, addresses[0])     // a copy in a temporary folder
//
// Each object is fetched once, whole, as it is read more than once: for its types, its
// footer, its rows. Close removes the copies. Credentials come from where package store has
// them; an address holds none.
package remote
