package served

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"testing"
	"time"
)

// role makes this test's program act as the server.
const role = "SERVED_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "serve": // until interrupted
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt)
		fmt.Println("settings:", os.Getenv("UNFOLD_ROLE"))
		fmt.Fprintln(os.Stderr, "serving")
		<-stop
		fmt.Println("done")
	case "end":
		fmt.Println("no more")
	default:
		fmt.Println("broken")
		os.Exit(3)
	}
}

func start(t *testing.T, as string) *Process {
	t.Helper()
	p, err := Start([]string{role + "=" + as}, os.Args[0], "some", "argument")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// generous exceeds the time of any step here, even on a busy machine.
func generous(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A process serves until it is stopped, and its output is available meanwhile. No setting of a
// stage reaches it through the environment.
func TestServes(t *testing.T) {
	t.Setenv("UNFOLD_ROLE", "learn")
	p := start(t, "serve")
	serving := regexp.MustCompile(`(?m)^serving$`)
	err := Until(generous(t), func() (bool, error) { return p.Log.Count(serving) > 0, nil }, p)
	if err := errors.Join(err, p.Stop()); err != nil {
		t.Fatal(err)
	}
	if log := p.Log.String(); !strings.Contains(log, "settings: \n") || !strings.HasSuffix(log, "done\n") {
		t.Errorf("it said\n%s", log)
	}
}

// A caller that waits for a process sees it end by itself, with success or failure, and gets its
// output.
func TestEndsByItself(t *testing.T) {
	for as, want := range map[string]string{"end": "no more", "break": "broken"} {
		other, p := start(t, "serve"), start(t, as)
		err := Until(generous(t), func() (bool, error) { return false, nil }, other, p)
		if err == nil || !strings.Contains(err.Error(), "some argument: it ended by itself") || !strings.HasSuffix(err.Error(), want+"\n") {
			t.Errorf("%s: %v", as, err)
		}
		if err := p.Stop(); (err != nil) != (as == "break") {
			t.Errorf("%s: stopped with %v", as, err)
		}
		_ = other.cmd.Process.Kill() // it may not listen yet
		if err := other.Stop(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("a killed process stopped with %v", err)
		}
	}
}

func TestUntil(t *testing.T) {
	failed := errors.New("failed")
	if err := Until(t.Context(), func() (bool, error) { return false, failed }); err != failed {
		t.Errorf("what fails comes to %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Until(ctx, func() (bool, error) {
		if calls++; calls == 3 {
			cancel()
		}
		return false, nil
	})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestCPUOf(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip(err)
	}
	before := CPUOf(os.Getpid())
	for end := time.Now().Add(time.Minute); CPUOf(os.Getpid()) == before; {
		if time.Now().After(end) {
			t.Fatal("a minute of work took no processor time")
		}
	}
	if took := CPUOf(os.Getpid()) - before; took > 10 {
		t.Errorf("a hundredth of a second is %v s", took)
	}
	if got := CPUOf(-1); got != 0 {
		t.Errorf("no process took %v s", got)
	}
}
