package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"unfold/cmd/internal/humanize"
	"unfold/models/clusters"
	"unfold/models/score"
)

// clusterReport summarizes the clusters that were found.
type clusterReport struct {
	points, dims int
	set          clusters.Settings
	found        []clusterLine // the largest first
	noise        int
	classes      *score.Partition // nil without labels
	output       string
	// added is the number of new rows. addedNoise of them are noise.
	added, addedNoise int
}

type clusterLine struct {
	label, size int
	persistence float64
	name        string
}

// mostListed is the number of clusters that are listed.
const mostListed = 20

func newClusterReport(found *clusters.Clusters, set clusters.Settings, dims int) *clusterReport {
	n := len(found.Label)
	r := &clusterReport{points: n, dims: dims, set: set, noise: n}
	for l, size := range found.Size {
		r.found = append(r.found, clusterLine{label: l, size: size, persistence: found.Persistence[l]})
		r.noise -= size
	}
	slices.SortStableFunc(r.found, func(a, b clusterLine) int { return cmp.Compare(b.size, a.size) })
	return r
}

// compare compares the clusters with labels if at least two points have a label.
func (r *clusterReport) compare(found *clusters.Clusters, labels []string) (err error) {
	class, _ := score.Classes(labels)
	known := len(class) - len(slices.DeleteFunc(slices.Clone(class), func(c int32) bool { return c != score.Missing }))
	if known >= 2 {
		r.classes, err = score.Partitions(found.Label, class)
	}
	return err
}

// call sets the names of the clusters. The index in names is the cluster's label.
func (r *clusterReport) call(names []string) {
	for i := range r.found {
		r.found[i].name = names[r.found[i].label]
	}
}

// joined counts the new rows and their noise.
func (r *clusterReport) joined(m clusters.Membership) {
	r.added = len(m.Label)
	for _, l := range m.Label {
		if l == clusters.Noise {
			r.addedNoise++
		}
	}
}

// head writes the first line.
func (r *clusterReport) head(w io.Writer) {
	fmt.Fprintf(w, "%s in %s: %s of at least %s, %s noise\n", humanize.Plural(r.points, "point"), humanize.Plural(r.dims, "dimension"),
		humanize.Plural(len(r.found), "cluster"), humanize.Count(r.set.MinSize), percent(r.noise, r.points))
}

func (r *clusterReport) print(w io.Writer) {
	r.head(w)
	if len(r.found) == 0 {
		fmt.Fprintf(w, "a smaller --min-size finds smaller ones\n")
	} else {
		line(w, "  %7s  %9s  %6s  %11s  %s", "\n", "cluster", "points", "share", "persistence", r.nameHead())
	}
	for k, c := range r.found {
		if k == mostListed {
			fmt.Fprintf(w, "  and %s of at most %s\n", humanize.Plural(len(r.found)-k, "cluster"), humanize.Plural(c.size, "point"))
			break
		}
		line(w, "  %7d  %9s  %6s  %-11.3f  %s", "", c.label, humanize.Count(c.size), percent(c.size, r.points), c.persistence, c.name)
	}
	if p := r.classes; p != nil {
		fmt.Fprintf(w, "\nagreement with the labels (%s, noise as one cluster)\n  %-18s %.4f\n  %-18s %.4f\n",
			humanize.Plural(p.Points, "point"), "adjusted Rand", p.Rand, "information", p.Information)
	}
	if r.added > 0 {
		fmt.Fprintf(w, "\n%s, %s noise\n", humanize.Plural(r.added, "new row"), percent(r.addedNoise, r.added))
	}
	if r.output != "" && r.output != "-" {
		fmt.Fprintf(w, "\n%s holds the cluster of each row\n", r.output)
	}
}

// nameHead returns the heading of the column of names, "" if no cluster has a name.
func (r *clusterReport) nameHead() string {
	if slices.ContainsFunc(r.found, func(c clusterLine) bool { return c.name != "" }) {
		return "what sets it apart"
	}
	return ""
}

// line writes before and a formatted line, without trailing blanks.
func line(w io.Writer, format, before string, args ...any) {
	fmt.Fprintf(w, "%s%s\n", before, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// percent formats a share of n in percent with one decimal.
func percent(part, n int) string { return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(n)) }
