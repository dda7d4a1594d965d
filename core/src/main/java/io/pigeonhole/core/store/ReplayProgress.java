package io.pigeonhole.core.store;

import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A run over the history as it is at one moment. Immutable.
 *
 * @param consumer whose history
 * @param plan what it is about
 * @param state where it stands
 * @param cutoff the last place in the history that belongs to it, fixed when it was made
 * @param position the place of the last message that it is through with; never goes back
 * @param total how many messages belong to it, counted once; null while it waits for older transactions
 * @param withoutPayload how many messages it cannot hand to anybody because their payloads were not kept,
 *     counted once; null while it waits
 * @param done how many messages have had their effect
 * @param skipped how many messages failed and were passed
 * @param error why it failed; null where it did not
 * @param who who made it, or changed its state last
 * @param reason the reason that they gave
 * @param createdAt when it was made, by the store's clock
 * @param updatedAt when it changed last, by the store's clock
 */
public record ReplayProgress(
        RegisteredConsumer consumer,
        ReplayPlan plan,
        ReplayState state,
        long cutoff,
        long position,
        @Nullable Long total,
        @Nullable Long withoutPayload,
        long done,
        long skipped,
        @Nullable String error,
        String who,
        String reason,
        Instant createdAt,
        Instant updatedAt) {
    /**
     * How many messages are left.
     *
     * @return empty while it is not known, because the run waits for older transactions
     */
    public OptionalLong left() {
        Long known = total;
        return known == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, known - done - skipped));
    }
}
