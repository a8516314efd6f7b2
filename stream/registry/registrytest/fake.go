package registrytest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"unfold/stream/registry"
)

// Fake holds schemas as long as the test runs.
type Fake struct {
	t      testing.TB
	fake   *srfake.Registry
	status atomic.Int64
	only   atomic.Pointer[string]
	// against is the reason why every compared schema is incompatible; nil: it is compatible.
	against atomic.Pointer[string]
}

// StartFake starts a registry in this process, without schemas.
func StartFake(t testing.TB) *Fake {
	t.Helper()
	r := &Fake{t: t, fake: srfake.New()}
	t.Cleanup(r.fake.Close)
	r.fake.Intercept(func(w http.ResponseWriter, q *http.Request) bool {
		status, only := int(r.status.Load()), r.only.Load()
		if status == 0 || only != nil && *only != "" && *only != q.Method {
			return r.refuses(w, q)
		}
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error_code": %d, "message": "set to answer so"}`, status)
		return true
	})
	return r
}

// refuses answers a comparison of schemas, if so configured.
func (r *Fake) refuses(w http.ResponseWriter, q *http.Request) bool {
	why := r.against.Load()
	if why == nil || !strings.HasPrefix(q.URL.Path, "/compatibility/") {
		return false
	}
	w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
	fmt.Fprintf(w, `{"is_compatible": false, "messages": [%q]}`, *why)
	return true
}

// Incompatible makes every comparison of schemas fail with that reason.
func (r *Fake) Incompatible(why string) { r.against.Store(&why) }

// URL is its address.
func (r *Fake) URL() string { return r.fake.URL() }

// Client returns a client of it.
func (r *Fake) Client() *registry.Client {
	r.t.Helper()
	c, err := registry.New(registry.Settings{URL: r.URL()})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// Seed adds the first version of a subject's schema.
func (r *Fake) Seed(subject string, id int, typ registry.Type, text string) {
	r.t.Helper()
	s := sr.Schema{Schema: text}
	if err := s.Type.UnmarshalText([]byte(typ)); err != nil {
		r.t.Fatal(err)
	}
	r.fake.SeedSchema(subject, 1, id, s)
}

// Refuse makes all requests of a method ("": any) fail with a status; 0 ends it.
func (r *Fake) Refuse(method string, status int) {
	r.only.Store(&method)
	r.status.Store(int64(status))
}

// Away makes all requests fail as unavailable, or ends that.
func (r *Fake) Away(away bool) {
	if r.Refuse("", 0); away {
		r.Refuse("", http.StatusServiceUnavailable)
	}
}

// Conflict makes it reject all schemas permanently.
func (r *Fake) Conflict() { r.Refuse(http.MethodPost, http.StatusConflict) }

// Closed makes it reject all schemas temporarily.
func (r *Fake) Closed() { r.Refuse(http.MethodPost, http.StatusServiceUnavailable) }
