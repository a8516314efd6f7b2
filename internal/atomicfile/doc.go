// Package atomicfile writes files that appear whole or not at all.
//
// A File has a temporary name beside its own until Commit has flushed it to the
// disk and renamed it; whoever looks at the name, also after a crash, sees what
// was there before or all of what is there now. What a crash leaves beside it,
// Sweep removes. The package knows nothing of what is in a file, so every layer
// may use it.
package atomicfile
