package table

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

func TestTimeOrder(t *testing.T) {
	stamps := array.NewTimestampBuilder(Heap, &arrow.TimestampType{Unit: arrow.Second})
	stamps.AppendValues([]arrow.Timestamp{30, -1, 20}, nil)
	dates := array.NewDate32Builder(Heap)
	dates.AppendValues([]arrow.Date32{30, -1, 20}, nil)
	for name, c := range map[string]Column{
		"timestamps":      NewColumn("at", stamps.NewArray()),
		"dates":           NewColumn("at", dates.NewArray()),
		"nanoseconds":     Int64Column("at", []int64{1700000000000000002, 1700000000000000000, 1700000000000000001}),
		"numbers":         Float64Column("at", []float64{0.5, -2, math.Copysign(0, -1)}),
		"counts":          Uint32Column("at", []uint32{7, 5, 6}),
		"below 0":         Float64Column("at", []float64{-1, -3, -2}),
		"days":            jsonColumn(array.NewDate64Builder(Heap), `[86400000, -86400000, 0]`).Renamed("at"),
		"of a dictionary": numbered(StringColumn("", []string{"2026-03-02", "2026-03-01", "2026-03-01 01:00"}), "[0, 1, 2]").Renamed("at"),
		"text":            StringColumn("at", []string{"2026-03-01 10:00:01.5", "2026-03-01", "2026-03-01 10:00:01.25"}),
		"text and zone":   StringColumn("at", []string{"2026-03-01T10:00:00Z", "2026-03-01T10:00:00+01:00", "2026-03-01 09:30:00Z"}),
	} {
		order, err := TimeOrder(c, Origin{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := []int{0, 1, 2}
		slices.SortFunc(rows, func(a, b int) int {
			if order[a] < order[b] {
				return -1
			}
			return 1
		})
		if !slices.Equal(rows, []int{1, 2, 0}) {
			t.Errorf("%s: the rows come as %v, expected 1 2 0 (%v)", name, rows, order)
		}
	}
	if order, err := TimeOrder(Float64Column("at", []float64{0, math.Copysign(0, -1)}), Origin{}); err != nil || order[0] != order[1] {
		t.Errorf("0 and -0 are %v, %v", order, err)
	}
	for _, bad := range []struct {
		name, want string
		column     Column
	}{
		{"words", `row 2, column "at": "soon" is not a time; write it as`, StringColumn("at", []string{"2026-03-01", "soon"})},
		{"nothing", `row 2, column "at": there is no time`, jsonColumn(array.NewInt64Builder(Heap), `[1, null]`).Renamed("at")},
		{"lists", `column "at": its type, list<int64>, is not one of times`, Int64ListColumn("at", [][]int64{{1}})},
		{"truth", `column "at": its type, bool, is not one of times`, BoolColumn("at", []bool{true})},
		{"no number", `row 1, column "at": "NaN" is not a time`, Float64Column("at", []float64{math.NaN()})},
	} {
		if _, err := TimeOrder(bad.column, Origin{}); err == nil || !strings.Contains(err.Error(), bad.want) || !IsBadInput(err) {
			t.Errorf("%s: %v, expected %s", bad.name, err, bad.want)
		}
	}
}
