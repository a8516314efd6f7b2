package fit

import (
	"encoding/json"
	"slices"

	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/saul"
)

// specFile is the form of a Spec in model files, as JSON. The names in the tags and their order are
// part of the file format. The settings that all kinds share are stored with those of kind lvm.
type specFile struct {
	Kind     string        `json:"kind"`
	PCA      int           `json:"pca"`
	NoveltyK int           `json:"novelty_k"`
	LVM      lvm.File      `json:"lvm"`
	LLLVM    lllvm.Options `json:"lllvm,omitzero"`
	GPLVM    gplvm.Options `json:"gplvm,omitzero"`
}

// file returns the spec in its file form.
func (s Spec) file() specFile {
	f := specFile{Kind: s.Kind, PCA: s.PCA, NoveltyK: s.NoveltyK, LVM: s.Latent().File(), LLLVM: s.LLLVM, GPLVM: s.GPLVM}
	if f.LLLVM.Largest {
		f.LVM.Components, f.LLLVM.Largest = saul.Largest, false
	}
	return f
}

// spec returns the Spec of a file form.
func (f specFile) spec() Spec {
	l := f.LVM.Settings()
	s := Spec{Kind: f.Kind, PCA: f.PCA, NoveltyK: f.NoveltyK, Common: l.Common, LVM: l.Options, LLLVM: f.LLLVM, GPLVM: f.GPLVM}
	if s.Kind == LLLVM {
		s.LLLVM.Largest = f.LVM.Components == saul.Largest
	}
	return s
}

// MarshalJSON implements json.Marshaler. It returns the form in model files.
func (s Spec) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.file())
	if err != nil || s.Own == nil {
		return text, err
	}
	own, err := json.Marshal(map[string]Settings{s.Kind: s.Own})
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), own[1:]...), nil
}

// UnmarshalJSON implements json.Unmarshaler. Fields that the text does not contain stay unchanged.
func (s *Spec) UnmarshalJSON(raw []byte) error {
	f := s.file()
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	kinds := s.Kinds
	*s = f.spec()
	s.Kinds = kinds
	if slices.Contains([]string{LVM, LLLVM, GPLVM}, s.Kind) {
		return nil
	}
	return s.readOwn(raw)
}

// readOwn reads the settings of a kind that has no field in Spec.
func (s *Spec) readOwn(raw []byte) error {
	own := s.Kinds.NewSettings(s.Kind)
	if own == nil {
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	if text, there := all[s.Kind]; there {
		if err := json.Unmarshal(text, own); err != nil {
			return err
		}
		s.Own = own
	}
	return nil
}
