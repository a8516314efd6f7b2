package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3://
)

// tags maps schemes that are not in every program to the build tag that adds them.
var tags = map[string]string{"gs": "gcs", "azblob": "azure"}

// CheckURL returns an error if the URL cannot name a store of this program. It does not open the
// store.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url is not returned, because it quotes the URL, which may contain a
		// password.
		return nil, errors.New("store: this is no URL; write file:///path or s3://bucket/prefix")
	}
	switch {
	case u.User != nil:
		return nil, fmt.Errorf("store: a URL of %s:// holds a user or a password: leave it out, credentials come from the environment", u.Scheme)
	case u.Scheme == "file":
		if _, ok := toBeMade(u); !ok || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return nil, fmt.Errorf("store: %q names no folder; write file:///path (three slashes), with ?create=true for one that is to be made", raw)
		}
		return u, nil
	case u.Scheme == "":
		return nil, fmt.Errorf("store: %q is no URL; write file:///path or s3://bucket/prefix", raw)
	case !blob.DefaultURLMux().ValidBucketScheme(u.Scheme):
		if tag := tags[u.Scheme]; tag != "" {
			return nil, fmt.Errorf("store: this program knows no %s://; build it with it: go build -tags %s ./cmd/unfold", u.Scheme, tag)
		}
		return nil, fmt.Errorf("store: %s:// is not known here; write file:///path or s3://bucket/prefix", u.Scheme)
	case u.Host == "":
		return nil, fmt.Errorf("store: %q names no bucket; write %s://bucket/prefix", raw, u.Scheme)
	}
	for name := range u.Query() {
		if known := parameters[u.Scheme]; known != nil && !known[name] {
			return nil, fmt.Errorf("store: %s:// has no parameter %q", u.Scheme, name)
		}
	}
	return u, nil
}

// toBeMade reports whether a file:// URL asks for its folder to be created. The result ok is false
// if the URL has any other parameter.
func toBeMade(u *url.URL) (create, ok bool) {
	switch u.RawQuery {
	case "", "create=false":
		return false, true
	case "create=true":
		return true, true
	}
	return false, false
}

// parameters lists, for each scheme, the parameters that Open reads or passes on. A scheme with nil
// is unknown.
var parameters = map[string]map[string]bool{
	"s3": set("endpoint", "region", "profile", "use_path_style", "hostname_immutable", "disable_https", "anonymous", "accelerate",
		"dualstack", "fips", "ssetype", "kmskeyid", "role", "rate_limiter_capacity", "request_checksum_calculation", "response_checksum_validation"),
}

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// OpenBucket opens the bucket of a URL, with keys relative to the URL's path. The result where is
// the URL without its parameters. A missing folder is an error unless the URL has create=true: most
// often the name is misspelt or a disk is not mounted, and a new folder would receive maps that
// nobody finds.
func OpenBucket(ctx context.Context, raw string) (bucket *blob.Bucket, where string, err error) {
	u, err := parseURL(raw)
	if err != nil {
		return nil, "", err
	}
	where = u.Scheme + "://" + u.Host + u.Path
	if u.Scheme == "file" {
		// Because snapshots contain events, a new folder is accessible to this user only. An
		// existing folder keeps its permissions.
		create, _ := toBeMade(u)
		bucket, err = fileblob.OpenBucket(filepath.FromSlash(u.Path),
			&fileblob.Options{CreateDir: create, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("store: %s: there is no such folder; make it, or write %s?create=true", where, where)
		}
		if err != nil {
			return nil, "", fmt.Errorf("store: %s: %w", where, err)
		}
		return bucket, where, nil
	}
	prefix := strings.Trim(u.Path, "/")
	u.Path = ""
	if u.Scheme == "s3" {
		u.RawQuery = compatible(u.Query()).Encode()
	}
	if bucket, err = blob.DefaultURLMux().OpenBucketURL(ctx, u); err != nil {
		return nil, "", fmt.Errorf("store: %s: %w", where, err)
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, prefix+"/")
	}
	return bucket, where, nil
}

// compatible sets the options that S3-compatible servers need, if the URL names such a server: the
// bucket's name in the path, any region, and no checksums but the required ones.
func compatible(q url.Values) url.Values {
	if q.Get("endpoint") == "" {
		return q
	}
	for name, value := range map[string]string{
		"region": "us-east-1", "use_path_style": "true",
		"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required",
	} {
		if !q.Has(name) {
			q.Set(name, value)
		}
	}
	return q
}
