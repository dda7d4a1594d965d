package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How far ages go on at once behind a time that no program can know to have been an ordinary one. */
@Tag("C7")
@Tag("F39")
class RetentionOutageIT {
    private static final Message MESSAGE =
            Message.builder("q").id("order-1").type("t").payload("x").build();
    private static final Duration FORTNIGHT = Duration.ofDays(14);

    private final Workshop workshop = H2Server.FILES.schema();
    private final DatabaseServer.MovableClock clock = H2Server.FILES.clock(workshop);
    private final AtomicInteger connectionsLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger effects = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void createTables() {
        Schema.apply(workshop.dataSource());
    }

    @AfterEach
    void dropTables() {
        workshop.close();
    }

    @Test
    void programThatStaysUpThroughAnOutageOfTheDatabaseStillKnowsTheKeysFromBefore() {
        JdbcStore store = store(Duration.ofDays(7));

        outage(store, 0, store::retire);

        assertThat(hoursBehind()).isGreaterThan(FORTNIGHT.minusDays(2).toHours());
        assertKnowsTheKeysFromBefore(store);
    }

    @Test
    void programThatStoodStillForAFortnightStillKnowsTheKeysFromBefore() {
        JdbcStore store = store(Duration.ofDays(7));
        assertThat(process(store)).isInstanceOf(Outcome.Processed.class);
        store.maintain();

        nanos.addAndGet(FORTNIGHT.toNanos());
        passInTheDatabase(FORTNIGHT);

        assertKnowsTheKeysFromBefore(store);
    }

    /** At this window a program that ran would let ages go on by four hours at once, not by a quarter of one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void maintenanceThatFailsNotesTheOutageWhereverItEnds(int connections) {
        JdbcStore store = store(Duration.ofHours(1));

        outage(store, connections, store::maintain);

        assertThat(hoursBehind()).isGreaterThan(FORTNIGHT.minusHours(2).toHours());
        assertKnowsTheKeysFromBefore(store);
    }

    @Test
    void registrationThatFailsNotesTheOutage() {
        JdbcStore store = store(Duration.ofHours(1));

        outage(store, 0, () -> inbox(store));

        assertThat(hoursBehind()).isGreaterThan(FORTNIGHT.minusHours(2).toHours());
        assertKnowsTheKeysFromBefore(store);
    }

    @Test
    void useThatFailsNotesTheOutage() {
        JdbcStore store = store(Duration.ofHours(1));
        Inbox<?> inbox = inbox(store);

        outage(store, 0, () -> inbox.process(MESSAGE));

        assertThat(hoursBehind()).isGreaterThan(FORTNIGHT.minusHours(2).toHours());
        assertKnowsTheKeysFromBefore(store);
    }

    /** The database keeps one of them waiting in the middle of its look at the clock. */
    @Test
    void maintenanceOfOneThreadWaitsForNoneOfAnother() {
        CompletableFuture<JdbcStore> store = new CompletableFuture<>();
        AtomicInteger others = new AtomicInteger();
        DataSource connections = InterposedDataSource.before(
                1,
                "SET seen_at",
                clock.dataSource(),
                () -> CompletableFuture.runAsync(
                                () -> {
                                    store.join().maintain();
                                    others.incrementAndGet();
                                },
                                OwnThread.FOR_EACH)
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join());
        store.complete(JdbcStore.create(connections));
        passInTheDatabase(Duration.ofHours(1));

        store.join().maintain();

        assertThat(others).hasValue(1);
        assertThat(hoursBehind()).isZero();
    }

    private void outage(JdbcStore store, int connections, ThrowingCallable use) {
        assertThat(process(store)).isInstanceOf(Outcome.Processed.class);
        store.maintain();
        for (int day = 0; day < FORTNIGHT.toDays(); day++) {
            connectionsLeft.set(connections);
            nanos.addAndGet(Duration.ofDays(1).toNanos());
            assertThatThrownBy(use).isNotNull();
        }
        connectionsLeft.set(Integer.MAX_VALUE);
        passInTheDatabase(FORTNIGHT);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        store.maintain();
    }

    private void assertKnowsTheKeysFromBefore(JdbcStore store) {
        store.maintain();
        retireAll(store);
        assertThat(process(store)).isInstanceOf(Outcome.Duplicate.class);
        assertThat(effects).hasValue(1);
    }

    @Test
    void programThatNeverMovesTheClockBecauseAnotherOneDoesBelievesNoJumpMore() {
        JdbcStore mover = JdbcStore.create(workshop.dataSource());
        JdbcStore store = store(Duration.ofDays(7));
        for (int hour = 0; hour < 72; hour++) {
            passInTheDatabase(Duration.ofHours(1));
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            mover.maintain();
            store.maintain();
        }
        long before = hoursBehind();

        passInTheDatabase(FORTNIGHT);
        store.maintain();

        assertThat(hoursBehind() - before).isGreaterThan(FORTNIGHT.minusDays(2).toHours());
    }

    /** Looks that are no minute apart, by the database's clock, do not move the row: what a program ran until then is added up. */
    @Test
    void timeBeforeAMissDoesNotCount() {
        JdbcStore store = store(Duration.ofHours(1));
        store.maintain();
        for (int look = 0; look < 3; look++) {
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            store.maintain();
        }
        connectionsLeft.set(0);
        assertThatThrownBy(store::maintain).isNotNull();
        connectionsLeft.set(Integer.MAX_VALUE);

        clock.advance(Duration.ofHours(20));
        store.maintain();

        assertThat(hoursBehind()).isGreaterThan(18);
    }

    private JdbcStore store(Duration window) {
        DataSource connections = clock.dataSource();
        DataSource mayBeAway = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && connectionsLeft.getAndDecrement() <= 0) {
                        throw new SQLException("nobody is there", "08001");
                    }
                    try {
                        return method.invoke(connections, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return JdbcStore.builder(mayBeAway).window(window).nanos(nanos::get).build();
    }

    private Outcome process(JdbcStore store) {
        return inbox(store).process(MESSAGE);
    }

    private Inbox<?> inbox(JdbcStore store) {
        return Inbox.builder("payments", store)
                .handle("t", PayloadDecoder.text(), (payload, context) -> effects.incrementAndGet())
                .build();
    }

    private static void retireAll(JdbcStore store) {
        while (store.retire().more()) {
            // The next piece.
        }
    }

    private void passInTheDatabase(Duration time) {
        String before = " - INTERVAL '" + time.toHours() + "' HOUR(4)";
        workshop.execute("UPDATE inbox_clock SET seen_at = seen_at" + before + ", trusted_at = trusted_at" + before);
        workshop.execute("UPDATE inbox_retention SET confirmed_at = confirmed_at" + before);
        workshop.execute("UPDATE inbox_ledger SET accepted_at = accepted_at" + before);
        workshop.execute("UPDATE inbox_upkeep SET next_at = next_at" + before);
    }

    private long hoursBehind() {
        return Long.parseLong(workshop.ask("SELECT DATEDIFF(HOUR, trusted_at, seen_at) FROM inbox_clock"));
    }
}
