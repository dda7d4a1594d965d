package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The texts of PostgreSQL's statements, with what goes to the server in the same round trip. Each is made once, because a driver looks
 * for what it has prepared by the text. Safe for use by many threads.
 */
public final class PostgresTexts {
    private final Statements statements;
    private final Map<PostgresTransactionStatement, String> ofTransactions;
    private final Map<PostgresLedgerStatement, String> ofLedger;
    private final String usualCommit;
    private final Beginning beginWithClaim;
    private final Beginning beginWithClaimAsNew;
    private final Beginning beginWithClaimOne;
    private final Map<StatementName, Sql.Text> searches = new ConcurrentHashMap<>();
    private final MaybeFirst lockWorkPartitions;
    private final MaybeFirst enterWorkPartition;
    private final MaybeFirst findWatermarks;
    private final MaybeFirst advance;
    private final String usualAdvance;
    private final List<ForMany> receive;

    public PostgresTexts(Statements statements) {
        this.statements = statements;
        this.ofTransactions = all(PostgresTransactionStatement.class);
        this.ofLedger = all(PostgresLedgerStatement.class);
        this.usualCommit = behindConstraints(sql(PostgresTransactionStatement.COMMIT));
        this.beginWithClaim = new Beginning(
                sql(PostgresLedgerStatement.BEGIN_WITH_CLAIM), sql(PostgresLedgerStatement.BEGIN_OTHERWISE_WITH_CLAIM));
        this.beginWithClaimAsNew = new Beginning(
                sql(PostgresLedgerStatement.BEGIN_WITH_CLAIM_AS_NEW),
                sql(PostgresLedgerStatement.BEGIN_OTHERWISE_WITH_CLAIM_AS_NEW));
        this.beginWithClaimOne = new Beginning(
                sql(PostgresLedgerStatement.BEGIN_WITH_CLAIM_ONE),
                sql(PostgresLedgerStatement.BEGIN_OTHERWISE_WITH_CLAIM_ONE));
        this.lockWorkPartitions = maybeFirst(of(PostgresWorkPartitionStatement.LOCK_BESIDE_HANDLERS));
        this.enterWorkPartition = maybeFirst(of(PostgresWorkPartitionStatement.ENTER));
        this.findWatermarks = maybeFirst(of(PostgresWatermarkStatement.FIND));
        Sql.Text move = of(PostgresWatermarkStatement.ADVANCE);
        this.advance = maybeFirst(move.as(move.sql().formatted(WatermarkRows.MOVED)));
        this.usualAdvance = behindConstraints(advance.later().sql());
        Sql insert = statements.get(PostgresWorkStatement.RECEIVE);
        this.receive = Stream.of(64, 16, 4, 1)
                .map(messages -> new ForMany(messages, insert.text(messages)))
                .toList();
    }

    private <S extends Enum<S> & StatementName> Map<S, String> all(Class<S> type) {
        Map<S, String> texts = new EnumMap<>(type);
        for (S statement : type.getEnumConstants()) {
            texts.put(statement, statements.sql(statement));
        }
        return texts;
    }

    private MaybeFirst maybeFirst(Sql.Text later) {
        return new MaybeFirst(later.behind(of(PostgresTransactionStatement.BEGIN)), later);
    }

    /**
     * A claim with all that a transaction begins with.
     *
     * @param usual fails as {@link Claims#beginsOtherwise} says where the session's transactions begin otherwise than the engine's
     * @param otherwise for such sessions, with one statement more in front
     */
    record Beginning(String usual, String otherwise) {}

    /**
     * A statement that may be the first one of its transaction.
     *
     * @param first behind what a transaction begins with, whose parameters are {@code idle_limit} and {@code statement_limit}
     * @param later by itself
     */
    public record MaybeFirst(Sql.Text first, Sql.Text later) {
        Sql.Text where(boolean isFirst) {
            return isFirst ? first : later;
        }
    }

    /** A statement for so many messages. */
    record ForMany(int messages, Sql.Text text) {}

    /** All of them. */
    Statements statements() {
        return statements;
    }

    /** A statement by itself. */
    Sql.Text of(StatementName statement) {
        return statements.get(statement).text(1);
    }

    String sql(PostgresTransactionStatement statement) {
        return Objects.requireNonNull(ofTransactions.get(statement));
    }

    String sql(PostgresLedgerStatement statement) {
        return Objects.requireNonNull(ofLedger.get(statement));
    }

    /** What goes before the end of a transaction, behind the triggers of deferred constraints. */
    String behindConstraints(String proof) {
        return sql(PostgresTransactionStatement.FIRE_CONSTRAINTS) + ";\n" + proof;
    }

    /** The commit behind deferred constraints, which is what nearly always goes to the server. */
    String usualCommit() {
        return usualCommit;
    }

    Beginning beginWithClaim() {
        return beginWithClaim;
    }

    /** With keys that are all taken for new. */
    Beginning beginWithClaimAsNew() {
        return beginWithClaimAsNew;
    }

    Beginning beginWithClaimOne() {
        return beginWithClaimOne;
    }

    /** A search without the limit that handlers have; the setting of that answers before it. */
    Sql.Text search(StatementName statement) {
        return searches.computeIfAbsent(statement, name -> {
            Sql.Text text = of(name);
            return text.as(sql(PostgresTransactionStatement.LIFT_LIMIT_OF_SEARCH) + ";\n" + text.sql() + ";\n"
                    + sql(PostgresTransactionStatement.SET_LIMIT_BEHIND_SEARCH));
        });
    }

    /** With the limit of the wait, {@code timeout}, and the handlers' own limits behind it. */
    MaybeFirst lockWorkPartitions() {
        return lockWorkPartitions;
    }

    MaybeFirst enterWorkPartition() {
        return enterWorkPartition;
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
