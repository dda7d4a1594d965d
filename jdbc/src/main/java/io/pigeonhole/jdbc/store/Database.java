package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.admin.StoreSizes;
import io.pigeonhole.jdbc.counter.Counters;
import io.pigeonhole.jdbc.outbox.AppendListeners;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.outbox.OutboxRows;
import io.pigeonhole.jdbc.replay.HistoryBarrier;
import io.pigeonhole.jdbc.replay.JdbcReplays;
import io.pigeonhole.jdbc.retention.OldHistory;
import io.pigeonhole.jdbc.retention.RetentionRules;
import io.pigeonhole.jdbc.retention.RetentionSettings;
import io.pigeonhole.jdbc.retention.RetentionSteps;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.transaction.TransactionSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a store does on one kind of database. What is not about messages in hand is here, for all of them. Safe for use by many
 * threads.
 */
public abstract class Database implements InboxStore<JdbcContext> {
    private final ShortTransactions transactions;
    private final Days days;
    private final Counters counters;
    private final RetentionSettings settings;
    private final AdminDatabase admin;
    private final JdbcReplays replays;
    private final RetentionRules rules;
    private final RetentionSteps retention;
    private final AppendListeners appendListeners = new AppendListeners();
    private final Appends appends;

    /**
     * What is different with each kind.
     *
     * @param transactions of the store's own
     * @param days of ledger and history
     * @param counters of the rows
     * @param barrier which finds out when the history of a moment is complete
     * @param retention how it deletes what is past its time
     */
    public record Parts(
            ShortTransactions transactions,
            Days days,
            Counters counters,
            HistoryBarrier barrier,
            RetentionFactory retention) {}

    /** Creates the days that are missing. */
    @FunctionalInterface
    public interface Days {
        void ensure();
    }

    /** Makes the steps in which a database deletes what is past its time. */
    @FunctionalInterface
    public interface RetentionFactory {
        RetentionSteps by(RetentionRules rules, OldHistory oldHistory);
    }

    /**
     * The same parts for all of them.
     *
     * @param ofHandlers where the transactions of handlers come from
     * @param nanos what counts time between two looks at something
     */
    protected Database(Parts parts, TransactionSource ofHandlers, RetentionSettings settings, LongSupplier nanos) {
        this.transactions = parts.transactions();
        this.days = parts.days();
        this.counters = parts.counters();
        this.settings = settings;
        this.admin = new AdminDatabase(transactions);
        this.replays = new JdbcReplays(admin, parts.barrier());
        this.rules = new RetentionRules(admin, settings, nanos);
        this.appends = ofHandlers.appendsInOrder()
                ? Appends.inOrder(transactions.statements(), ofHandlers.schema(), appendListeners)
                : Appends.of(transactions.statements(), ofHandlers.schema(), appendListeners);
        this.retention = parts.retention().by(rules, new OldHistory(replays, settings.archive(), nanos));
    }

    /** Transactions of the store's own. */
    protected final ShortTransactions transactions() {
        return transactions;
    }

    /** Whether the ledger has a key. */
    protected final boolean isInLedger(RegisteredConsumer consumer, MessageKey key) {
        return transactions.runQuick("to look whether a message is accepted", session -> {
            try (Call call = session.call(LedgerQuery.IS_ACCEPTED)) {
                return call.consumer(consumer).key(key).hasRow();
            }
        });
    }

    /** How messages to send are appended. */
    public final Appends appends() {
        return appends;
    }

    @Override
    public Set<Integer> appendedTo(String destination) {
        return OutboxRows.workPartitions(transactions, destination);
    }

    @Override
    public final Runnable whenAppended(BiConsumer<String, Set<Integer>> listener) {
        return appendListeners.add(listener);
    }

    /** The ledger in a transaction of the caller. */
    public abstract Ledger ledger(Connection connection);

    /** What its errors mean. */
    public abstract Errors errors();

    @Override
    public final ErrorClass classify(Throwable failure) {
        return errors().classify(failure);
    }

    @Override
    public final RegisteredConsumer register(ConsumerRegistration registration) {
        beforeLook(days::ensure);
        beforeLook(counters::ensureAtStart);
        rules.look();
        String doing = "to register the consumer " + registration.name();
        Optional<RegisteredConsumer> known = transactions.run(doing, session -> Consumers.known(session, registration));
        if (known.isPresent()) {
            return known.get();
        }
        counters.ensureForNewConsumer(registration.name());
        return transactions.run(doing, session -> Consumers.register(session, registration));
    }

    @Override
    public final int started(RegisteredConsumer consumer, Start start, int limit, Duration fresh) {
        return transactions.runQuick(
                "to note that " + consumer.name() + " begins with " + start.what(),
                session -> StartRows.started(session, consumer, start, limit, fresh));
    }

    @Override
    public final void ended(RegisteredConsumer consumer, Start start) {
        transactions.runQuick(
                "to note that " + consumer.name() + " has left " + start.what(),
                session -> StartRows.ended(session, consumer, start));
    }

    @Override
    public final void survived(RegisteredConsumer consumer, Start start) {
        transactions.runQuick(
                "to note that " + consumer.name() + " has survived " + start.what(),
                session -> StartRows.survived(session, consumer, start));
    }

    @Override
    public final Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        return transactions.runQuick(
                "to acquire " + partition + " for " + consumer.name(),
                session -> WatermarkAcquisition.acquire(session, consumer, partition, log));
    }

    @Override
    public final Heartbeat heartbeat() {
        return new LeaseHeartbeat(transactions);
    }

    @Override
    public final ReplayStore replays() {
        return replays;
    }

    @Override
    public final HistoryDays historyDays() {
        return replays;
    }

    /**
     * Creates the days that are missing ahead. Where that fails, all else is maintained nevertheless, unless the database is away: it
     * would be waited for again, once for each part.
     */
    public final void createDays() {
        try {
            days.ensure();
        } catch (StoreUnavailableException | Error e) {
            rules.missed();
            throw e;
        } catch (RuntimeException e) {
            maintainNevertheless(e);
            throw e;
        }
    }

    private void maintainNevertheless(RuntimeException noDays) {
        try {
            maintain();
        } catch (RuntimeException e) {
            noDays.addSuppressed(e);
        }
    }

    /** Looks at the numbers of rows and at the clock, from which ages count. Days are created apart. */
    @Override
    public void maintain() {
        beforeLook(counters::maintain);
        rules.look();
    }

    /** Where this fails, nobody looks at the clock, and the time until now may have been an outage. */
    private void beforeLook(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            rules.missed();
            throw e;
        }
    }

    @Override
    public final Duration window() {
        return settings.window();
    }

    @Override
    public final Retired retire() {
        return retire(retention::retire);
    }

    @Override
    public final Retired retireWithoutArchive() {
        return retire(retention::retireWithoutArchive);
    }

    @Override
    public final Retired retireArchived() {
        return retire(retention::retireArchived);
    }

    /** Takes a piece of retention. */
    protected Retired retire(Supplier<Retired> piece) {
        return piece.get();
    }

    /** Lets ages count from what the database's clock says. */
    public final Answer confirmClock(Author by) {
        return rules.confirmClock(by);
    }

    /** How much there is. */
    public final Sizes sizes() {
        return transactions.run("to count what there is", session -> StoreSizes.read(session, settings.window()));
    }

    /** What the admin API needs of it; the same at every call. */
    public final AdminDatabase admin() {
        return admin;
    }
}
