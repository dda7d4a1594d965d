package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Watermark;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Databases without PostgreSQL's abilities: one statement in a trip, no arrays, no query that changes data and answers, no
 * advisory locks. What differs between them stands in their {@link Dialect}.
 */
final class PlainDatabase implements Database {
    private final ConnectionSource connections;
    private final Dialect dialect;
    private final TransactionControl control;
    private final PlainDays days;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final PlainRetention retention;
    private final AdminDatabase admin;
    private final JdbcReplays replays;

    PlainDatabase(ConnectionSource connections, Dialect dialect, int daysAhead, RetentionSettings settings) {
        this.connections = connections;
        this.settings = settings;
        this.dialect = dialect;
        this.control = new TransactionControl(dialect::endsTransaction, dialect::withoutText, dialect::savepointName);
        this.days = new PlainDays(connections, dialect, daysAhead);
        this.admin = new PlainAdminDatabase(connections, dialect);
        this.replays = new JdbcReplays(admin, new PlainBarrier(connections, dialect));
        this.rules = new RetentionRules(admin, settings);
        this.retention = new PlainRetention(
                connections,
                dialect,
                settings,
                rules,
                new OldHistory(replays, settings.archive()),
                new OldReplays(admin, settings.batch()));
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        days.ensure();
        rules.look();
        return PlainErrand.run(
                connections,
                dialect,
                "to register the consumer " + registration.name(),
                session -> PlainConsumers.register(session, registration));
    }

    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        return JdbcTransaction.open(
                connections,
                connection -> new PlainTransaction(
                        connection, dialect, control, idleLimit, new PacketProof(connections, dialect)));
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        return new PlainErrors(dialect).classify(failure);
    }

    @Override
    public void probe() {
        Probe.run(
                connections,
                dialect.text(LedgerStatement.IS_WRITABLE),
                "the database is read-only and takes no messages: connect to the primary");
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return PlainErrand.run(
                connections,
                dialect,
                "to tell what is due for " + consumers.size() + " consumers",
                session -> PlainBacklog.due(session, consumers));
    }

    @Override
    public int started(RegisteredConsumer consumer, String what, String position, int limit, Duration fresh) {
        return PlainErrand.run(
                connections,
                dialect,
                "to note that " + consumer.name() + " begins with " + what,
                session -> PlainBacklog.started(session, consumer, what, position, limit, fresh));
    }

    @Override
    public void ended(RegisteredConsumer consumer, String what, String position) {
        PlainErrand.run(
                connections,
                dialect,
                "to note that " + consumer.name() + " has left " + what,
                session -> PlainBacklog.ended(session, consumer, what, position));
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        return PlainErrand.run(
                connections,
                dialect,
                "to acquire " + partition + " for " + consumer.name(),
                session -> PlainWatermarks.acquire(session, consumer, partition, log));
    }

    @Override
    public Heartbeat heartbeat() {
        return new PlainHeartbeat(connections, dialect);
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
    public void maintain() {
        days.ensure();
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
        return PlainErrand.run(
                connections,
                dialect,
                "to tell how much there is",
                session -> PlainSizes.read(session, settings.window()));
    }

    @Override
    public Ledger ledger(Connection connection) {
        return new PlainCallerLedger(connection, dialect);
    }

    @Override
    public AdminDatabase admin() {
        return admin;
    }
}
