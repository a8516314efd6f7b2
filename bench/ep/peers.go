package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/pca"
)

//go:embed requirements.txt
var requirements []byte

//go:embed peers.py
var program string

// question is the input of peers.py.
type question struct {
	Classes int         `json:"classes"`
	Subset  int         `json:"subset"`
	Test    [][]float32 `json:"test"`
	Shares  []known     `json:"shares"`
}

// known are rows with labels.
type known struct {
	X     [][]float32 `json:"x"`
	Class []int32     `json:"class"`
}

// answers are the output of peers.py.
type answers struct {
	Sklearn string   `json:"sklearn"`
	Version string   `json:"python"`
	Shares  []answer `json:"shares"`
}

// answer are probabilities of all classes, by row.
type answer struct {
	Logistic [][]float64 `json:"logistic"`
	Process  [][]float64 `json:"process"`
}

// ask lets scikit-learn predict the classes of a draw from its labelled rows. The answer is empty
// without peers.
func (b *bench) ask(ctx context.Context, p *placed, chosen [][]int) (*answers, error) {
	if b.noPeers() {
		return &answers{Shares: make([]answer, len(chosen))}, nil
	}
	see := min(components, p.known.Seen.Cols)
	fitted, err := pca.Fit(ctx, p.known.Seen, see, pca.Settings{Threads: b.threads, Seed: 1})
	if err != nil {
		return nil, err
	}
	project := fitted.Projector()
	x, test := project.Apply(p.known.Seen, b.threads), project.Apply(p.at.Seen, b.threads)
	q := question{Classes: len(p.names), Subset: subset, Test: rowsOf(test)}
	for _, rows := range chosen {
		k := known{X: rowsOf(vec.Take(x, rows))}
		for _, row := range rows {
			k.Class = append(k.Class, p.class[row])
		}
		q.Shares = append(q.Shares, k)
	}
	a := new(answers)
	if err := b.python(ctx, program, q, a); err != nil {
		return nil, err
	}
	if len(a.Shares) != len(chosen) {
		return nil, fmt.Errorf("peers.py answered for %d shares of the labels, want %d", len(a.Shares), len(chosen))
	}
	return a, nil
}

// python runs a program in the peers' environment.
func (b *bench) python(ctx context.Context, program string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, harness.Interpreter(b.peers.Dir(b.out)), "-c", program)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "NUMBA_NUM_THREADS=1") // the matrices are small
	cmd.Stdin = bytes.NewReader(text)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the peers' program: %w\n%s", err, said.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("the peers' program printed %.300q: %w", out, err)
	}
	return nil
}

// noPeers reports whether peers are skipped.
func (b *bench) noPeers() bool { return b.peers.Skip || b.small && b.peers.Venv == "" }

// makePeers makes their environment with the given requirements.
func (b *bench) makePeers(ctx context.Context, requirements []byte) error {
	if b.noPeers() {
		return nil
	}
	say := func(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
	return b.peers.Make(ctx, b.out, requirements, say, func(ctx context.Context, name string, args ...string) error {
		if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return nil
	})
}

func rowsOf(m vec.Matrix[float32]) [][]float32 {
	out := make([][]float32, m.Rows)
	for i := range out {
		out[i] = m.Row(i)
	}
	return out
}
