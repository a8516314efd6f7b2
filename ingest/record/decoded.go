package record

import "unfold/ingest/table"

// Decoded is the decoded content of a message.
type Decoded struct {
	// Table has one row per record.
	Table *table.Table
	// Deleted is set if the message deletes the record, like Debezium's operation "d". Table then
	// has one row with the known values of the deleted record: possibly only the id, or not even
	// that.
	Deleted bool
	// Truncated is set if all records were deleted, as by Debezium's operation "t".
	Truncated bool
	// Aside is the kind of a Debezium message that is no change, "" for other messages. There is no
	// Table then.
	Aside string
	// Unchanged lists, for a message of one record, the columns that are null because the change
	// did not affect them.
	Unchanged []string
}
