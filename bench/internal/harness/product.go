package harness

import (
	"context"
	"fmt"
	"os/exec"
	"reflect"
	"strings"

	"unfold"
)

// product is the path of the product's module, whose root is the library.
var product = reflect.TypeFor[unfold.Map]().PkgPath()

// Product returns the folder of the product's module, in which its packages are built and tested,
// because bench does not require their dependencies.
func Product(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", product).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", product, err)
	}
	return strings.TrimSpace(string(out)), nil
}
