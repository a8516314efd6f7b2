package record

import "unfold/ingest/table"

// Decoded is what a message holds.
type Decoded struct {
	// Table holds the records, a row each.
	Table *table.Table
	// Deleted says that the record is no more: the message is the deletion of it, as
	// Debezium's operation "d" is. Table then has one row with what is known of the record
	// that was, which may lack everything but the id, or that as well.
	Deleted bool
	// Truncated says that all records are gone, as Debezium's operation "t" does.
	Truncated bool
	// Aside is the kind of a message of Debezium's that is no change of a record; "" for all
	// others. There is no Table then.
	Aside string
	// Unchanged are the columns that are null because the change did not touch them, of a
	// message of one record.
	Unchanged []string
}
