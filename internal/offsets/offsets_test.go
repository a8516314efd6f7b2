package offsets

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Positions are stored in saved states in this JSON form.
func TestJSON(t *testing.T) {
	p := At("events", 3, 1<<60)
	got, err := json.Marshal(p)
	if want := `{"Topic":"events","Partition":3,"Offset":1152921504606846976}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	var again Position
	if err := json.Unmarshal(got, &again); err != nil || again != p {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestSorted(t *testing.T) {
	got := Sorted(map[TopicPartition]int64{{"b", 0}: 1, {"a", 10}: 2, {"a", 9}: 3})
	if want := []Position{At("a", 9, 3), At("a", 10, 2), At("b", 0, 1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if text := got[0].String(); text != "topic a, partition 9, offset 3" {
		t.Error(text)
	}
}
