package fit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"unfold/models/saul"
	"unfold/models/student"
)

// If a default depends on the kind of model, the setting's help names the default.
func TestHelpOfNeighbors(t *testing.T) {
	f, ok := reflect.TypeFor[Given]().FieldByName("Neighbors")
	want := fmt.Sprintf("auto is %d, with gaussian tails and with other kinds %d", student.DefaultNeighbors, saul.DefaultNeighbors)
	if help := f.Tag.Get("help"); !ok || !strings.Contains(help, want) {
		t.Errorf("the help is %q, without %q", help, want)
	}
}
