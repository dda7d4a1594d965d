package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.transaction.LongWrites;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may change about its session on PostgreSQL, and what is put back behind it: who the session is, where it
 * looks for names, how long it waits, how durable its commit is. The transaction keeps what they were at its beginning in a
 * setting of its own: see {@link PostgresTransactionStatement}.
 *
 * <p>A change that stands in a handler's SQL is seen there, and undone before the next statement of ours and the next
 * handler. One that a function hides is found at the commit, which then fails; the messages run once more, isolated, and
 * everything is put back behind each. From then on the store expects it, and puts back behind every handler.
 */
final class PostgresSession {
    /** Longer than it takes until the same messages are handed in again. */
    private static final Duration CONSTRAINTS_FIRST = Duration.ofMinutes(15);

    private final AtomicBoolean expected = new AtomicBoolean();
    private final AtomicBoolean atCommit = new AtomicBoolean();
    private final AtomicBoolean beginsOtherwise = new AtomicBoolean();
    private final LongWrites longWrites = new LongWrites();
    private final AtomicReference<@Nullable Long> constraintsUntil = new AtomicReference<>();

    /** Whether handlers of this store are known to change their session where nobody sees it. */
    boolean isChangeExpected() {
        return expected.get();
    }

    void expectChanges() {
        expected.set(true);
    }

    /**
     * Whether triggers of deferred constraints are known to, or may do so; what they change is put back in the commit's
     * round trip.
     */
    boolean isChangeExpectedAtCommit() {
        return atCommit.get() || expected.get();
    }

    void expectChangesAtCommit() {
        atCommit.set(true);
    }

    /** Whether the sessions' transactions are taken to begin as the engine's do, read committed and read write. */
    boolean beginsAsOurs() {
        return !beginsOtherwise.get();
    }

    /** They do not, which costs a statement more for each. */
    void setBeginsOtherwise() {
        beginsOtherwise.set(true);
    }

    /** What is known of the store's own writes. */
    LongWrites longWrites() {
        return longWrites;
    }

    /**
     * Whether a commit met an error as of a lost connection a short while ago. A trigger of a deferred constraint can raise
     * the same, and what a driver and a pool make of it does not distinguish the two. In a round trip of their own, before
     * COMMIT is sent, constraints fail with a known outcome.
     */
    boolean areConstraintsCheckedBeforeCommit() {
        Long until = constraintsUntil.get();
        return until != null && until - System.nanoTime() > 0;
    }

    void checkConstraintsBeforeCommit() {
        constraintsUntil.set(System.nanoTime() + CONSTRAINTS_FIRST.toNanos());
    }
}
