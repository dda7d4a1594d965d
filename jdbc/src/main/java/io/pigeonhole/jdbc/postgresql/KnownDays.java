package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The days that the ledger was last seen to have, from the database's present day on, so that a claim of one key need not ask for
 * each message. What is seen counts for a minute: no day from the present one on is dropped in that time, because a window is an
 * hour at least and whole days are dropped. Safe for use by many threads.
 */
public final class KnownDays {
    private static final long MILLIS_OF_DAY = Duration.ofDays(1).toMillis();
    private static final long NANOS_OF_VALIDITY = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private volatile @Nullable Seen seen;

    /**
     * No days yet.
     *
     * @param nanos as {@link System#nanoTime}
     */
    public KnownDays(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Keys from {@code first} to before {@code end}, and when that was. */
    private record Seen(MessageKey first, MessageKey end, long at) {}

    /** Whether the ledger surely has the key's day. The day of keys in digest form is always there. */
    public boolean have(MessageKey key) {
        if (!key.isTimeForm()) {
            return true;
        }
        Seen last = seen;
        return last != null
                && key.compareTo(last.first) >= 0
                && key.compareTo(last.end) < 0
                && nanos.getAsLong() - last.at < NANOS_OF_VALIDITY;
    }

    /**
     * Notes what a claim of many keys has seen.
     *
     * @param claim its answer
     * @param databaseMillis when that was, by the database's clock
     */
    public void note(Claim claim, long databaseMillis) {
        MessageKey today = MessageKey.firstOf(databaseMillis - databaseMillis % MILLIS_OF_DAY);
        MessageKey first = today.compareTo(claim.oldest()) > 0 ? today : claim.oldest();
        seen = new Seen(first, claim.newest(), nanos.getAsLong());
    }

    /** After something that days may have gone with. */
    public void forget() {
        seen = null;
    }
}
