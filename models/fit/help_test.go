package fit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"unfold/models/saul"
	"unfold/models/student"
)

// The help of a setting that is chosen by the kind of model names what is chosen.
func TestHelpOfNeighbors(t *testing.T) {
	f, ok := reflect.TypeFor[Given]().FieldByName("Neighbors")
	want := fmt.Sprintf("auto is %d, with gaussian tails and with other kinds %d", student.DefaultNeighbors, saul.DefaultNeighbors)
	if help := f.Tag.Get("help"); !ok || !strings.Contains(help, want) {
		t.Errorf("the help is %q, without %q", help, want)
	}
}
