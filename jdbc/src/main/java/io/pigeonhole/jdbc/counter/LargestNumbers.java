package io.pigeonhole.jdbc.counter;

import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import java.sql.SQLException;

/**
 * The largest numbers of a counter that rows have or refer to; 0 where there are none.
 *
 * @param own in the counter's own table
 * @param elsewhere in other tables
 */
public record LargestNumbers(long own, long elsewhere) {
    public static LargestNumbers of(AdminSession session, Counter counter) throws SQLException {
        try (Call call = session.call(counter.largest())) {
            return call.read(row -> {
                row.next();
                return new LargestNumbers(row.getLong(1), row.getLong(2));
            });
        }
    }

    public long largest() {
        return Math.max(own, elsewhere);
    }
}
