package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The history by days: what the export reads, and which days a run needs. */
abstract class HistoryDayTests<C extends HandlerContext> extends ReplayLab<C> {
    /** Transactions of other databases of the server count, too. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private HistoryDays days;

    HistoryDayTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void takeDays() {
        days = store.historyDays();
    }

    private List<HistoryEntry> read(LocalDate day, long after, int limit) {
        return days.read(inbox.registered(), day, after, limit);
    }

    @Test
    void aDayIsReadInItsOrderAndInParts() {
        LocalDate day = days.today();
        Message plain = message("plain");
        Message rich = Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .orderingKey("k")
                .contentType("text/plain")
                .origin("somewhere")
                .payload("rich")
                .build();
        finish(plain, rich);

        List<HistoryEntry> all = read(day, 0, 100);

        assertThat(all).extracting(entry -> payload(entry.message())).containsExactly("plain", "rich");
        assertThat(all.get(1).message().contentType()).isEqualTo("text/plain");
        assertThat(all.get(1).message().origin()).isEqualTo("somewhere");
        assertThat(all.get(1).message().orderingKey()).isEqualTo(rich.orderingKey());
        assertThat(all).allMatch(HistoryEntry::withPayload);
        assertThat(read(day, 0, 1))
                .extracting(HistoryEntry::place)
                .containsExactly(all.get(0).place());
        assertThat(read(day, all.get(0).place(), 100))
                .extracting(HistoryEntry::place)
                .containsExactly(all.get(1).place());
        assertThat(read(day.plusDays(1), 0, 100)).isEmpty();
        assertThat(read(day.minusDays(1), 0, 100)).isEmpty();
    }

    @Test
    @Tag("E7")
    void aPartOfADayFitsIntoMemoryHoweverLargeItsMessagesAre() {
        LocalDate day = days.today();
        for (int i = 0; i < 20; i++) {
            finish(Message.builder("notes")
                    .id(Ids.opaque())
                    .type(TYPE)
                    .payload("x".repeat(1 << 20))
                    .build());
        }

        List<HistoryEntry> first = read(day, 0, 500);
        List<HistoryEntry> second = read(day, first.get(first.size() - 1).place(), 500);

        assertThat(bytes(first)).isPositive().isLessThanOrEqualTo(16 << 20);
        assertThat(first.size() + second.size()).isEqualTo(20);
    }

    private static int bytes(List<HistoryEntry> entries) {
        return entries.stream()
                .mapToInt(entry -> entry.message().payload().length)
                .sum();
    }

    @Test
    void whatWasNotKeptIsNotRead() {
        Message message = message("secret");
        builder((payload, context) -> {})
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .build()
                .process(message);

        HistoryEntry entry = read(days.today(), 0, 100).get(0);

        assertThat(entry.withPayload()).isFalse();
        assertThat(entry.message().isTombstone()).isTrue();
        assertThat(entry.message().id()).isEqualTo(message.id());
        assertThat(entry.message().headers()).isEmpty();
    }

    @Test
    void consumersAreKnown() {
        assertThat(days.consumers()).extracting(RegisteredConsumer::name).contains(consumer);
    }

    @Test
    void aDayIsSettledWhenNothingOlderIsOpen() {
        LocalDate day = days.today().minusDays(1);

        await().atMost(PATIENCE).until(() -> days.isSettled(day));
    }

    @Test
    void aDayThatIsNotOverIsNotSettled() {
        LocalDate today = days.today();

        assertThatThrownBy(() -> days.isSettled(today)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("E3")
    void aStoreHasAnIdentityThatStays() {
        assertThat(days.storeId()).isNotBlank().hasSizeLessThanOrEqualTo(40).isEqualTo(days.storeId());
    }

    @Test
    void aDayHasAsManyMessagesAsAreRead() {
        LocalDate day = days.today();
        long before = days.count(day);
        // Other tests on this store move its clock ahead, past midnight in the evening.
        long nextDay = days.count(day.plusDays(1));
        finish(3);

        assertThat(days.count(day)).isEqualTo(before + 3);
        assertThat(days.count(day.plusDays(1))).isEqualTo(nextDay);
    }

    @Test
    void aDayIsNotedAsExportedWithItsMessages() {
        LocalDate day =
                LocalDate.of(1900, 1, 1).plusDays(ThreadLocalRandom.current().nextInt(30_000));
        assertThat(days.isExported(day)).isFalse();

        days.exported(day, 42);
        days.exported(day, 42);

        assertThat(days.exportedEntries(day)).hasValue(42);
        days.exported(day, 43);
        assertThat(days.exportedEntries(day)).as("exported once more").hasValue(43);
        assertThat(days.isExported(day)).isTrue();
        assertThat(days.isExported(day.plusDays(1))).isFalse();
        assertThat(days.lastExported())
                .hasValueSatisfying(last -> assertThat(last).isAfterOrEqualTo(day));
    }

    @Test
    void aRunNeedsTheDaysThatItHasBeforeIt() {
        finish(4);
        LocalDate day = days.today();
        control.list().forEach(run -> control.cancel(run.plan().name(), ANN));
        assertThat(days.isNeeded(day)).isFalse();
        plan.at(
                CrashPoint.AFTER_COMMIT,
                plan.passages(CrashPoint.AFTER_COMMIT) + 1,
                () -> control.pause(name("needing"), ANN));

        replay("needing").batch(2).build().run();
        assertThat(days.isNeeded(day)).isTrue();
        assertThat(days.isNeeded(day.plusDays(1))).isFalse();
        assertThat(days.isNeeded(day.minusDays(1))).isFalse();

        control.resume(name("needing"), ANN);
        replay("needing").build().run();
        assertThat(days.isNeeded(day)).isFalse();
    }
}
