package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.store.Retired;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What may be deleted, found out anew where a step before took long, such as the export of a day: a look that is old cannot
 * distinguish a clock that jumped from one that went on. Used by one thread, for one piece of the upkeep.
 */
public final class FreshLook {
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final Supplier<@Nullable RetentionLook> rules;
    private final LongSupplier nanos;
    private @Nullable RetentionLook look;
    private long lookedAt;

    /**
     * Looks for the first time.
     *
     * @param rules answers what may be deleted now, null for nothing
     * @param nanos the time
     */
    FreshLook(Supplier<@Nullable RetentionLook> rules, LongSupplier nanos) {
        this.rules = rules;
        this.nanos = nanos;
        renew();
    }

    private void renew() {
        lookedAt = nanos.getAsLong();
        look = rules.get();
    }

    /** What may be deleted now; null for nothing. */
    @Nullable
    RetentionLook now() {
        if (nanos.getAsLong() - lookedAt > FRESH.toNanos()) {
            renew();
        }
        return look;
    }

    /** The same as {@link RetentionLook#isPastInHistory}, as it is found out now. */
    public boolean isPastInHistory(LocalDate day, Instant at) {
        RetentionLook now = now();
        return now != null && now.isPastInHistory(day, at);
    }

    /** Takes a step, unless nothing may be deleted by now. */
    public Retired use(Function<RetentionLook, Retired> step) {
        RetentionLook now = now();
        return now == null ? Retired.NOTHING : step.apply(now);
    }
}
