package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/testing.md}: what stands between the marks is compared with it. */
class TestingGuideExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?)// end", Pattern.DOTALL);
    private static final Path HERE = Path.of("src/test/java/io/pigeonhole/testkit/memory/TestingGuideExampleTest.java");
    private static final Path ON_SQL =
            Path.of("../integration-tests/src/test/java/io/pigeonhole/engine/HandlerOnSqlIT.java");
    private static final Path DYING =
            Path.of("../integration-tests/src/test/java/io/pigeonhole/crash/DyingProcess.java");

    private static Message message(String id, String payload) {
        return Message.builder("orders")
                .id(id)
                .type("order.placed")
                .payload(payload)
                .build();
    }

    // begin
    @Test
    void orderThatComesTwiceIsShippedOnce() {
        var store = InMemoryStore.create();
        List<String> shipped = new ArrayList<>();
        var inbox = Inbox.builder("shipping", store)
                .handle("order.placed", PayloadDecoder.text(), (order, context) -> {
                    if (order.isBlank()) {
                        throw new IllegalArgumentException("an order of nothing");
                    }
                    context.defer(() -> shipped.add(order));
                })
                .build();

        inbox.process(message("1", "a chair"));
        Outcome again = inbox.process(message("1", "a chair"));
        Outcome bad = inbox.process(message("2", " "));

        assertThat(shipped).containsExactly("a chair");
        assertThat(again.kind()).isEqualTo(Outcome.Kind.DUPLICATE);
        assertThat(bad.kind()).isEqualTo(Outcome.Kind.PARKED);
        assertThat(store.parked("shipping")).hasSize(1);
    }
    // end

    // begin
    @Test
    void orderIsShippedOnceWhenTheConnectionIsLostDuringCommit() {
        var store = InMemoryStore.create();
        List<String> shipped = new ArrayList<>();
        var plan = CrashPlan.none().at(CrashPoint.AFTER_COMMIT, 1, () -> {
            throw new OutcomeUnknownException("the connection was lost after COMMIT was sent", null);
        });
        var inbox = Inbox.builder("shipping", new CrashingStore<>(store, plan))
                .handle(
                        "order.placed",
                        PayloadDecoder.text(),
                        (order, context) -> context.defer(() -> shipped.add(order)))
                .build();
        var orders = List.of(message("1", "a chair"), message("2", "a table"));

        assertThatThrownBy(() -> inbox.process(orders)).isInstanceOf(OutcomeUnknownException.class);
        inbox.process(orders);

        plan.assertReached();
        EffectsChecker.expecting(List.of("a chair", "a table"))
                .effects(shipped)
                .check()
                .assertExactlyOnce();
    }
    // end

    // begin
    @Test
    void orderIsShippedOnceWhenItsHandlerFailsBehindItsWrite() {
        var store = InMemoryStore.create();
        List<String> shipped = new ArrayList<>();
        var plan = CrashPlan.none().at(CrashPoint.AFTER_HANDLER, 1, () -> {
            throw new IllegalStateException("the handler had written already");
        });
        Handler<String, InMemoryContext> ship = (order, context) -> context.defer(() -> shipped.add(order));
        var inbox = Inbox.builder("shipping", new CrashingStore<>(store, plan))
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .handle("order.placed", PayloadDecoder.text(), plan.handler(ship))
                .build();

        Outcome first = inbox.process(message("1", "a chair"));
        inbox.work();

        plan.assertReached();
        assertThat(first.kind()).isEqualTo(Outcome.Kind.PARKED);
        assertThat(shipped).containsExactly("a chair");
    }
    // end

    @Test
    void theGuideShowsWhatIsRunHere() throws IOException {
        List<String> run = new ArrayList<>();
        for (Path file : List.of(HERE, ON_SQL, DYING)) {
            run.addAll(find(file, BETWEEN_MARKS));
        }
        assertThat(find(Path.of("..", "docs", "testing.md"), EXAMPLE)).isEqualTo(run);
    }

    static List<String> find(Path file, Pattern pattern) throws IOException {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(1).replaceAll("\\s+", ""));
        }
        return found;
    }
}
