package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.retention.FailedSteps;
import io.pigeonhole.jdbc.retention.FreshLook;
import io.pigeonhole.jdbc.retention.OldRows;
import io.pigeonhole.jdbc.retention.RetentionLook;
import io.pigeonhole.jdbc.retention.Upkeep;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Deletes keys in digest form on PostgreSQL, in the order in which they lie. Rows are appended, so that neighbours are of one age
 * and a page is read and written once; the room that they leave is used again, which mixes the ages. So a pass goes over all pages
 * of a table. All other rows of ledger and history go with their days.
 */
final class OldRowsByPage implements OldRows {
    /** So many rows of the ledger lie on a page, about. */
    private static final int ROWS_OF_PAGE = 100;

    private final ShortTransactions transactions;
    private final int pages;
    private final FailedSteps steps;

    /**
     * The rows of a store.
     *
     * @param batch how many rows a piece looks through, about
     */
    OldRowsByPage(ShortTransactions transactions, int batch, FailedSteps steps) {
        this.transactions = transactions;
        this.pages = Math.max(1, batch / ROWS_OF_PAGE);
        this.steps = steps;
    }

    /** A table of keys, and how many pages it has. */
    private record KeyTable(String name, long pages) {}

    @Override
    public Retired purgeKeys(RetentionLook look, MessageKey oldest) {
        List<KeyTable> tables = transactions.run("to list the tables of keys", session -> {
            try (Call call = session.call(PartitionStatement.DIGEST_TABLES)) {
                return call.all(row -> new KeyTable(row.getString(1), row.getLong(2)));
            }
        });
        for (KeyTable table : tables) {
            Retired piece =
                    steps.attempt("to delete old keys of " + table.name(), Retired.NOTHING, () -> purge(table, look));
            if (piece.more()) {
                return piece;
            }
        }
        return Retired.NOTHING;
    }

    private Retired purge(KeyTable table, RetentionLook look) {
        Duration window = look.limits().window();
        return new Upkeep(table.name(), look, window)
                .next(transactions, (session, place) -> purge(session, place, table, window));
    }

    private Upkeep.Piece purge(AdminSession session, String place, KeyTable table, Duration window)
            throws SQLException {
        long from = place.isEmpty() ? 0 : Long.parseLong(place);
        long to = from + pages;
        Sql.Text text =
                session.statements().get(PartitionStatement.PURGE_DIGESTS).text(1);
        try (Call call = session.call(text.as(text.sql().formatted(table.name())))) {
            int deleted = call.text("from", "(" + from + ",0)")
                    .text("to", "(" + to + ",0)")
                    .instant("before", session.now().minus(window))
                    .change();
            return new Upkeep.Piece(to < table.pages() ? String.valueOf(to) : "", deleted);
        }
    }

    /** Its days are dropped. */
    @Override
    public Retired purgeHistory(Instant now, FreshLook fresh) {
        return Retired.NOTHING;
    }
}
