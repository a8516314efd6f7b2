package main

import (
	"crypto/sha256"
	"os"
	"testing"
	"time"
)

// TestNotice runs the following two tests again, with and without a change.
func TestHelpFails(t *testing.T) {
	if os.Getenv("UNFOLD_MUTANT") == "7" {
		t.Error("change 7")
	}
}

func TestHelpPasses(*testing.T) {}

// A change is only detected by tests that reach it, whether they run together or one by one.
func TestNotice(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &tests{program: program, dir: t.TempDir(), limit: time.Minute}
	if err := s.look(t.Context(), "^TestHelp(Fails|Passes)$", t.TempDir()); err != nil || len(s.all) != 2 {
		t.Fatalf("%+v, %v", s.all, err)
	}
	for _, slow := range []time.Duration{0, time.Hour} {
		for i := range s.all {
			s.all[i].time, s.all[i].reaches = slow, map[int]bool{3: true, 7: true}
		}
		if s.notice(t.Context(), 3) != survived || s.notice(t.Context(), 7) != killed || s.notice(t.Context(), 8) != survived || len(s.reaching(8)) > 0 {
			t.Errorf("tests of %v: a change that they do not see is noticed, or one that they see is not", slow)
		}
		for i := range s.all {
			if s.all[i].name == "TestHelpFails" {
				s.all[i].reaches = nil
			}
		}
		if s.notice(t.Context(), 7) != survived {
			t.Errorf("tests of %v: a test that does not reach a change notices it", slow)
		}
	}
}

// TestHelpWaits exceeds any limit, with change 9 or if HELP_BUSY is set.
func TestHelpWaits(*testing.T) {
	if os.Getenv("UNFOLD_MUTANT") == "9" || os.Getenv("HELP_BUSY") != "" {
		time.Sleep(time.Hour)
	}
}

// TestHelpBreaks fails with change 11, and always if HELP_BUSY is set.
func TestHelpBreaks(t *testing.T) {
	if os.Getenv("UNFOLD_MUTANT") == "11" || os.Getenv("HELP_BUSY") != "" {
		t.Error("broken")
	}
}

// TestBusyFailures: on a machine on which all tests are slow, a failure counts if it repeats and the
// tests pass without the change each time. Tests that fail without the change, too, detect nothing.
func TestBusyFailures(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &tests{program: program, dir: t.TempDir(), limit: time.Minute, leastSlow: time.Nanosecond}
	if got := s.judge(t.Context(), "^TestHelpBreaks$", 0, "UNFOLD_MUTANT=11"); got != killed {
		t.Errorf("a change that fails each time: %v", got)
	}
	t.Setenv("HELP_BUSY", "yes")
	if got := s.judge(t.Context(), "^TestHelpBreaks$", 0, "UNFOLD_MUTANT=11"); got != survived {
		t.Errorf("tests that always fail have noticed a change: %v", got)
	}
}

// TestBusyMachine: a timeout counts as detection only if the tests pass without the change.
func TestBusyMachine(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &tests{program: program, dir: t.TempDir(), limit: time.Second / 2}
	if got := s.judge(t.Context(), "^TestHelpWaits$", 0, "UNFOLD_MUTANT=9"); got != ended {
		t.Errorf("a change that keeps tests from ending: %v", got)
	}
	t.Setenv("HELP_BUSY", "yes")
	s.limit = 10 * time.Millisecond
	if got := s.judge(t.Context(), "^TestHelpWaits$", 0, "UNFOLD_MUTANT=8"); got != survived {
		t.Errorf("tests that never end have noticed a change: %v", got)
	}
}

// TestHelpWorks uses the processor with change 13.
func TestHelpWorks(*testing.T) {
	if os.Getenv("UNFOLD_MUTANT") == "13" {
		for data, n := make([]byte, 1<<20), 0; n < 256; n++ {
			sum := sha256.Sum256(data)
			copy(data, sum[:])
		}
	}
}

// The seconds of tests are those of the processor: time in which the tests wait, or other programs
// run, does not count.
func TestProcessorSeconds(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &tests{program: program, dir: t.TempDir(), limit: time.Minute}
	_, idle, text := s.unchanged(t.Context(), "^TestHelpPasses$")
	_, works, more := s.unchanged(t.Context(), "^TestHelpWorks$", "UNFOLD_MUTANT=13")
	if text+more != "" || idle <= 0 || works <= idle {
		t.Errorf("%v and %v: %s%s", idle, works, text, more)
	}
}
