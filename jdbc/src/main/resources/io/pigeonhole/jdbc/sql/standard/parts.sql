-- What several statements have in common.

-- part: consumer
c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication

-- part: as_listed
-- Before a statement that locks the rows of a list: keeps a database from locking others besides.

-- part: unlimited
-- Before a search that may take long in a transaction with handlers, whose limit for a statement does not hold for it.
