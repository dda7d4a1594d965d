package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jackson.JsonLinesArchive;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether days of the history go on MariaDB and H2 while messages are processed without a pause. */
@Tag("E6")
class HistoryUnderLoadIT {
    private static final int WRITERS = 4;

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES));
    }

    private static Message message(String id) {
        return Message.builder("notes").id(id).type("note").payload(id).build();
    }

    /** What a transaction records it records at its end. */
    @ParameterizedTest
    @MethodSource("servers")
    void dayIsSettledWhileAHandlerIsAtWork(DatabaseServer server) throws InterruptedException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        begun.countDown();
                        end.await();
                    })
                    .build();
            CompletableFuture<Void> working =
                    CompletableFuture.runAsync(() -> inbox.process(message("a")), OwnThread.FOR_EACH);
            begun.await();
            LocalDate yesterday = store.historyDays().today().minusDays(1);

            try {
                assertThat(store.historyDays().isSettled(yesterday)).isTrue();
            } finally {
                end.countDown();
                working.join();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_history")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void daysGoWhileOthersRecordWithoutAPause(DatabaseServer server, @TempDir Path directory) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.builder(workshop.dataSource())
                    .historyRetention(Duration.ofDays(2))
                    .archive(JsonLinesArchive.in(directory))
                    .build();
            Inbox<JdbcContext> inbox = Inbox.builder("notes", store)
                    .history(HistoryMode.WITH_PAYLOAD)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .build();
            inbox.process(message("old"));
            LocalDate old = store.historyDays().today().minusDays(5);
            HistoryWantedMeanwhileIT.moveTo(old, server, workshop);
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong number = new AtomicLong();
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(CompletableFuture.runAsync(
                        () -> {
                            while (!over.get()) {
                                inbox.process(message("new " + number.incrementAndGet()));
                            }
                        },
                        OwnThread.FOR_EACH));
            }

            try {
                await().until(() -> number.get() > 100);
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    store.retire();
                    return workshop.ask(
                                    "SELECT count(*) FROM inbox_history WHERE processed_at < '" + old.plusDays(1) + "'")
                            .equals("0");
                });
            } finally {
                over.set(true);
                writers.forEach(CompletableFuture::join);
            }
            assertThat(JsonLinesArchive.in(directory).file(old)).content().contains("\"old\"");
        }
    }
}
