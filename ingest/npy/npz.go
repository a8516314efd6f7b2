package npy

import (
	"archive/zip"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// NewArchiveReader reads an array of an .npz archive of NumPy, or a sparse matrix in an archive of
// scipy. Other zip archives are errors that name their format.
func NewArchiveReader(in *input.Source, batchRows int) (table.Reader, error) {
	z, arrays, err := archive(in)
	if err != nil {
		return nil, err
	}
	if _, _, named := input.ArchiveMember(in.Origin.File); !named && isSparse(arrays) {
		return newSparseReader(in, z, batchRows)
	}
	_, _, named := input.ArchiveMember(in.Origin.File)
	vectors := ""
	if !named && len(arrays) > 1 {
		vectors = vectorsOf(z, arrays)
	}
	name := vectors
	if vectors == "" {
		if name, err = chosenArray(in.Origin, arrays); err != nil {
			return nil, err
		}
	}
	for _, m := range z.File {
		if m.Name != name+".npy" {
			continue
		}
		part, err := m.Open()
		if err != nil {
			return nil, input.ReadError(in.Origin, err)
		}
		in.Enter(part, "zip")
		break
	}
	if head, _ := in.Peek(6); string(head) != "\x93NUMPY" {
		return nil, in.Origin.Bad("its part %q is no array", name)
	}
	r, err := NewReader(in, batchRows)
	if err != nil || vectors == "" {
		return r, err
	}
	return newBundle(in, z, r, vectors)
}

// Arrays returns the names of the arrays of an .npz archive, in its order.
func Arrays(in *input.Source) ([]string, error) {
	_, arrays, err := archive(in)
	return arrays, err
}

// archive opens an archive and lists its arrays.
func archive(in *input.Source) (z *zip.Reader, arrays []string, err error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, nil, err
	}
	if z, err = zip.NewReader(f, size); err != nil {
		return nil, nil, in.Origin.Bad("the zip archive is corrupt or truncated").Because(err)
	}
	for _, m := range z.File {
		if name, is := strings.CutSuffix(m.Name, ".npy"); is {
			arrays = append(arrays, name)
		}
	}
	if len(arrays) == 0 || len(arrays) < len(z.File) {
		is, do := zipKind(z)
		return nil, nil, in.Origin.Bad("this is %s, which is not read", is).Suggest("%s", do)
	}
	return z, arrays, nil
}

// chosenArray returns the array named in the path, or the only one.
func chosenArray(o table.Origin, arrays []string) (string, error) {
	file, name, named := input.ArchiveMember(o.File)
	switch {
	case named && slices.Contains(arrays, name):
		return name, nil
	case named:
		e := o.Bad("there is no array %q in it", name)
		if near := table.Nearest(name, arrays); near != "" {
			return "", e.Suggest("did you mean %q? The arrays are %s", near, table.List(arrays))
		}
		return "", e.Suggest("the arrays are %s", table.List(arrays))
	case len(arrays) > 1:
		return "", o.Bad("it holds %d arrays: %s", len(arrays), table.List(arrays)).Suggest("name one: %s:%s", file, arrays[0])
	}
	return arrays[0], nil
}

// zipKind returns the format of a zip archive that is not .npz, with advice.
func zipKind(z *zip.Reader) (is, do string) {
	has := func(prefix string) bool {
		return slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, prefix) })
	}
	switch {
	case has("xl/"):
		return "an Excel workbook", "save it as CSV or Parquet: pandas.read_excel(FILE).to_parquet(\"out.parquet\")"
	case slices.ContainsFunc(z.File, func(f *zip.File) bool { return path.Base(f.Name) == "data.pkl" }):
		return "a model or tensor of PyTorch", "save the tensor: numpy.save(\"x.npy\", torch.load(FILE, weights_only=True)[\"NAME\"].numpy())"
	case has("model.weights.h5"):
		return "a model of Keras", "give the vectors that it makes, as .npy or Parquet"
	case slices.ContainsFunc(z.File, func(f *zip.File) bool {
		return slices.Contains([]string{".zarray", ".zgroup", "zarr.json"}, path.Base(f.Name))
	}):
		return "an array or a group of Zarr", "save the array as .npy: numpy.save(\"x.npy\", zarr.open(FILE)[:])"
	case has("word/"):
		return "a Word document", "name the file that holds the data"
	case has("content.xml") && has("mimetype"):
		return "an OpenDocument file", "save it as CSV or Parquet: pandas.read_excel(FILE).to_parquet(\"out.parquet\")"
	case len(z.File) == 1:
		return fmt.Sprintf("a zip archive that holds %s", path.Base(z.File[0].Name)), "unpack it first: unzip, or unzip -p FILE | unfold ... -"
	}
	return fmt.Sprintf("a zip archive of %d files", len(z.File)), "unpack it first"
}
