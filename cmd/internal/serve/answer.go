package serve

import (
	"fmt"
	"net/http"
	"slices"

	"unfold/ingest/emit"
)

// with adds the neighbours to the places as kept columns.
func (at placed) with() *emit.Output {
	if at.near == nil {
		return at.Output
	}
	out := *at.Output
	out.Kept = append(slices.Clone(out.Kept), at.near...)
	return &out
}

// writeArrow encodes places as one Arrow IPC stream, in the format of a stage's messages.
func (p *Placer) writeArrow(at placed) ([]byte, error) { return p.arrow.Encode(at.with()) }

// writeJSON encodes places as an object: the fields that all places share, and a list of places in
// the format of a stage's messages.
func (p *Placer) writeJSON(at placed) ([]byte, error) { return p.writeObject(at, "places") }

// writeObject is writeJSON with the given name of the list.
func (p *Placer) writeObject(at placed, list string) ([]byte, error) {
	out := *at.with()
	head := fmt.Sprintf(`{"map_id":%q,"map_epoch":%d,"model_version":%d,%q:`, out.MapID, out.Epoch, out.Version, list)
	out.MapID, out.Epoch, out.Version = "", 0, 0
	places, err := p.writeFlat(placed{Output: &out})
	if err != nil {
		return nil, err
	}
	if out.Len() == 1 {
		head, places = head+"[", append(places, ']')
	}
	return append(append([]byte(head), places...), "}\n"...), nil
}

// writeFlat encodes places in the format of a stage's JSON messages.
func (p *Placer) writeFlat(at placed) ([]byte, error) {
	value, err := emit.JSON{}.Encode(at.with())
	if err != nil {
		return nil, Problemf(http.StatusUnprocessableEntity, "%v; or ask for Arrow", err)
	}
	return value, nil
}
