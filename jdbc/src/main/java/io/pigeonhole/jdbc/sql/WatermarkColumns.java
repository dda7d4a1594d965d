package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The columns of a watermark. */
public final class WatermarkColumns {
    private WatermarkColumns() {}

    /** Rows of a consumer's state, each with one watermark or with none. */
    public static List<Watermark> read(ResultSet rows, RegisteredConsumer consumer) throws SQLException {
        List<Watermark> watermarks = new ArrayList<>();
        while (rows.next()) {
            if (rows.getBoolean(1)) {
                throw new ConsumerPausedException(consumer.name());
            }
            String source = rows.getString(2);
            if (source != null) {
                watermarks.add(new Watermark(
                        new LogPartition(source, rows.getInt(3)),
                        rows.getString(4),
                        rows.getLong(5),
                        rows.getLong(6),
                        rows.getInt(7)));
            }
        }
        return watermarks;
    }
}
