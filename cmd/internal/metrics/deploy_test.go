package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"gopkg.in/yaml.v3"
)

const deploy = "../../../deploy/"

// leftOut are the metrics that neither the dashboard nor an alert uses, with the reason.
var leftOut = map[string]string{}

// reserved are the labels that Prometheus adds, and those of its histograms.
var reserved = []string{"job", "instance", "le"}

// described returns the labels of all registered metrics, under the names that Prometheus stores.
func described(t *testing.T) map[string][]string {
	t.Helper()
	m := New("v0")
	gathered, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	histograms := map[string]bool{}
	for _, family := range gathered {
		histograms[family.GetName()] = family.GetType().String() == "HISTOGRAM"
	}
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		m.registry.Describe(descriptions)
	}()
	parts := regexp.MustCompile(`^Desc\{fqName: "([^"]+)", help: .*, constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)
	constant := regexp.MustCompile(`([a-z_]+)="`)
	out := map[string][]string{}
	for d := range descriptions {
		p := parts.FindStringSubmatch(d.String())
		if p == nil {
			t.Fatalf("the registry describes a metric as %s", d)
		}
		labels := strings.FieldsFunc(p[3], func(r rune) bool { return r == ',' || r == ' ' })
		for _, c := range constant.FindAllStringSubmatch(p[2], -1) {
			labels = append(labels, c[1])
		}
		names := []string{p[1]}
		if histograms[p[1]] {
			names = []string{p[1] + "_bucket", p[1] + "_sum", p[1] + "_count"}
		}
		for _, name := range names {
			out[name] = append(out[name], labels...)
		}
	}
	if len(out) < 50 {
		t.Fatalf("the registry describes only %d metrics", len(out))
	}
	return out
}

// query is an expression, its location, and the texts that name its labels.
type query struct {
	where, expr string
	texts       []string
}

// dashboard returns the queries of the dashboard.
func dashboard(t *testing.T) []query {
	t.Helper()
	text, err := os.ReadFile(deploy + "grafana/unfold.json")
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Panels []struct {
			ID          int
			Title, Type string
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct{ Expr, LegendFormat string }
		}
		Annotations struct{ List []struct{ Name, Expr string } }
		Templating  struct {
			List []struct{ Name, Query string }
		}
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	var out []query
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range page.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q has the id of another one", p.Title)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] != "" {
					t.Fatalf("panel %q lies on %q", p.Title, taken[at])
				}
				taken[at] = p.Title
			}
		}
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			out = append(out, query{"panel " + p.Title, target.Expr, []string{target.LegendFormat}})
		}
	}
	for _, a := range page.Annotations.List {
		out = append(out, query{"annotation " + a.Name, a.Expr, nil})
	}
	for _, v := range page.Templating.List {
		if v.Name != "datasource" {
			out = append(out, query{"variable " + v.Name, v.Query, nil})
		}
	}
	return out
}

// alerts returns the queries of the alert rules.
func alerts(t *testing.T) []query {
	t.Helper()
	f, err := os.Open(deploy + "prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var out []query
	seen := map[string]bool{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || seen[r.Alert] {
				t.Errorf("alert %q: no name, or another one's", r.Alert)
			}
			seen[r.Alert] = true
			if s := r.Labels["severity"]; s != "page" && s != "warn" {
				t.Errorf("alert %s: severity %q, want page or warn", r.Alert, s)
			}
			if r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("alert %s says not what is wrong, or what to do", r.Alert)
			}
			out = append(out, query{"alert " + r.Alert, r.Expr, slices.Collect(maps.Values(r.Annotations))})
		}
	}
	return out
}

var (
	metricName  = regexp.MustCompile(`\b(?:unfold|go|process)_[a-z0-9_]+`)
	selector    = regexp.MustCompile(`\b((?:unfold|go|process)_[a-z0-9_]+)\{([^}]*)\}`)
	matcher     = regexp.MustCompile(`([a-zA-Z_]+)\s*(?:=~|!~|!=|=)`)
	grouping    = regexp.MustCompile(`\b(?:by|on|without|ignoring)\s*\(([^)]*)\)`)
	ofATemplate = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}`)
)

// The dashboard and the alerts use only existing metrics and labels. They use all of them, unless
// leftOut has a reason. So renaming a metric fails this test.
func TestDashboardAndAlertsNameMetrics(t *testing.T) {
	known := described(t)
	used := map[string]bool{}
	for _, q := range slices.Concat(dashboard(t), alerts(t)) {
		labels := slices.Clone(reserved)
		names := metricName.FindAllString(q.expr, -1)
		if len(names) == 0 && !strings.HasPrefix(q.expr, "up{") {
			t.Errorf("%s asks for no metric: %s", q.where, q.expr)
		}
		for _, name := range names {
			if _, is := known[name]; !is {
				t.Errorf("%s asks for %s, which the program does not have", q.where, name)
			}
			used[name] = true
			labels = append(labels, known[name]...)
		}
		for _, s := range selector.FindAllStringSubmatch(q.expr, -1) {
			for _, l := range matcher.FindAllStringSubmatch(s[2], -1) {
				if !slices.Contains(slices.Concat(reserved, known[s[1]]), l[1]) {
					t.Errorf("%s: %s has no label %q", q.where, s[1], l[1])
				}
			}
		}
		var named []string
		for _, g := range grouping.FindAllStringSubmatch(q.expr, -1) {
			named = append(named, strings.FieldsFunc(g[1], func(r rune) bool { return r == ',' || r == ' ' })...)
		}
		for _, text := range q.texts {
			for _, l := range ofATemplate.FindAllStringSubmatch(text, -1) {
				named = append(named, l[1])
			}
		}
		for _, l := range named {
			if !slices.Contains(labels, l) {
				t.Errorf("%s: no metric of %s has a label %q", q.where, q.expr, l)
			}
		}
	}
	for name := range known {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		shown := used[name] || used[base+"_bucket"] || used[base+"_sum"] || used[base+"_count"]
		if why := leftOut[base]; strings.HasPrefix(name, "unfold_") && shown == (why != "") {
			t.Errorf("%s: shown %v in deploy/grafana or deploy/prometheus, in leftOut of deploy_test.go because %q; it has to be in one of the two", name, shown, why)
		}
	}
	for name := range leftOut {
		if known[name] == nil && known[name+"_bucket"] == nil {
			t.Errorf("%s is left out, and the program does not have it", name)
		}
	}
}

// Queries use the increase of counters, never their total since the start.
func TestCountersAreAskedForTheirGrowth(t *testing.T) {
	counter := regexp.MustCompile(`[a-z0-9_]+_(?:total|bucket)\b`)
	growth := regexp.MustCompile(`(?:rate|increase)\([a-z0-9_]+_(?:total|bucket)(?:\{[^}]*\})?\[[^\]]+\]\)`)
	// A series that did not exist before is also an increase.
	appeared := regexp.MustCompile(`\(([a-z0-9_]+_total) unless ([a-z0-9_]+_total) offset [0-9]+m\) > 0`)
	checked := 0
	for _, q := range slices.Concat(dashboard(t), alerts(t)) {
		checked += len(growth.FindAllString(q.expr, -1))
		rest := appeared.ReplaceAllString(growth.ReplaceAllString(q.expr, ""), "")
		if bad := counter.FindString(rest); bad != "" {
			t.Errorf("%s takes %s as it is", q.where, bad)
		}
	}
	if checked == 0 {
		t.Error("no counter is asked for")
	}
}
