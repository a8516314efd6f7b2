package harness

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Product returns the folder of the product's module, where its packages are built and
// tested: bench does not require what these need.
func Product(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "unfold").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m unfold: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
