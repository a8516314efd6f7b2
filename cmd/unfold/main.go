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

// version is a release's: go build -ldflags "-X main.version=v0.1.0".
var version string

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program as a function: it returns the exit code. The first
// interrupt asks it to end in order, a second one ends it at once.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	gemm.Use() // gonum's products and factorisations run on our kernels
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return cli.Run(ctx, cli.System{
		Args: args, Stdin: stdin, Stdout: stdout, Stderr: stderr, Environ: os.Environ(), Version: version,
	})
}
