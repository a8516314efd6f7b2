package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	_ "embed"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

//go:embed peers.py
var peersProgram []byte

//go:embed requirements.txt
var requirements []byte

// Indices of the maps in prequential.Maps.
const (
	ownMap = iota
	frozenMap
	frozenAlone
	peerMaps // the peers' maps start here
)

// peers are programs that also follow the stream, by the method's name in peers.py. Slow ones are
// judged on every n-th event only: umap-learn places some 300 a second.
var peers = []struct {
	method, name string
	every        int
}{
	{"umap", "umap-learn, fitted again every %d events", 50},
	{"ipca", "incremental PCA (scikit-learn)", 1},
}

// kdd runs the stream of connections in the order of their file.
func (l *lab) kdd(ctx context.Context, o *outcome) error {
	c, err := l.connections(ctx)
	if err != nil {
		return err
	}
	s := l.traffic
	p := &prequential{Dim: c.x.Cols, Distinct: c.x.Rows, First: s.first, Block: s.block, Refit: s.refit}
	o.Stream, o.Data, o.Size, o.Block = p, "KDD Cup 1999", s.size, s.block
	p.Maps = []contestant{
		{Name: "this map, refreshed", Every: 1}, {Name: "the first map, later reference points placed on it", Every: 1}, {Name: "the first map and its own points", Every: 1},
	}
	begin := harness.CPUSeconds()
	t, err := c.follow(ctx, s.first, s.size, l.set)
	if err != nil {
		return err
	}
	fit := harness.CPUSeconds() - begin
	for k := range p.Maps {
		p.Maps[k].Seconds, p.Maps[k].Fits = fit, 1
	}
	for from := s.first; from < len(c.event); from += s.block {
		if err := t.next(ctx, from, min(from+s.block, len(c.event)), p); err != nil {
			return err
		}
	}
	p.Maps[ownMap].Fits += p.Refreshes
	if err := t.rank(p); err != nil {
		return err
	}
	l.say("%d refreshes, %d of them major, %.1f CPU s", p.Refreshes, p.Majors, p.Maps[ownMap].Seconds)
	if err := l.peers(ctx, t, p); err != nil {
		return err
	}
	for k := range p.Maps {
		p.Maps[k].close()
		if p.Maps[k].Missing == "" {
			l.say("error %.4f, by type %.4f: %s", p.Maps[k].rate(), p.Maps[k].ByType, p.Maps[k].Name)
		}
	}
	return nil
}

// rate returns the share of judged events with a wrong vote.
func (c *contestant) rate() float64 { return float64(sum(c.Wrong)) / float64(sum(c.Judged)) }

func sum(values []int) (s int) {
	for _, v := range values {
		s += v
	}
	return s
}

// peers runs the peers on the same stream and judges their places.
func (l *lab) peers(ctx context.Context, t *traffic, p *prequential) error {
	missing := l.noPeers
	folder, err := os.MkdirTemp("", "refresh")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if missing == "" {
		if err := t.hand(folder, p.First); err != nil {
			return err
		}
	}
	for _, peer := range peers {
		c := contestant{Name: peer.name, Missing: missing, Every: peer.every}
		if strings.Contains(c.Name, "%d") {
			c.Name = fmt.Sprintf(c.Name, p.Refit)
		}
		if missing == "" {
			l.say("%s", peer.method)
			if err := l.peer(ctx, folder, peer.method, t, p, &c); err != nil {
				return err
			}
		}
		p.Maps = append(p.Maps, c)
	}
	return nil
}

// hand writes the input files of peers.py.
func (t *traffic) hand(folder string, first int) error {
	var counts, members []int32
	for _, b := range t.blocks {
		counts, members = append(counts, int32(len(b.members))), append(members, b.members...)
	}
	var errs []error
	for name, values := range map[string]any{"vectors.f32": t.c.x.Data, "events.i32": t.c.event, "counts.i32": counts, "members.i32": members} {
		w, err := binary.Append(nil, binary.LittleEndian, values)
		errs = append(errs, err, os.WriteFile(filepath.Join(folder, name), w, 0o666))
	}
	return errors.Join(append(errs, os.WriteFile(filepath.Join(folder, "peers.py"), peersProgram, 0o666))...)
}

// peer runs and judges one peer.
func (l *lab) peer(ctx context.Context, folder, method string, t *traffic, p *prequential, c *contestant) error {
	args := []string{filepath.Join(folder, "peers.py"), method, folder}
	for _, n := range []int{p.Dim, p.First, p.Block, p.Refit, c.Every, l.threads} {
		args = append(args, strconv.Itoa(n))
	}
	cmd := exec.CommandContext(ctx, harness.Interpreter(l.venv), args...)
	var log strings.Builder
	cmd.Stderr = &log
	cmd.Env = os.Environ()
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"} {
		cmd.Env = append(cmd.Env, name+"="+strconv.Itoa(l.threads))
	}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("peers.py %s: %w\n%s", method, err, log.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var said struct {
		Version, Missing string
		Fits             int
		CPU              float64
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &said); err != nil {
		return fmt.Errorf("peers.py %s printed %q: %w", method, out, err)
	}
	c.Missing, c.Fits, c.Seconds = said.Missing, said.Fits, said.CPU
	if c.Missing != "" {
		return nil
	}
	c.Name += ", " + said.Version
	places, err := os.Open(filepath.Join(folder, method+".f32"))
	if err != nil {
		return err
	}
	defer places.Close()
	for i := range t.blocks {
		b := t.blocks[i].every(c.Every)
		known, err := readPlaces(places, len(b.members))
		if err != nil {
			return err
		}
		placed, err := readPlaces(places, len(b.rows))
		if err != nil {
			return err
		}
		if err := c.judge(ctx, b, known, placed, b.labels); err != nil {
			return err
		}
	}
	return nil
}

func readPlaces(r io.Reader, n int) (vec.Matrix[float32], error) {
	m := vec.New[float32](n, 2)
	return m, binary.Read(r, binary.LittleEndian, m.Data)
}
