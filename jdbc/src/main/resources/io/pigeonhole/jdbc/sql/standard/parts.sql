-- What several statements have in common.

-- part: consumer
c.id, c.name, c.digest_below, c.id_form, c.key_order, c.work_partitions, c.deduplication

-- part: as_listed
-- Before a statement that locks the rows of a list: keeps a database from locking others besides.

-- part: unlimited
-- Before a search that may take long in a transaction with handlers, whose limit for a statement does not hold for it.

-- part: sorted
-- Before a search that sorts and has a limit; behind its end is end_of_sorted.

-- part: end_of_sorted

-- part: by_id
-- This and the following: the order once more behind end_of_sorted, which a derived table need not keep.

-- part: by_id_desc

-- part: by_due_at

-- part: by_lease_until

-- part: by_died_at

-- part: by_died_at_desc

-- part: by_waiting

-- part: by_place

-- part: by_position

-- part: by_key

-- part: by_day

-- part: by_expires_at

-- part: by_resume_at

-- part: by_primary_key
-- Behind a table whose rows are locked by their primary key: keeps a database from locking others besides.

-- part: at_once
-- Before the deletion of a row that is locked: keeps a database from waiting for an entry of another index.

-- part: bounds
SELECT oldest, newest FROM inbox_ledger_bounds

-- part: message_columns
consumer_id, message_key, source, message_id, type, ordering_key, headers, content_type, payload, origin

-- part: message_values
:consumer, :key, :source, :message_id, :type, :ordering_key, :headers, :content_type, :payload, :origin
