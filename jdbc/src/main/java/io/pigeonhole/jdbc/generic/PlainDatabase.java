package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.admin.SizeStatement;
import io.pigeonhole.jdbc.counter.CounterMover;
import io.pigeonhole.jdbc.counter.Counters;
import io.pigeonhole.jdbc.counter.LargestNumberStatement;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.PlainErrors;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.idempotency.IdempotencyStatement;
import io.pigeonhole.jdbc.outbox.OutboxStatement;
import io.pigeonhole.jdbc.retention.FailedSteps;
import io.pigeonhole.jdbc.retention.OldRowStatement;
import io.pigeonhole.jdbc.retention.RetentionRuleStatement;
import io.pigeonhole.jdbc.retention.RetentionSettings;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.retention.RetentionSteps;
import io.pigeonhole.jdbc.retention.RowPurge;
import io.pigeonhole.jdbc.schema.SchemaStatement;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ConsumerStatement;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.Probe;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.store.Database;
import io.pigeonhole.jdbc.store.LeaseStatement;
import io.pigeonhole.jdbc.store.WatermarkAcquisitionStatement;
import io.pigeonhole.jdbc.transaction.CallerLedger;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import io.pigeonhole.jdbc.transaction.LongWrites;
import io.pigeonhole.jdbc.transaction.PendingRepair;
import io.pigeonhole.jdbc.transaction.TransactionSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Databases without PostgreSQL's abilities: one statement in a round trip, no arrays, no query that changes data and answers, no
 * advisory locks. What differs between them stands in their {@link Dialect}.
 */
public final class PlainDatabase extends Database {
    private final ConnectionSource connections;
    private final TransactionSource transactionsOfHandlers;
    private final Dialect dialect;
    private final TransactionControl control;
    private final LongWrites longWrites = new LongWrites();
    private final SessionStatements sessionStatements;
    private final PendingRepair takenNumber;

    private PlainDatabase(
            ConnectionSource connections,
            TransactionSource transactionsOfHandlers,
            Dialect dialect,
            Parts parts,
            RetentionSettings settings,
            LongSupplier nanos) {
        super(parts, transactionsOfHandlers, settings, nanos);
        this.connections = connections;
        this.transactionsOfHandlers = transactionsOfHandlers;
        this.dialect = dialect;
        this.sessionStatements = new SessionStatements(dialect);
        this.control = new TransactionControl(
                dialect::endsTransaction, sql -> false, dialect::withoutText, dialect::savepointName);
        this.takenNumber = new PendingRepair(
                "a row has the number that another one was to get", parts.counters()::ensureOrTell, System::nanoTime);
    }

    /**
     * A database that connections lead to.
     *
     * @param connections of the store's own
     * @param transactionsOfHandlers in which handlers run
     * @param dialect what it says differently
     * @param daysAhead how many days exist beyond today
     * @param settings what is deleted when
     * @param nanos what counts time between two looks at something
     */
    public static PlainDatabase of(
            ConnectionSource connections,
            TransactionSource transactionsOfHandlers,
            Dialect dialect,
            int daysAhead,
            RetentionSettings settings,
            LongSupplier nanos) {
        require(dialect.texts());
        ShortTransactions transactions = PlainBoundary.transactions(connections, dialect);
        Parts parts = new Parts(
                transactions,
                new PlainDays(transactions, dialect, daysAhead)::ensure,
                new Counters(transactions, mover(dialect, transactions), System::nanoTime),
                new PlainBarrier(transactions, dialect),
                (rules, oldHistory) -> new RetentionSteps(
                        transactions,
                        settings,
                        rules,
                        oldHistory,
                        new DialectOldDays(dialect, transactions, oldHistory),
                        new OldRowsByKey(transactions, dialect.hasDays(), oldHistory, RowPurge.of(settings)),
                        new FailedSteps(nanos)));
        return new PlainDatabase(connections, transactionsOfHandlers, dialect, parts, settings, nanos);
    }

    private static void require(Statements statements) {
        statements.require(ConsumerStatement.class);
        statements.require(OutboxStatement.class);
        statements.require(OutboxPageStatement.class);
        statements.require(SizeStatement.class);
        statements.require(LeaseStatement.class);
        statements.require(ReplayStatement.class);
        statements.require(RetentionRuleStatement.class);
        statements.require(AdminStatement.class);
        statements.require(MessageStatement.class);
        statements.require(LedgerQuery.class);
        statements.require(MoveStatement.class);
        statements.require(SchemaStatement.class);
        statements.require(LedgerStatement.class);
        statements.require(LargestNumberStatement.class);
        statements.require(CounterStatement.class);
        statements.require(PlaceStatement.class);
        statements.require(WorkStatement.class);
        statements.require(DeadLetterStatement.class);
        statements.require(RetentionStatement.class);
        statements.require(OldRowStatement.class);
        statements.require(WatermarkStatement.class);
        statements.require(WatermarkAcquisitionStatement.class);
        statements.require(IdempotencyStatement.class);
    }

    private static CounterMover mover(Dialect dialect, ShortTransactions transactions) {
        return dialect.countsNumbersOfRows()
                ? new AutoIncrementMover(transactions)
                : new IdentityMover(dialect, transactions);
    }

    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        takenNumber.repairWhereSuspected();
        return JdbcTransaction.open(
                transactionsOfHandlers,
                this::isInLedger,
                appends(),
                (own, connection) -> new PlainTransaction(
                        own,
                        connection,
                        dialect,
                        control,
                        idleLimit,
                        new PacketProof(connections, dialect),
                        longWrites,
                        sessionStatements,
                        takenNumber));
    }

    @Override
    public Errors errors() {
        return new PlainErrors(dialect);
    }

    @Override
    public void probe() {
        Probe.run(
                connections,
                transactions().statements().sql(LedgerStatement.IS_WRITABLE),
                "the database is read-only and takes no messages: connect to the primary",
                dialect.keepsQueryTimeout() ? 0 : Probe.SECONDS);
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return transactions()
                .run(
                        "to find what is due for " + consumers.size() + " consumers",
                        session -> PlainBacklog.due(session, consumers));
    }

    @Override
    public Ledger ledger(Connection connection) {
        PlainSession session = PlainSession.withoutClock(connection, dialect);
        return new CallerLedger(
                connection,
                transactions().statements(),
                new PlainValues(session),
                new PlainCallerClaims(connection, dialect));
    }
}
