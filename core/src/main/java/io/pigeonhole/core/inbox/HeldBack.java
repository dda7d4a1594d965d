package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether messages are held back now, of a flood or because the database refuses them. Sources hand them in again within seconds, so
 * what was not noted for some time is over. Safe for use by many threads.
 */
final class HeldBack {
    private static final long RECENT = Duration.ofSeconds(15).toNanos();

    private final LongSupplier nanos;
    private volatile @Nullable Note last;

    private record Note(String why, long at) {}

    HeldBack(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Messages are held back. */
    void note(String why) {
        last = new Note(why, nanos.getAsLong());
    }

    /** Why they are; null where none is. */
    @Nullable
    String why() {
        Note note = last;
        return note == null || nanos.getAsLong() - note.at() > RECENT ? null : note.why();
    }
}
