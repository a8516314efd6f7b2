package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/streamtest"
)

// labelledBy adds a label column to a stage's configuration.
func labelledBy(t *testing.T, configuration, column string) {
	t.Helper()
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "id: name", "id: name, label: "+column, 1))
}

// produceLabelled sends messages of 10 events around two centres. Every third event has the number
// of its centre as label, the others NaN. Every second message has no label column.
func produceLabelled(t *testing.T, brokers []string, messages int) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 1))
	send(t, brokers, 0, messages, func(k int) []table.Column {
		x, names, label := vec.New[float32](10, 4), make([]string, 10), make([]float64, 10)
		for i := range names {
			c := r.IntN(2)
			names[i] = fmt.Sprint("e", 10*k+i)
			if label[i] = float64(c); i%3 > 0 {
				label[i] = math.NaN()
			}
			for j := range x.Cols {
				x.Row(i)[j] = float32(r.NormFloat64()) + float32(6*c)
			}
		}
		columns := []table.Column{table.StringColumn("name", names), table.VectorColumn("v", x)}
		if k%2 == 0 {
			columns = append(columns, table.Float64Column("kind", label))
		}
		return columns
	})
}

// uncertainOf checks the list of events to label: none has a label, and both classes are predicted
// on the current map.
func uncertainOf(t *testing.T, address string) {
	t.Helper()
	_, body := get(t, address, "/api/uncertain?n=5")
	var got struct {
		Map    struct{ ID string }
		Points []struct {
			ID      string
			Entropy float64
			Classes []struct {
				Class       string
				Probability float64
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || len(got.Points) != 5 || got.Map.ID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	for i, p := range got.Points {
		k, err := strconv.Atoi(strings.TrimPrefix(p.ID, "e"))
		if err != nil || k/10%2 == 0 && k%10%3 == 0 {
			t.Errorf("event %q has a label", p.ID)
		}
		if len(p.Classes) != 2 || math.Abs(p.Classes[0].Probability+p.Classes[1].Probability-1) > 1e-5 || p.Classes[0].Probability < p.Classes[1].Probability ||
			i > 0 && p.Entropy > got.Points[i-1].Entropy {
			t.Errorf("event %d is %+v", i, p)
		}
	}
}

// A stage with labels predicts classes, and its statistics describe the classifier.
func TestRunTellsClasses(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead")
	labelledBy(t, configuration, "kind")
	produceLabelled(t, brokers, 40)
	runUntil(t, configuration, `map version 1 `, func(address string) {
		streamtest.Await(t, "classes are predicted, and all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_classes 2\n") && !strings.Contains(body, "unfold_labelled_events_total 0\n") &&
				strings.Contains(body, "unfold_messages_delivered_total 40\n") && strings.Contains(body, "unfold_refresh_failures_total 0\n")
		})
		uncertainOf(t, address)
	})
}

// A stage whose label column is the id column reports that and continues without classes.
func TestRunWithIDsForLabels(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead")
	labelledBy(t, configuration, "name")
	produce(t, brokers, 0, 40)
	log := runUntil(t, configuration, `learning classes from column \\"name\\"`, func(address string) {
		streamtest.Await(t, "all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_classes 0\n") && strings.Contains(body, "unfold_messages_delivered_total 40\n")
		})
	})
	if !strings.Contains(log, "at most 128 can be told apart") {
		t.Errorf("the log:\n%s", log)
	}
}
