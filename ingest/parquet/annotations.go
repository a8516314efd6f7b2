package parquet

import (
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// plainStorage drops annotations that the library does not support, for example of a later version
// of the format. Such columns are then read with their storage type. Otherwise one annotation would
// make the whole file unreadable.
func plainStorage(meta *metadata.FileMetaData) error {
	elements := meta.FileMetaData.Schema
	known := func(from, to int) bool {
		root, one := *elements[0], int32(1)
		root.NumChildren = &one
		alone := append(elements[:0:0], &root)
		return contained(func() error {
			return describable(schema.FromParquet(append(alone, elements[from:to]...)))
		}) == nil
	}
	strip := func(i int) { elements[i].LogicalType, elements[i].ConvertedType = nil, nil }
	for from := 1; from < len(elements); {
		to := from
		for open := 1; open > 0 && to < len(elements); to++ {
			open += int(elements[to].GetNumChildren()) - 1
		}
		for i := from; i < to && !known(from, to); i++ {
			if elements[i].GetNumChildren() == 0 && !known(i, i+1) {
				strip(i)
			}
		}
		for i := from; i < to && !known(from, to); i++ {
			if elements[i].GetNumChildren() > 0 {
				strip(i)
			}
		}
		from = to
	}
	root, err := schema.FromParquet(elements)
	if err != nil {
		return err
	}
	meta.Schema = schema.NewSchema(root.(*schema.GroupNode))
	return nil
}

// describable returns the reason why the library has no Arrow types for a schema.
func describable(root schema.Node, err error) error {
	if err != nil {
		return err
	}
	_, err = pqarrow.NewSchemaManifest(schema.NewSchema(root.(*schema.GroupNode)), nil, nil)
	return err
}
