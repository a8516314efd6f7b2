package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"unfold/stream/store"
	"unfold/stream/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) *blob.Bucket { return memblob.OpenBucket(nil) })
}

func openURL(t *testing.T, url string) *blob.Bucket {
	t.Helper()
	b, _, err := store.OpenBucket(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open opens a store and closes it at the end of the test.
func open(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put stores the first snapshot of a map with this name.
func put(t *testing.T, s *store.Store, name string) store.Object {
	t.Helper()
	o, err := s.Put(t.Context(), name, storetest.Snapshot(1, 4))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *blob.Bucket {
		return openURL(t, "file://"+filepath.Join(t.TempDir(), "maps")+"?create=true")
	})
}

func TestS3(t *testing.T) {
	for name, path := range map[string]string{"bucket": "", "prefix": "some/where"} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) *blob.Bucket { return openURL(t, storetest.StartS3(t).URL(path)) })
		})
	}
}

// Stages can share a bucket, because URLs with different prefixes have separate contents.
func TestPrefixes(t *testing.T) {
	server := storetest.StartS3(t)
	one, two := open(t, server.URL("one")), open(t, server.URL("two/"))
	put(t, one, "a")
	if all, err := two.List(t.Context(), "a"); err != nil || len(all) != 0 {
		t.Errorf("the other prefix holds %+v, %v", all, err)
	}
	if all, err := one.List(t.Context(), "a"); err != nil || len(all) != 1 {
		t.Errorf("its own prefix holds %+v, %v", all, err)
	}
	put(t, open(t, server.URL("")), "one")
	if got := one.String(); got != "s3://maps/one" {
		t.Errorf("it says to be %q", got)
	}
}

// Since snapshots contain events, their files and folders are accessible to the owner only.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "maps")
	s := open(t, "file://"+dir+"?create=true")
	o := put(t, s, "a")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "a"): 0o700, filepath.Join(dir, o.Key): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the object there are %v, %v", entries, err)
	}
}

// A missing folder is created only if the URL asks for it.
func TestMissingFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "mounted")
	_, err := store.Open(t.Context(), "file://"+dir)
	if err == nil || !strings.Contains(err.Error(), "there is no such folder; make it, or write file://"+dir+"?create=true") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there all the same: %v", err)
	}
	s := open(t, "file://"+dir+"?create=true")
	if s.String() != "file://"+dir {
		t.Errorf("it is called %s", s)
	}
	put(t, s, "a")
	put(t, open(t, "file://"+dir), "b")
}

func TestURLs(t *testing.T) {
	for url, want := range map[string]string{
		"file:///srv/maps":                                "",
		"file:///srv/maps?create=true":                    "",
		"file:///srv/maps?create=maybe":                   "names no folder",
		"s3://bucket/prefix?endpoint=http://x:1&region=a": "",
		"s3://bucket":                                     "",
		"":                                                "is no URL",
		"/srv/maps":                                       "is no URL",
		"file://srv/maps":                                 "three slashes",
		"file:///srv/maps?mode=1":                         "names no folder",
		"s3:///prefix":                                    "names no bucket",
		"s3://bucket?endpiont=x":                          `no parameter "endpiont"`,
		"s3://key:secret@bucket/prefix":                   "credentials come from the environment",
		"ftp://host/path":                                 "ftp:// is not known here",
		"s3://key:secret@bucket:x/%zz":                    "this is no URL",
	} {
		err := store.CheckURL(url)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the password: %v", url, err)
		}
	}
}

// Partial files of a process that died while writing are removed once they are old enough that
// nobody can still be writing them.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, "file://"+dir)
	o := put(t, s, "a")
	old, young := filepath.Join(dir, "a", "x.unfold.1a.tmp"), filepath.Join(dir, "a", "y.unfold.1b.tmp")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	day := time.Now().Add(-24 * time.Hour)
	for _, path := range []string{old, filepath.Join(dir, o.Key)} {
		if err := os.Chtimes(path, day, day); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Keep(t.Context(), "a", 5, ""); n != 1 || err != nil {
		t.Errorf("%d are removed, %v", n, err)
	}
	for path, there := range map[string]bool{old: false, young: true, filepath.Join(dir, o.Key): true} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// While a server is unreachable, errors name the address that was tried. Once it is back the store
// works again.
func TestServerAway(t *testing.T) {
	server := storetest.StartS3(t)
	s := open(t, server.URL("x"))
	o := put(t, s, "a")
	server.Stop()
	_, err := s.Get(t.Context(), o)
	var damaged *store.DamagedError
	if err == nil || errors.Is(err, store.ErrNotThere) || errors.As(err, &damaged) || !strings.Contains(err.Error(), "s3://maps/x") {
		t.Errorf("reading: %v", err)
	}
	if _, err := s.Put(t.Context(), "a", storetest.Snapshot(2, 4)); err == nil {
		t.Error("it is written to a server that is away")
	}
	server.Start()
	if _, err := s.Get(t.Context(), o); err != nil {
		t.Errorf("back again: %v", err)
	}
}
