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

// keptMaps caches the maps of a session, so that its commands do not read them from files each
// time. A changed file is read again. A nil *keptMaps caches nothing. It is safe for concurrent
// use.
type keptMaps struct {
	mu sync.Mutex
	// path, seen and snap describe the file that was read last. One is enough, because a session
	// has one model.
	path string
	seen fs.FileInfo
	snap *snapshot.Snapshot
	// followed is the map that update wrote last, to followedPath, if that is unchanged.
	followed     *unfold.Map
	followedPath string
	followedSeen fs.FileInfo
	grouped      keptClusters
}

// keptKey is the context key of keptMaps.
type keptKey struct{}

// keptOf returns the cached maps of the session that ctx belongs to, nil outside a session.
func keptOf(ctx context.Context) *keptMaps {
	k, _ := ctx.Value(keptKey{}).(*keptMaps)
	return k
}

// read reads a model file, or returns the cached one.
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

// unchanged reports whether a file is the same as before, by identity, time and size.
func unchanged(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}

// take returns the map of a file for changing, and removes it from the cache. If it is not cached,
// the file is opened. A cached map continues in the state of the last write.
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

// put caches the map that was written to a file.
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
