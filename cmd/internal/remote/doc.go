// Package remote reads remote inputs: objects of a store (s3://bucket/key, the schemes of package
// stream/store) and web pages (https://host/path).
//
//	var files remote.Files
//	defer files.Close()
//	addresses, err := files.Expand(ctx, "s3://bucket/events/day-*.parquet")
//	path, err := files.Local(ctx, addresses[0])     // a copy in a temporary folder
//
// Each object is downloaded once as a whole, because it is read several times: for its types, its
// footer, its rows. Close removes the copies. Credentials come from the same places as in package
// store; addresses contain none.
package remote
