package io.pigeonhole.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.replay.ReplayControl;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/replay.md}: what stands between the marks is compared with it. */
class ReplayGuideExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);

    private final List<String> paid = new ArrayList<>();
    private final List<String> balances = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-20T12:00:00Z");
    private final InMemoryStore store = InMemoryStore.create(new Clock() {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    });

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void theExamplesDoWhatTheGuideSays() throws IOException {
        Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
                .history(HistoryMode.WITH_PAYLOAD)
                .handle("payment", PayloadDecoder.text(), (payment, context) -> context.defer(() -> paid.add(payment)))
                .build();
        for (String payment : List.of("10 euros", "20 euros")) {
            inbox.process(Message.builder("orders")
                    .id(payment)
                    .type("payment")
                    .payload(payment)
                    .build());
        }

        // begin
        ReplayProgress end = Replay.builder(
                        "balances anew", "payments", store, new Author("ann", "ticket 4712: the balances are wrong"))
                .into(PayloadDecoder.text(), (payment, context) -> context.defer(() -> balances.add(payment)))
                .since(Instant.parse("2026-01-01T00:00:00Z"))
                .type("payment")
                .batch(200)
                .rate(5_000)
                .build()
                .run();
        System.out.println(end.state() + ": " + end.done() + " of " + end.total());
        // end
        assertThat(end.state()).isEqualTo(ReplayState.FINISHED);
        assertThat(balances).containsExactly("10 euros", "20 euros");

        // begin
        Replay.builder("after the restore", "payments", store, new Author("ann", "ticket 4713: restored to noon"))
                .intoOwnHandlers(inbox)
                .allowReprocessing()
                .since(Instant.parse("2026-01-01T00:00:00Z"))
                .build()
                .run();
        // end
        assertThat(paid).containsExactly("10 euros", "20 euros", "10 euros", "20 euros");

        // begin
        ReplayControl control = ReplayControl.of(store);
        for (ReplayProgress run : control.list()) {
            System.out.println(run.plan().name() + " " + run.state() + ", left " + run.left());
        }
        control.pause("balances anew", new Author("bob", "month end"));
        control.resume("balances anew", new Author("bob", "month end is over"));
        control.cancel("balances anew", new Author("bob", "no longer wanted"));
        List<SkippedMessage> passed = control.skipped("balances anew", 0, 100);
        // end
        assertThat(passed).isEmpty();
        assertThat(control.find("balances anew").orElseThrow().state()).isEqualTo(ReplayState.FINISHED);

        now = Instant.parse("2026-11-21T00:00:00Z");
        // begin
        HistoryExport export = HistoryExport.of(store, JsonLinesArchive.in(directory));
        long messages = export.export(LocalDate.parse("2026-11-20"));
        // end
        assertThat(messages).isEqualTo(2);
        List<String> lines = Files.readAllLines(directory.resolve("history-2026-11-20.jsonl"));
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0))
                .startsWith("{\"history\":\"2026-11-20\",\"store\":\"")
                .endsWith("\",\"version\":1}");
        assertThat(lines.get(3)).startsWith("{\"end\":\"2026-11-20\",\"entries\":2,\"sha256\":\"");
    }

    @Test
    void theGuideShowsWhatIsRunHere() throws IOException {
        Path here = Path.of("src/test/java/io/pigeonhole/jackson/ReplayGuideExampleTest.java");
        List<String> run = find(here, BETWEEN_MARKS);
        assertThat(run).isNotEmpty();
        assertThat(find(Path.of("..", "docs", "replay.md"), EXAMPLE)).isEqualTo(run);
    }

    @Test
    void theGuideNamesEveryState() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "replay.md"));
        for (ReplayState state : ReplayState.values()) {
            assertThat(guide).contains("| `" + state + "` |");
        }
    }

    private static List<String> find(Path file, Pattern pattern) throws IOException {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(1).replaceAll("\\s+", ""));
        }
        return found;
    }
}
