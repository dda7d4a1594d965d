-- To read the ledger away from messages.

-- name: horizon
{horizon}
