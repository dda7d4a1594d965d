package io.pigeonhole.core.admin;

import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer is doing.
 *
 * @param consumer its name, its order, its work partitions, and how its ids become keys
 * @param paused whether it is paused
 * @param received how many messages in work no handler has seen since their last beginning
 * @param parked how many wait for another attempt
 * @param leased how many a node has a lease on
 * @param dead how many dead letters it has
 * @param blocking how many of these block their ordering keys
 * @param overdue how long ago, by the database's clock, the oldest message in work was due that nobody has a lease on; null
 *     where none is due. With an order per key this may be one that waits behind an earlier message of its key, which is tried again
 *     later: see {@link Admin#blockedKeys}
 */
public record ConsumerSummary(
        RegisteredConsumer consumer,
        boolean paused,
        long received,
        long parked,
        long leased,
        long dead,
        long blocking,
        @Nullable Duration overdue) {}
