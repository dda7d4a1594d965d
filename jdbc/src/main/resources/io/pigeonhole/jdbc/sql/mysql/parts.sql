-- Where MySQL differs from MariaDB: a list stays a list, and there is no limit that a statement could lift.

-- part: as_listed

-- part: unlimited

-- part: at_once
-- It waits: see PlainAdminOperations.deleteLocked.
