package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.admin.SizeStatement;
import io.pigeonhole.jdbc.counter.Counters;
import io.pigeonhole.jdbc.counter.LargestNumberStatement;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.idempotency.IdempotencyStatement;
import io.pigeonhole.jdbc.outbox.OutboxStatement;
import io.pigeonhole.jdbc.retention.FailedSteps;
import io.pigeonhole.jdbc.retention.RetentionRuleStatement;
import io.pigeonhole.jdbc.retention.RetentionSettings;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.retention.RetentionSteps;
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
import io.pigeonhole.jdbc.transaction.PendingRepair;
import io.pigeonhole.jdbc.transaction.TransactionSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** PostgreSQL, with its own abilities: several statements in one round trip, arrays, data-modifying queries, advisory locks. */
public final class PostgresDatabase extends Database {
    /** Where the statements are that it says otherwise than the standard. */
    public static final List<String> STATEMENTS = List.of("io/pigeonhole/jdbc/sql/postgresql/");

    private final ConnectionSource connections;
    private final TransactionSource transactionsOfHandlers;
    private final PendingRepairs repairs;
    private final DueHints hints = new DueHints();
    private final OptimisticInserts optimisticInserts;
    private final PostgresSession session = new PostgresSession();
    private final KnownDays knownDays;
    private final Statements statements;
    private final PostgresTexts texts;
    private final OutboxTables outboxTables;

    private PostgresDatabase(
            ConnectionSource connections,
            TransactionSource transactionsOfHandlers,
            Parts parts,
            PendingRepairs repairs,
            OptimisticInserts optimisticInserts,
            KnownDays knownDays,
            RetentionSettings settings,
            LongSupplier nanos) {
        super(parts, transactionsOfHandlers, settings, nanos);
        this.connections = connections;
        this.transactionsOfHandlers = transactionsOfHandlers;
        this.repairs = repairs;
        this.optimisticInserts = optimisticInserts;
        this.knownDays = knownDays;
        this.statements = parts.transactions().statements();
        this.texts = new PostgresTexts(statements);
        this.outboxTables = new OutboxTables(parts.transactions(), nanos, OutboxTables.LARGE);
    }

    /**
     * A database that connections lead to.
     *
     * @param connections of the store's own
     * @param transactionsOfHandlers in which handlers run
     * @param daysAhead how many days exist beyond today
     * @param settings what is deleted when
     * @param optimisticInserts after how many claims keys are taken for new
     * @param nanos what counts time between two looks at something
     */
    public static PostgresDatabase of(
            ConnectionSource connections,
            TransactionSource transactionsOfHandlers,
            int daysAhead,
            RetentionSettings settings,
            OptimisticInserts optimisticInserts,
            LongSupplier nanos) {
        KnownDays knownDays = new KnownDays(nanos);
        ShortTransactions transactions = PostgresBoundary.transactions(connections, required(), knownDays);
        LedgerDays days = new LedgerDays(transactions, daysAhead);
        Counters counters = new Counters(transactions, new SequenceMover(transactions), System::nanoTime);
        PendingRepairs repairs = new PendingRepairs(
                new PendingRepair("the history has no day for the present", days::createForNow, System::nanoTime),
                new PendingRepair(
                        "a row has the number that another one was to get", counters::ensureOrTell, System::nanoTime));
        FailedSteps steps = new FailedSteps(nanos);
        Parts parts = new Parts(
                transactions,
                days::ensure,
                counters,
                new PostgresBarrier(transactions),
                (rules, oldHistory) -> new RetentionSteps(
                        transactions,
                        settings,
                        rules,
                        oldHistory,
                        new PostgresOldDays(transactions, oldHistory),
                        new OldRowsByPage(transactions, settings.batch(), steps),
                        steps));
        return new PostgresDatabase(
                connections, transactionsOfHandlers, parts, repairs, optimisticInserts, knownDays, settings, nanos);
    }

    private static Statements required() {
        Statements statements = new Statements(STATEMENTS);
        statements.require(AdminStatement.class);
        statements.require(MessageStatement.class);
        statements.require(LedgerQuery.class);
        statements.require(ConsumerStatement.class);
        statements.require(OutboxStatement.class);
        statements.require(OutboxTableStatement.class);
        statements.require(SizeStatement.class);
        statements.require(LeaseStatement.class);
        statements.require(ReplayStatement.class);
        statements.require(RetentionRuleStatement.class);
        statements.require(PostgresWorkStatement.class);
        statements.require(PostgresDeadLetterStatement.class);
        statements.require(PostgresWorkPartitionStatement.class);
        statements.require(PostgresWatermarkStatement.class);
        statements.require(PostgresSchemaStatement.class);
        statements.require(PostgresTransactionStatement.class);
        statements.require(PostgresLedgerStatement.class);
        statements.require(WatermarkAcquisitionStatement.class);
        statements.require(RetentionStatement.class);
        statements.require(LargestNumberStatement.class);
        statements.require(SequenceStatement.class);
        statements.require(PartitionStatement.class);
        statements.require(HistoryBarrierStatement.class);
        statements.require(IdempotencyStatement.class);
        return statements;
    }

    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        repairs.repairWhereSuspected();
        return JdbcTransaction.open(
                transactionsOfHandlers,
                this::isInLedger,
                appends(),
                (own, connection) -> new PostgresTransaction(
                        own, connection, idleLimit, hints, optimisticInserts, session, repairs, knownDays, texts));
    }

    @Override
    public Errors errors() {
        return SqlStates.ERRORS;
    }

    @Override
    public void probe() {
        Probe.run(
                connections,
                statements.sql(PostgresTransactionStatement.IS_PRIMARY),
                "the database answers as a standby, which takes no messages: connect to the primary",
                Probe.SECONDS);
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return transactions()
                .run(
                        "to find what is due for " + consumers.size() + " consumers",
                        session -> HintedBacklog.due(session, consumers, hints.all()));
    }

    @Override
    public Set<Integer> appendedTo(String destination) {
        outboxTables.lookNowAndThen();
        return super.appendedTo(destination);
    }

    @Override
    public void maintain() {
        knownDays.forget();
        super.maintain();
    }

    @Override
    protected Retired retire(Supplier<Retired> piece) {
        try {
            return super.retire(piece);
        } finally {
            knownDays.forget();
        }
    }

    @Override
    public Ledger ledger(Connection connection) {
        return new CallerLedger(
                connection,
                statements,
                new PostgresValues(connection),
                new PostgresCallerClaims(connection, PostgresCallerClaims.LONGEST_WAIT, knownDays, texts));
    }
}
