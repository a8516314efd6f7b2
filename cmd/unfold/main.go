// Command unfold turns events that carry vectors into a map: from files, or as a
// stage in a Kafka pipeline. See unfold --help.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"unfold/cmd/internal/cli"
	"unfold/internal/simd/gemm"
)

// version is the release's version, set by go build -ldflags "-X main.version=v0.1.0".
var version string

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its inputs as arguments. It returns the exit code. The first interrupt lets the
// program end in order, a second one ends it immediately.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	gemm.Use() // gonum's products and factorisations use this program's kernels
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return cli.Run(ctx, cli.System{
		Args: args, Stdin: stdin, Stdout: stdout, Stderr: stderr, Environ: os.Environ(), Version: version,
	})
}
