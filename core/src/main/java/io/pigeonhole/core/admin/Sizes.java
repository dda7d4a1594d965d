package io.pigeonhole.core.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How much a store holds, and how far its retention has come. Numbers of rows and bytes are the database's estimates:
 * nothing is counted.
 *
 * @param tables the tables by name, each with all its partitions
 * @param window how long keys are remembered at least
 * @param ledgerBegins ids in time form that were made before it are late
 * @param ledgerEnds ids in time form that were made then or later are from the future
 * @param daysAhead how many whole days the ledger has beyond today, by the database's clock; alarm where it sinks
 * @param upkeep the tasks that delete rows one by one, by name
 */
public record Sizes(
        List<TableSize> tables,
        Duration window,
        Instant ledgerBegins,
        Instant ledgerEnds,
        int daysAhead,
        List<UpkeepEntry> upkeep) {
    /** Copies the lists. */
    public Sizes {
        tables = List.copyOf(tables);
        upkeep = List.copyOf(upkeep);
    }
}
