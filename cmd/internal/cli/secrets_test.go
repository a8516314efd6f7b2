package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// planted marks every place where a user may put a secret.
const planted = "pl4ntedS3cret"

// leaky answers with errors as input servers do. Some repeat the URL.
func leaky(t *testing.T) string {
	data, err := os.ReadFile("small.csv")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/rows.csv", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
	mux.HandleFunc("/page.csv", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\n<body>") })
	mux.HandleFunc("/bad.parquet", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "PAR1 and no more") })
	mux.HandleFunc("/empty.csv", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/short.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "x,y")
	})
	mux.HandleFunc("/denied", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "denied "+r.URL.String(), http.StatusForbidden)
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://ann:"+planted+"@localhost:1/rows.csv?sig="+planted, http.StatusFound)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// No error prints a secret from a URL, a setting or the environment to the terminal, a log or a
// file.
func TestNoSecretIsPrinted(t *testing.T) {
	t.Chdir(workspace(t))
	host := leaky(t)
	must(t, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "d.unfold", "--map", "map.csv")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AK" + planted, "AWS_SECRET_ACCESS_KEY": planted, "AWS_SESSION_TOKEN": planted, "AWS_REGION": "us-east-1",
		"AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true", "KAFKA_PASSWORD": planted,
	} {
		t.Setenv(name, value)
	}
	secret := func(path string) string {
		return "http://ann:" + planted + "@" + host + path + "?sig=" + planted + "&user=" + planted
	}
	object := func(key string) string {
		return "s3://bucket/" + key + "?endpoint=http://ann:" + planted + "@" + host + "&kmskeyid=" + planted
	}
	config := func(name, text string) string {
		write(t, name, strings.ReplaceAll(text, "SECRET", planted))
		return name
	}
	stage := "source: {kafka: {brokers: ['127.0.0.1:1'], topic: events, group: g%s}, vector: v}\nsink: {kafka: {topic: out}}\nhttp: 'off'\n%s"
	write(t, "password", planted+"\n")
	clean := []string{} // the inputs themselves contain the secret
	for name, text := range map[string]string{
		"registry.yaml": fmt.Sprintf(stage, "", "registry: {url: 'http://ann:SECRET@127.0.0.1:1'}\n"),
		"state.yaml":    fmt.Sprintf(stage, "", "state: s3://ann:SECRET@bucket/state\n"),
		"trace.yaml":    fmt.Sprintf(stage, "", "trace: {endpoint: 'http://ann:SECRET@127.0.0.1:1/?t=SECRET'}\n"),
		"store.yaml":    fmt.Sprintf(stage, "", "snapshots: {store: 's3://bucket/x?endpoint=http://ann:SECRET@127.0.0.1:1&secret=SECRET', topic: t}\nrole: learn\n"),
		"password.yaml": fmt.Sprintf(stage, ", user: ann, password_file: password, sasl: plain", ""),
		"user.yaml":     "source: {kafka: {brokers: ['ann:SECRET@127.0.0.1:1'], topic: events}, vector: v}\nsink: {kafka: {topic: out}}\nhttp: 'ann:SECRET@127.0.0.1:1'\n",
		"mistyped.yaml": fmt.Sprintf(stage, "", "registry: {ulr: 'http://ann:SECRET@127.0.0.1:1'}\n"),
		"duration.yaml": fmt.Sprintf(stage, "", "refresh: {every: 'http://ann:SECRET@127.0.0.1:1'}\n"),
	} {
		clean = append(clean, config(name, text))
	}
	clean = append(clean, "password")
	small := []string{"--columns", "x,y,z", "--steps", "3"}
	for _, args := range [][]string{
		append([]string{"fit", secret("/rows.csv"), "-o", "a.unfold", "--map", "a.parquet", "--report", "a.json"}, small...),
		append([]string{"fit", secret("/none.csv"), "-o", "b.unfold"}, small...),
		append([]string{"fit", secret("/page.csv"), "-o", "b.unfold"}, small...),
		append([]string{"fit", secret("/denied"), "-o", "b.unfold"}, small...),
		append([]string{"fit", secret("/away"), "-o", "b.unfold"}, small...),
		append([]string{"fit", secret("/away"), "-o", "b.unfold", "--redirects"}, small...),
		append([]string{"fit", secret("/short.csv"), "-o", "b.unfold"}, small...),
		append([]string{"fit", object("rows.csv"), "-o", "b.unfold"}, small...),
		append([]string{"fit", object("day-*.csv"), "-o", "b.unfold"}, small...),
		append([]string{"fit", "s3://ann:" + planted + "@bucket/rows.csv", "-o", "b.unfold"}, small...),
		append([]string{"fit", "small.csv", "-o", secret("/out.unfold")}, small...),
		{"fit", secret("/rows.csv"), "-o", "b.unfold", "--columns", "none"},
		{"inspect", secret("/rows.csv")},
		{"inspect", secret("/rows.csv"), "--json"},
		{"inspect", secret("/bad.parquet")},
		{"inspect", secret("/empty.csv")},
		{"inspect", secret("/rows.csv"), "--max-download", "4"},
		{"inspect", "ftp://ann:" + planted + "@" + host + "/rows.csv"},
		{"inspect", "http://ann:" + planted + "@127.0.0.1:1/rows.csv?sig=" + planted},
		{"inspect", "https://ann:" + planted + "@" + host + "/rows.csv"},
		{"inspect", "http://ann:" + planted + "@no such host/rows.csv"},
		{"inspect", "http://ann:" + planted + "%zz@" + host + "/rows.csv"},
		{"embed", secret("/rows.csv"), "-m", "d.unfold", "-o", "places.csv"},
		{"embed", secret("/page.csv"), "-m", "d.unfold", "-o", "places.csv"},
		{"embed", "small.csv", "-m", secret("/d.unfold"), "-o", "places.csv"},
		{"embed", "small.csv", "-m", "d.unfold", "-o", secret("/places.csv")},
		{"score", "map.csv", "--data", secret("/none.csv")},
		{"score", secret("/rows.csv")},
		{"plot", secret("/rows.csv"), "-o", "x.svg"},
		{"plot", secret("/none.csv"), "-o", "x.svg"},
		{"export", secret("/rows.csv"), "-o", "x.html"},
		{"export", "map.csv", "--data", secret("/rows.csv"), "-o", "y.html"},
		{"clusters", secret("/rows.csv"), "-o", "c.csv"},
		{"explain", "d.unfold", secret("/rows.csv")},
		{"decode", "d.unfold", secret("/rows.csv"), "-o", "v.csv"},
		{"update", "d.unfold", "--add", secret("/none.csv")},
		{"serve", secret("/d.unfold")},
		{"lint", "-c", "registry.yaml"}, {"lint", "-c", "state.yaml"}, {"lint", "-c", "trace.yaml"}, {"lint", "-c", "store.yaml"},
		{"lint", "-c", "password.yaml"}, {"lint", "-c", "mistyped.yaml"}, {"lint", "-c", "user.yaml"}, {"dlq", "list", "-c", "user.yaml"},
		{"serve", "d.unfold", "--listen", "ann:" + planted + "@127.0.0.1:1"}, {"view", "map.csv", "--listen", "127.0.0.1:0", "--probe", "ann:" + planted + "@127.0.0.1:1"}, {"lint", "-c", "duration.yaml"},
		{"run", "-c", "registry.yaml"}, {"run", "-c", "mistyped.yaml"}, {"run", "-c", "state.yaml"}, {"run", "-c", "duration.yaml"},
		{"dlq", "list", "-c", "registry.yaml"},
		append([]string{"fit", "small.csv", "-o", "b.unfold", "--neighbors-file", secret("/none.npy")}, small...),
		append([]string{"fit", "small.csv", "-o", "b.unfold", "--neighbors-file", secret("/page.csv")}, small...),
		append([]string{"fit", "small.csv", "-o", "b.unfold", "--label-file", secret("/none.csv")}, small...),
		append([]string{"fit", "small.csv", "-o", "b.unfold", "--frame", secret("/none.csv")}, small...),
		{"fit", "--graph", secret("/none.csv"), "-o", "b.unfold"},
		{"score", "map.csv", "--label-file", secret("/none.csv")}, {"plot", "map.csv", "--label-file", secret("/none.csv"), "-o", "x.svg"},
		{"update", "d.unfold", "small.csv", "--forget", secret("/none.csv"), "-o", "b.unfold"},
		{"view", "map.csv", "--images-from", secret("/images")}, {"export", "map.csv", "-o", "y.html", "--images-from", secret("/images")},
		{"export", "map.csv", "-o", object("y.html")},
		{"run", "-c", secret("/config.yaml")},
		{secret("/rows.csv")},
		{"fit", "--" + secret("/rows.csv")},
	} {
		code, stdout, stderr := run(t, args...)
		if code == exitDone && strings.Contains(strings.Join(args, " "), "/none") {
			t.Errorf("unfold %s: it succeeds", args[0])
		}
		for _, out := range []string{stdout, stderr} {
			if strings.Contains(out, planted) {
				t.Errorf("unfold %s prints a secret:\n%s", strings.ReplaceAll(strings.Join(args, " "), planted, "SECRET"), out)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for _, name := range clean {
			if path == name {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(planted)) {
			t.Errorf("the file %s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
