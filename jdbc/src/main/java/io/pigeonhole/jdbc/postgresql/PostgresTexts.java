package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The texts of PostgreSQL's statements, with what goes to the server in the same round trip. Each is made once, because a driver looks
 * for what it has prepared by the text. Safe for use by many threads.
 */
public final class PostgresTexts {
    private final Statements statements;
    private final Map<StatementName, Sql.Text> searches = new ConcurrentHashMap<>();
    private final MaybeFirst lockLanes;
    private final MaybeFirst enterLane;
    private final MaybeFirst findWatermarks;
    private final MaybeFirst advance;
    private final String usualAdvance;
    private final List<ForMany> receive;

    public PostgresTexts(Statements statements) {
        this.statements = statements;
        Sql.Text lock = of(PostgresLaneStatement.LOCK);
        this.lockLanes = MaybeFirst.of(lock.as(lock.sql() + ";\nSELECT " + PostgresStatements.PATIENCE_OF_HANDLERS)
                .behind(PostgresStatements.PATIENCE, "patience"));
        this.enterLane = MaybeFirst.of(of(PostgresLaneStatement.ENTER));
        this.findWatermarks = MaybeFirst.of(of(PostgresWatermarkStatement.FIND));
        Sql.Text move = of(PostgresWatermarkStatement.ADVANCE);
        this.advance = MaybeFirst.of(move.as(move.sql().formatted(PostgresStatements.PROOF, WatermarkRows.MOVED)));
        this.usualAdvance =
                PostgresTransaction.behindConstraints(advance.later().sql());
        Sql insert = statements.get(PostgresWorkStatement.RECEIVE);
        this.receive = Stream.of(64, 16, 4, 1)
                .map(messages -> new ForMany(messages, insert.text(messages)))
                .toList();
    }

    /**
     * A statement that may be the first one of its transaction.
     *
     * @param first behind what a transaction begins with, whose parameters are {@code idle_limit} and {@code statement_limit}
     * @param later by itself
     */
    public record MaybeFirst(Sql.Text first, Sql.Text later) {
        static MaybeFirst of(Sql.Text later) {
            return new MaybeFirst(later.behind(PostgresStatements.PREAMBLE, "idle_limit", "statement_limit"), later);
        }

        Sql.Text where(boolean isFirst) {
            return isFirst ? first : later;
        }
    }

    /** A statement for so many messages. */
    record ForMany(int messages, Sql.Text text) {}

    /** A statement by itself. */
    Sql.Text of(StatementName statement) {
        return statements.get(statement).text(1);
    }

    /** A search without the limit that handlers have; the setting of that answers before it. */
    Sql.Text search(StatementName statement) {
        return searches.computeIfAbsent(statement, name -> {
            Sql.Text text = of(name);
            return text.as(PostgresStatements.withoutHandlersLimit(text.sql()));
        });
    }

    /** With the limit of the wait, {@code patience}, and the handlers' own limits behind it. */
    MaybeFirst lockLanes() {
        return lockLanes;
    }

    MaybeFirst enterLane() {
        return enterLane;
    }

    MaybeFirst findWatermarks() {
        return findWatermarks;
    }

    /** With the proof and the commit. */
    public MaybeFirst advance() {
        return advance;
    }

    /** The same behind deferred constraints, which is what nearly always goes to the server. */
    String usualAdvance() {
        return usualAdvance;
    }

    /**
     * The most messages first, the last one for one. To begin a statement on this table, with its indexes and constraints, costs as
     * much as the row itself.
     */
    List<ForMany> receive() {
        return receive;
    }
}
