package main

import (
	"strings"
	"testing"
)

func TestSharesOf(t *testing.T) {
	const top = `File: speed
Type: cpu
Duration: 9.30s, Total samples = 2.75s (29.58%)
      flat  flat%   sum%        cum   cum%
         0     0%     0%      2.43s 88.36%  sync.(*WaitGroup).Go.func1
         0     0%     0%      1.92s 69.6%  unfold/sparse/par.Do.func1
     0.01s  0.36%  0.36%      0.01s  0.4%  unfold/stream/online.(*placing).placeAll
         0     0%  0.36%      0.14s  5.09%  unfold/ingest.(*Decoder).Decode (inline)
`
	got := sharesOf(top)
	if !strings.HasPrefix(got, "placing 70%, decoding messages 5%, ") || !strings.HasSuffix(got, "Kafka's protocol 0%, collecting garbage 0%, all else 25%") {
		t.Error(got)
	}
}

// Jobs that are not understood are refused.
func TestRunJob(t *testing.T) {
	for _, args := range [][]string{{stageVerb}, {copyVerb, "x"}, {stageVerb, "{}", "more"}} {
		var said strings.Builder
		if code := runJob(args, &said); code != 2 || said.Len() == 0 {
			t.Errorf("%q: %d, %q", args, code, said.String())
		}
	}
	var said strings.Builder
	if code := runJob([]string{stageVerb, `{"Points": 50}`}, &said); code != 1 || !strings.Contains(said.String(), "topic") {
		t.Errorf("a stage without topics: %d, %q", code, said.String())
	}
}
