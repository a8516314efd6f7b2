package storetest

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// S3 is a server of the S3 protocol that keeps one bucket, called Bucket, in memory.
type S3 struct {
	t       testing.TB
	address string
	handler http.Handler
	server  *http.Server
	done    chan error
}

// bucket is the content of the S3 server's only bucket.
const bucket = "maps"

// StartS3 starts a server that is stopped at the end of the test, and sets the credentials that S3
// clients of this process read.
func StartS3(t testing.TB) *S3 {
	t.Helper()
	for _, variable := range s3Credentials() {
		t.Setenv(variable[0], variable[1])
	}
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	s := &S3{t: t, address: "127.0.0.1:0", handler: gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()}
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

// s3Credentials are the environment variables that an S3 client needs.
func s3Credentials() [][2]string {
	return [][2]string{{"AWS_ACCESS_KEY_ID", "test"}, {"AWS_SECRET_ACCESS_KEY", "test"}, {"AWS_EC2_METADATA_DISABLED", "true"}}
}

// URL names a store in its bucket.
func (s *S3) URL(prefix string) string {
	return "s3://" + bucket + "/" + prefix + "?endpoint=http://" + s.address
}

// Start starts the server again after Stop. Its objects are still there.
func (s *S3) Start() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address)
	for end := time.Now().Add(time.Minute); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // another process uses the port meanwhile
		l, err = net.Listen("tcp", s.address)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.address, s.done = l.Addr().String(), make(chan error, 1)
	server, done := &http.Server{Handler: s.handler}, s.done
	s.server = server
	go func() { done <- server.Serve(l) }()
}

// Stop closes all connections and accepts no new ones.
func (s *S3) Stop() {
	if s.server == nil {
		return
	}
	s.server.Close()
	if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
		s.t.Error(err)
	}
	s.server = nil
}

// Put stores an object under a key of the bucket.
func (s *S3) Put(key string, data []byte) {
	s.t.Helper()
	to := url.URL{Scheme: "http", Host: s.address, Path: "/" + bucket + "/" + key}
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, to.String(), bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("putting %s: %s", key, answer.Status)
	}
}
