package lvm

import (
	"context"
	"errors"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/saul"
	"unfold/models/student"
)

func TestFitErrors(t *testing.T) {
	ctx := context.Background()
	ok := modeltest.Blobs(40, 3, 1)
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		s    Settings
		data bool
	}{
		"no rows":             {vec.New[float32](0, 3), Settings{}, true},
		"no columns":          {vec.New[float32](30, 0), Settings{}, true},
		"too few rows":        {ok.Slice(0, 1), Settings{}, true},
		"too few, gaussian":   {ok.Slice(0, 1), Settings{Options: Options{Tails: Gaussian}}, true},
		"too few distinct":    {vec.New[float32](100, 3), Settings{}, true},
		"dims":                {ok, Settings{Common: models.Common{Dims: -1}}, false},
		"neighbors":           {ok, Settings{Common: models.Common{Neighbors: -3}}, false},
		"core":                {ok, Settings{Options: Options{Saul: saul.Options{Core: -3}}}, false},
		"momentum":            {ok, Settings{Options: Options{Student: student.Options{Momentum: 1}}}, false},
		"momentum not finite": {ok, Settings{Options: Options{Student: student.Options{Momentum: math.NaN()}}}, false},
		"tolerance":           {ok, Settings{Options: Options{Student: student.Options{Tolerance: 2}}}, false},
		"floor":               {ok, Settings{Options: Options{Saul: saul.Options{Floor: -1}}}, false},
		"unknown component":   {ok, Settings{Options: Options{Saul: saul.Options{Components: 7}}}, false},
		"unknown tails":       {ok, Settings{Options: Options{Tails: 7}}, false},
		"unknown coarse":      {ok, Settings{Options: Options{Student: student.Options{Coarse: 7}}}, false},
		"unknown scales":      {ok, Settings{Options: Options{Student: student.Options{Scales: -1}}}, false},
		"unknown sigma":       {ok, Settings{Options: Options{Student: student.Options{Sigma: 7}}}, false},
		"tail":                {ok, Settings{Options: Options{Student: student.Options{Tail: -1}}}, false},
		"weight":              {ok, Settings{Options: Options{Student: student.Options{Weight: math.Inf(1)}}}, false},
		"sigma2":              {ok, Settings{Options: Options{Student: student.Options{Sigma2: math.NaN()}}}, false},
		"theta":               {ok, Settings{Options: Options{Student: student.Options{Theta: -1}}}, false},
		"gain":                {ok, Settings{Options: Options{Student: student.Options{Gain: 1}}}, false},
		"gain not a number":   {ok, Settings{Options: Options{Student: student.Options{Gain: math.NaN()}}}, false},
		"gain of samples":     {ok, Settings{Common: models.Common{Dims: 4}, Options: Options{Student: student.Options{Gain: 1e-3}}}, false},
	} {
		_, err := Fit(ctx, c.x, c.s, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if models.IsBadInput(err) != c.data {
			t.Errorf("%s: %v: bad input is %v", name, err, !c.data)
		}
	}
	for _, tails := range []Tails{Student, Gaussian} {
		fitRefuses(t, tails)
	}
}

func fitRefuses(t *testing.T, tails Tails) {
	ctx := context.Background()
	ok := modeltest.Blobs(40, 3, 1)
	s := Settings{Options: Options{Tails: tails}}
	bad := ok.Clone()
	bad.Row(7)[2] = float32(math.NaN())
	var row *models.RowError
	if _, err := Fit(ctx, bad, s, nil); !errors.As(err, &row) || row.Row != 7 || row.Column != 2 {
		t.Errorf("NaN: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(done, ok, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
