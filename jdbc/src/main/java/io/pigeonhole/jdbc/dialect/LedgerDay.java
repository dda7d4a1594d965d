package io.pigeonhole.jdbc.dialect;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Where days of the ledger begin and end, on every database. */
public final class LedgerDay {
    /** Those that an outage of a year lacks, and the most that are made ahead. */
    private static final long MOST_DAYS = 800;

    private LedgerDay() {}

    /** Each day is a table or a partition: nobody is to create those of decades because a clock went wrong. */
    public static void requireNear(LocalDate end, LocalDate last) {
        long days = ChronoUnit.DAYS.between(end, last);
        if (days > MOST_DAYS) {
            throw new ConfigurationException(
                    "the ledger ends on " + end.minusDays(1) + ", and by the database's clock it would"
                            + " have to have days until " + last.minusDays(1) + ": " + days + " days at once, where "
                            + MOST_DAYS
                            + " is the most. Set the database's clock right; or, where it is right, move inbox_ledger_bounds as"
                            + " docs/retention.md says of a wrong clock that was confirmed");
        }
    }

    /** The smallest key of a day. */
    public static byte[] firstKey(LocalDate day) {
        return MessageKey.firstOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli())
                .toBytes();
    }
}
