// Package atomicfile writes files atomically: they appear completely or not at all.
//
// A File has a temporary name in the same folder until Commit has flushed it to the disk and
// renamed it. So a reader sees either the previous or the complete new content, even after a crash.
// Sweep removes the temporary files that a crash leaves behind. The package does not depend on the
// contents of files, so every layer may use it.
package atomicfile
