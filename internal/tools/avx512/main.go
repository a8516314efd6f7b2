// Avx512 runs the tests of the kernels for AVX-512 in Bochs, an emulator of processors that have it: see make avx512.
//
// It tests the packages with a kernel for AVX-512. Their test binaries, a first process and a Linux
// kernel of Debian make a bootable disc. The machine writes results and coverage to its serial
// console, and this program fails unless
//
//   - the processor has AVX-512 and every extension that a kernel needs,
//   - internal/simd chooses AVX-512,
//   - the tests of every package pass, and
//   - every kernel for AVX-512 was called, except those that only benchmarks call.
//
// The function missing lists the required tools besides Go. Nothing is installed: the kernel is
// downloaded and unpacked below the folder -o.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"unfold/internal/testkit/tier"
	"unfold/internal/tools/avx512/serial"
)

// settings are the flags.
type settings struct {
	bochs, kernel, model, out, only string
	limit                           time.Duration
	verbose                         bool
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.StringVar(&s.bochs, "bochs", "bochs", "the emulator")
	flag.StringVar(&s.kernel, "kernel", "", "a Linux kernel with a serial console; without one Debian's is downloaded")
	flag.StringVar(&s.model, "model", "corei7_icelake_u", "the processor, one of bochs -help cpu")
	flag.StringVar(&s.out, "o", "out/avx512", "the folder of the disc and the logs")
	flag.StringVar(&s.only, "only", "", "run only the packages whose folder contains this")
	flag.DurationVar(&s.limit, "limit", 20*time.Minute, "the time after which the machine is stopped")
	flag.BoolVar(&s.verbose, "v", false, "print every test")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s); errors.As(err, new(skipError)) && os.Getenv(tier.Variable) != "required" {
		fmt.Println("avx512: SKIPPED,", err)
	} else if err != nil {
		log.Fatal("avx512: ", err)
	}
}

// skipError reports that a tool is missing.
type skipError struct{ reason string }

func (e skipError) Error() string { return e.reason }

func run(ctx context.Context, s settings) error {
	start := time.Now()
	if err := missing(s); err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	plan, err := newPlan(root, s)
	if err != nil {
		return err
	}
	if s.kernel == "" {
		if s.kernel, err = linux(ctx, s.out); err != nil {
			return err
		}
	}
	tests := filepath.Join(s.out, "tests.cpio")
	if err := plan.archive(ctx, tests); err != nil {
		return err
	}
	disc, err := makeDisc(ctx, s, tests)
	if err != nil {
		return err
	}
	fmt.Printf("avx512: built in %.0f s\n", time.Since(start).Seconds())
	report, err := emulate(ctx, s, disc, func(r serial.Result) { fmt.Print(line(r, s.verbose)) })
	fmt.Printf("avx512: %.0f s in all, of which %.0f until the tests began\n", time.Since(start).Seconds(), report.Boot.Seconds())
	faults := plan.faults(report)
	if err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w\nsee also console.txt, screen.txt and bochs.log in %s", errors.Join(faults...), s.out)
	}
	return nil
}

// line returns the line for a package's tests, in the format of go test.
func line(r serial.Result, verbose bool) string {
	state, output := "ok  ", ""
	if r.Code != 0 {
		state = "FAIL"
	}
	if verbose || r.Code != 0 {
		output = strings.TrimLeft(r.Output, "\n")
	}
	return fmt.Sprintf("%s%s\t%s\t%.1fs\n", output, state, r.Package, r.Time.Seconds())
}
