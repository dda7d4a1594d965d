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

/** PostgreSQL, with all its tricks: several statements in one trip, arrays, data-modifying queries, advisory locks. */
final class PostgresDatabase implements Database {
    private final ConnectionSource connections;
    private final LedgerDays days;
    private final MissingDays missingDays;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final PostgresRetention retention;
    private final AdminDatabase admin;
    private final JdbcReplays replays;
    private final DueHints hints = new DueHints();
    private final FreshStreaks streaks;
    private final PostgresSession session = new PostgresSession();

    PostgresDatabase(ConnectionSource connections, int daysAhead, RetentionSettings settings, FreshStreaks streaks) {
        this.streaks = streaks;
        this.connections = connections;
        this.settings = settings;
        this.days = new LedgerDays(connections, daysAhead);
        this.missingDays = new MissingDays(days::ensure, System::nanoTime);
        this.admin = new PostgresAdminDatabase(connections);
        this.replays = new JdbcReplays(admin, new PostgresBarrier(connections));
        this.rules = new RetentionRules(admin, settings);
        this.retention = new PostgresRetention(
                connections,
                settings,
                rules,
                new OldHistory(replays, settings.archive()),
                new OldReplays(admin, settings.batch()));
    }

    @Override
    public RegisteredConsumer register(ConsumerRegistration registration) {
        days.ensure();
        rules.look();
        return Errand.run(
                connections,
                "to register the consumer " + registration.name(),
                connection -> Consumers.register(connection, registration));
    }

    @Override
    public InboxTransaction<JdbcContext> begin(Duration idleLimit) {
        missingDays.createWhereMissed();
        return JdbcTransaction.open(
                connections,
                connection -> new PostgresTransaction(connection, idleLimit, hints, streaks, session, missingDays));
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        return SqlStates.classify(failure);
    }

    @Override
    public void probe() {
        Probe.run(
                connections,
                PostgresStatements.IS_PRIMARY,
                "the database answers as a standby, which takes no messages: connect to the primary");
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        return Errand.run(
                connections,
                "to tell what is due for " + consumers.size() + " consumers",
                connection -> BacklogRows.due(connection, consumers, hints.all()));
    }

    @Override
    public int started(RegisteredConsumer consumer, String what, String position, int limit, Duration fresh) {
        return Errand.run(
                connections,
                "to note that " + consumer.name() + " begins with " + what,
                connection -> BacklogRows.started(connection, consumer, what, position, limit, fresh));
    }

    @Override
    public void ended(RegisteredConsumer consumer, String what, String position) {
        Errand.run(
                connections,
                "to note that " + consumer.name() + " has left " + what,
                connection -> BacklogRows.ended(connection, consumer, what, position));
    }

    @Override
    public Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        return Errand.run(
                connections,
                "to acquire " + partition + " for " + consumer.name(),
                connection -> WatermarkRows.acquire(connection, consumer, partition, log));
    }

    @Override
    public Heartbeat heartbeat() {
        return new LeaseHeartbeat(connections);
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
        return Errand.run(
                connections,
                "to tell how much there is",
                connection -> PostgresSizes.read(connection, settings.window()));
    }

    @Override
    public Ledger ledger(Connection connection) {
        return new CallerLedger(connection);
    }

    @Override
    public AdminDatabase admin() {
        return admin;
    }
}
