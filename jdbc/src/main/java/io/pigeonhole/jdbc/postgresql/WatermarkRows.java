package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.CleanText;
import io.pigeonhole.jdbc.sql.WatermarkColumns;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The rows of {@code inbox_watermark} on PostgreSQL. */
final class WatermarkRows {
    /** No number. The database repeats it in its error, in whichever language, which no error of a trigger says. */
    static final String MOVED = "pigeonhole: watermarks that were where they had been read:";

    /** The SQLSTATE, invalid_text_representation, of what is no number. */
    private static final String NO_NUMBER = "22P02";

    private WatermarkRows() {}

    /** Whether a commit failed because a watermark was not where it had been read, and not by a trigger's error. */
    static boolean isMoved(SQLException failure) {
        return NO_NUMBER.equals(failure.getSQLState())
                && String.valueOf(failure.getMessage()).contains(MOVED);
    }

    static List<Watermark> find(Call call, RegisteredConsumer consumer, Collection<LogPartition> partitions)
            throws SQLException {
        return call.text("sources", texts(partitions, LogPartition::source))
                .numbers("numbers", numbers(partitions, LogPartition::partition))
                .consumer(consumer)
                .read(rows -> WatermarkColumns.read(rows, consumer));
    }

    /** Moves watermarks, and commits. */
    static void advance(Call call, RegisteredConsumer consumer, List<Advance> advances) throws SQLException {
        call.text(
                        "sources",
                        texts(advances, advance -> advance.from().partition().source()))
                .numbers(
                        "numbers",
                        numbers(advances, advance -> advance.from().partition().partition()))
                .numbers(
                        "assignments",
                        numbers(advances, advance -> advance.from().assignment()))
                .numbers("before", numbers(advances, advance -> advance.from().position()))
                .numbers("next", numbers(advances, Advance::position))
                .numbers("leaders", numbers(advances, Advance::leaderEpoch))
                .consumer(consumer)
                .number("count", advances.size())
                .execute();
    }

    private static <T> List<Number> numbers(Collection<T> all, Function<T, Number> number) {
        return all.stream().map(number).toList();
    }

    private static <T> String texts(Collection<T> all, Function<T, String> text) {
        return all.stream()
                .map(text)
                .map(CleanText::of)
                .map(each -> '"' + each.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
