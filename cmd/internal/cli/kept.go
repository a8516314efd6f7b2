package cli

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"unfold"
	"unfold/internal/regular"
	"unfold/models/snapshot"
)

// keptMaps are the maps that a session has in memory, so that its commands need not read
// them from their files each time. A file that has changed is read again. nil keeps none. It
// is safe for concurrent use.
type keptMaps struct {
	mu sync.Mutex
	// path, seen and snap are of the file that was read last: a session has one model.
	path string
	seen fs.FileInfo
	snap *snapshot.Snapshot
	// followed is the map that update has written last, to followedPath, and still is there.
	followed     *unfold.Map
	followedPath string
	followedSeen fs.FileInfo
}

// keptKey is the context's key of keptMaps.
type keptKey struct{}

// keptOf are the maps of the session that a command runs in, nil if there is none.
func keptOf(ctx context.Context) *keptMaps {
	k, _ := ctx.Value(keptKey{}).(*keptMaps)
	return k
}

// read reads a model's file.
func (k *keptMaps) read(path string) (*snapshot.Snapshot, error) {
	if k == nil {
		return snapshot.ReadFile(path)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	info, err := os.Stat(path)
	if err == nil && k.snap != nil && k.path == path && unchanged(info, k.seen) {
		return k.snap, nil
	}
	k.snap = nil
	s, err := snapshot.ReadFile(path)
	if err == nil {
		k.path, k.seen, k.snap = path, info, s
	}
	return s, err
}

// unchanged reports whether a file is the one that it was.
func unchanged(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}

// take hands the map of a file over to who will change it. Without one it is opened: a map
// that was written goes on as the one that wrote it.
func (k *keptMaps) take(path string) (*unfold.Map, error) {
	if k != nil {
		k.mu.Lock()
		m, of, seen := k.followed, k.followedPath, k.followedSeen
		k.followed = nil
		k.mu.Unlock()
		if info, err := os.Stat(path); err == nil && m != nil && of == path && unchanged(info, seen) {
			return m, nil
		}
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return unfold.Open(f)
}

// put keeps the map that was written to a file.
func (k *keptMaps) put(path string, m *unfold.Map) {
	if k == nil {
		return
	}
	if info, err := os.Stat(path); err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.followed, k.followedPath, k.followedSeen = m, path, info
	}
}
