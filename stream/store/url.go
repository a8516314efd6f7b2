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

// tags name for each scheme that is not in every program what it is built with.
var tags = map[string]string{"gs": "gcs", "azblob": "azure"}

// CheckURL says whether a URL can name a store for this program, without opening it.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url quotes what may hold a password.
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

// toBeMade says whether a URL of file:// asks for its folder to be made; ok is false if it
// says anything else behind the path.
func toBeMade(u *url.URL) (create, ok bool) {
	switch u.RawQuery {
	case "", "create=false":
		return false, true
	case "create=true":
		return true, true
	}
	return false, false
}

// parameters are those of each scheme that Open reads or passes on; nil: unknown here.
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

// OpenBucket opens what a URL names, as a bucket whose keys begin behind the URL's path;
// where names it without the URL's parameters. A folder must be there, unless the URL says
// create=true: one that is missing is most often a misspelt name, or a disk that is not
// mounted. A new one would hold maps that nobody sees.
func OpenBucket(ctx context.Context, raw string) (bucket *blob.Bucket, where string, err error) {
	u, err := parseURL(raw)
	if err != nil {
		return nil, "", err
	}
	where = u.Scheme + "://" + u.Host + u.Path
	if u.Scheme == "file" {
		// Snapshots hold events: they are for this user alone, unless the folder was
		// made for others before.
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

// compatible chooses what servers that only speak S3's protocol expect, if the URL
// names one: the bucket in the path, any region, no checksums beyond what is asked for.
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
