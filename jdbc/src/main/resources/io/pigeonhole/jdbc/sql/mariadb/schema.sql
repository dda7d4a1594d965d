-- What MariaDB says otherwise: see the file of the standard.

-- part: current_schema
DATABASE()
