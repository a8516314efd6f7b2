package relay

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"unfold/bench/internal/served"
	"unfold/bench/internal/traffic"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
)

// The program under test starts itself to run jobs.
func TestMain(m *testing.M) {
	if code, ok := Main(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// A learner, an embedder with its map and a copy each carry all messages from topic to topic until
// they are stopped.
func TestJobs(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	const messages, rows, partitions = 20, 10, 2
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	b, err := traffic.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, topic := range []string{"in", "learnt", "placed", "nowhere", "copied"} {
		if err := b.Create(ctx, topic, partitions); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Fill(ctx, "in", partitions, messages, func(i int) []byte { return message(t, i, rows) }); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	profile := filepath.Join(t.TempDir(), "cpu.prof")
	for _, j := range []Job{
		{Out: "learnt", Points: messages * rows / 2},
		{Out: "placed", Points: messages * rows / 2, Embedder: true, Profile: profile},
		{Out: "nowhere", Points: messages * rows / 2, Embedder: true, FreePlacing: true, Exactly: true},
		{Out: "copied", Bare: true},
	} {
		j.Addr, j.In, j.Group, j.Partitions, j.State, j.ID, j.Vector = b.Addr, "in", j.Out, partitions, state, "event", "v"
		p, err := j.Start(nil)
		if err != nil {
			t.Fatal(err)
		}
		err = served.Until(ctx, func() (bool, error) {
			n, err := b.Messages(ctx, j.Out, partitions)
			return n >= messages, err
		}, p)
		if err := errors.Join(err, p.Stop()); err != nil {
			t.Fatalf("%s: %v", j.Out, err)
		}
	}
	if shares, err := Shares(ctx, profile); err != nil || len(shares) == 0 {
		t.Errorf("the embedder's profile: %v, %v", shares, err)
	}
}

// message returns a message of events in two groups.
func message(t *testing.T, i, rows int) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(i)))
	x, ids := vec.New[float32](rows, 4), make([]int64, rows)
	for k := range rows {
		ids[k] = int64(i*rows + k)
		for c := range x.Cols {
			x.Row(k)[c] = float32(rng.NormFloat64() + float64(6*(k%2)))
		}
	}
	records, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	value, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSharesOf(t *testing.T) {
	const top = `File: speed
Type: cpu
Duration: 9.30s, Total samples = 2.75s (29.58%)
      flat  flat%   sum%        cum   cum%
         0     0%     0%      2.43s 88.36%  sync.(*WaitGroup).Go.func1
         0     0%     0%      1.92s 69.6%  unfold/internal/par.Do.func1
     0.01s  0.36%  0.36%      0.01s  0.4%  unfold/stream/embed.(*Map).Vectors
         0     0%  0.36%      0.14s  5.09%  unfold/stream/format.(*Decoder).Decode (inline)
`
	shares := sharesOf(top)
	got := Sentence(shares, "%.0f")
	if !strings.HasPrefix(got, "placing 70%, decoding messages 5%, ") || !strings.HasSuffix(got, "Kafka's protocol 0%, collecting garbage 0%, the rest 25%") {
		t.Error(got)
	}
	sum := 0.
	for _, s := range shares {
		sum += s.Share
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the shares add up to %v", sum)
	}
}

// A profile that Go writes can be read.
func TestShares(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.prof")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
	}
	pprof.StopCPUProfile()
	shares, err := Shares(t.Context(), path)
	if err != nil || len(shares) != len(parts)+1 || shares[0].Part != Placing || shares[0].Share != 0 {
		t.Errorf("%v, %v", shares, err)
	}
	if _, err := Shares(context.Background(), path+"x"); err == nil {
		t.Error("a file that is not there is read")
	}
}

// Programs pass on their arguments. Unknown jobs are refused.
func TestMainRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"run"}, {"run", stageVerb}} {
		if _, ok := Main(args, &strings.Builder{}); ok {
			t.Errorf("%q is taken for a job", args)
		}
	}
	for _, args := range [][]string{{stageVerb}, {copyVerb, "x"}, {stageVerb, "{}", "more"}} {
		var said strings.Builder
		if code, ok := Main(args, &said); code != 2 || !ok || said.Len() == 0 {
			t.Errorf("%q: %d, %q", args, code, said.String())
		}
	}
	var said strings.Builder
	if code, _ := Main([]string{stageVerb, `{"Points": 50}`}, &said); code != 1 || !strings.Contains(said.String(), "topic") {
		t.Errorf("a stage without topics: %d, %q", code, said.String())
	}
}
