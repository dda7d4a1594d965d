package io.pigeonhole.core.store;

import java.time.Duration;

/**
 * A message whose lease has run out, taken by a transaction.
 *
 * @param item the message; the attempt that nobody finished is counted already
 * @param owner the node that had the lease
 * @param overdue how long ago, by the database's clock, the lease ended
 * @param held how long, by the database's clock, the lease was held until it ended
 */
public record ExpiredLease(WorkItem item, String owner, Duration overdue, Duration held) {}
