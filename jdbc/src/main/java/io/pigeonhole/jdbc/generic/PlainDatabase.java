package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.admin.SizeStatement;
import io.pigeonhole.jdbc.admin.StoreSizes;
import io.pigeonhole.jdbc.counter.CounterMover;
import io.pigeonhole.jdbc.counter.Counters;
import io.pigeonhole.jdbc.counter.LargestNumberStatement;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.PlainErrors;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.replay.JdbcReplays;
import io.pigeonhole.jdbc.retention.FailedSteps;
import io.pigeonhole.jdbc.retention.OldHistory;
import io.pigeonhole.jdbc.retention.OldRowStatement;
import io.pigeonhole.jdbc.retention.RetentionRuleStatement;
import io.pigeonhole.jdbc.retention.RetentionRules;
import io.pigeonhole.jdbc.retention.RetentionSettings;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.retention.RetentionSteps;
import io.pigeonhole.jdbc.retention.RowPurge;
import io.pigeonhole.jdbc.schema.SchemaStatement;
import io.pigeonhole.jdbc.sql.AdminStatement;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.MessageStatement;
import io.pigeonhole.jdbc.sql.Probe;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.store.ConsumerStatement;
import io.pigeonhole.jdbc.store.Consumers;
import io.pigeonhole.jdbc.store.Database;
import io.pigeonhole.jdbc.store.LeaseHeartbeat;
import io.pigeonhole.jdbc.store.LeaseStatement;
import io.pigeonhole.jdbc.store.StartRows;
import io.pigeonhole.jdbc.store.WatermarkAcquisition;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Databases without PostgreSQL's abilities: one statement in a trip, no arrays, no query that changes data and answers, no
 * advisory locks. What differs between them stands in their {@link Dialect}.
 */
public final class PlainDatabase implements Database {
    private final ConnectionSource connections;
    private final TransactionSource transactionsOfHandlers;
    private final Dialect dialect;
    private final TransactionControl control;
    private final LongWrites longWrites = new LongWrites();
    private final AtomicBoolean claimsApart = new AtomicBoolean();
    private final PlainDays days;
    private final Counters counters;
    private final PendingRepair takenNumber;
    private final RetentionSettings settings;
    private final Statements statements;
    private final RetentionRules rules;
    private final RetentionSteps retention;
    private final ShortTransactions transactions;
    private final AdminDatabase admin;
    private final JdbcReplays replays;

    public PlainDatabase(
            ConnectionSource connections,
            TransactionSource transactionsOfHandlers,
            Dialect dialect,
            int daysAhead,
            RetentionSettings settings,
            LongSupplier nanos) {
        this.connections = connections;
        this.transactionsOfHandlers = transactionsOfHandlers;
        this.settings = settings;
        this.dialect = dialect;
        this.control = new TransactionControl(dialect::endsTransaction, dialect::withoutText, dialect::savepointName);
        this.statements = dialect.texts();
        statements.require(ConsumerStatement.class);
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
        this.transactions = PlainBoundary.transactions(connections, dialect);
        this.days = new PlainDays(transactions, dialect, daysAhead);
        this.counters = new Counters(transactions, mover(dialect, transactions), System::nanoTime);
        this.takenNumber = new PendingRepair(
                "a row has the number that another one was to get", counters::ensureOrTell, System::nanoTime);
        this.admin = new AdminDatabase(transactions);
        this.replays = new JdbcReplays(admin, new PlainBarrier(transactions, dialect));
        this.rules = new RetentionRules(admin, settings, nanos);
        OldHistory oldHistory = new OldHistory(replays, settings.archive(), nanos);
        this.retention = new RetentionSteps(
                transactions,
                settings,
                rules,
                oldHistory,
                new DialectOldDays(dialect, transactions, oldHistory),
                new OldRowsByKey(transactions, dialect.hasDays(), oldHistory, RowPurge.of(settings)),
                new FailedSteps(nanos));
    }

    private static CounterMover mover(Dialect dialect, ShortTransactions transactions) {
        return dialect.countsNumbersOfRows()
                ? new AutoIncrementMover(transactions)
                : new IdentityMover(dialect, transactions);
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        days.ensure();
        counters.ensureAtStart();
        rules.look();
        return transactions.run(
                "to register the consumer " + registration.name(),
                session -> Consumers.register(session, registration));
    }

    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        takenNumber.repairWhereSuspected();
        return JdbcTransaction.open(
                transactionsOfHandlers,
                (own, connection) -> new PlainTransaction(
                        own,
                        connection,
                        dialect,
                        control,
                        idleLimit,
                        new PacketProof(connections, dialect),
                        longWrites,
                        claimsApart,
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
                statements.sql(LedgerStatement.IS_WRITABLE),
                "the database is read-only and takes no messages: connect to the primary");
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return transactions.run(
                "to tell what is due for " + consumers.size() + " consumers",
                session -> PlainBacklog.due(session, consumers));
    }

    @Override
    public int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh) {
        return transactions.runQuick(
                "to note that " + consumer.name() + " begins with " + start.what(),
                session -> StartRows.started(session, consumer, start, limit, fresh));
    }

    @Override
    public void ended(RegisteredConsumer consumer, Start start) {
        transactions.runQuick(
                "to note that " + consumer.name() + " has left " + start.what(),
                session -> StartRows.ended(session, consumer, start));
    }

    @Override
    public void survived(RegisteredConsumer consumer, Start start) {
        transactions.runQuick(
                "to note that " + consumer.name() + " has survived " + start.what(),
                session -> StartRows.survived(session, consumer, start));
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        return transactions.runQuick(
                "to acquire " + partition + " for " + consumer.name(),
                session -> WatermarkAcquisition.acquire(session, consumer, partition, log));
    }

    @Override
    public Heartbeat heartbeat() {
        return new LeaseHeartbeat(transactions);
    }

    @Override
    public ReplayStore replays() {
        return replays;
    }

    @Override
    public HistoryDays historyDays() {
        return replays;
    }

    @Override
    public void createDays() {
        days.ensure();
    }

    @Override
    public void maintain() {
        counters.maintain();
        rules.look();
    }

    @Override
    public Duration window() {
        return settings.window();
    }

    @Override
    public Retired retire() {
        return retention.retire();
    }

    @Override
    public Answer confirmClock(Author by) {
        return rules.confirmClock(by);
    }

    @Override
    public Sizes sizes() {
        return transactions.run("to tell how much there is", session -> StoreSizes.read(session, settings.window()));
    }

    @Override
    public Ledger ledger(Connection connection) {
        PlainSession session = PlainSession.withoutClock(connection, dialect);
        return new CallerLedger(
                connection, statements, new PlainValues(session), new PlainCallerClaims(connection, dialect));
    }

    @Override
    public AdminDatabase admin() {
        return admin;
    }
}
