package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A context ends with its handler: what a thread writes through it afterwards is refused, and no effect happens twice. */
abstract class ContextEndTests<C extends HandlerContext> extends InboxLab<C> {
    private static final Duration LATER = Duration.ofDays(1);

    private final Map<String, C> kept = new ConcurrentHashMap<>();
    private final Map<String, Integer> runs = new HashMap<>();
    private final List<String> refused = new ArrayList<>();

    ContextEndTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Lets another thread write, and defer, through a context that was kept. */
    private void useInAnotherThread(String payload) throws InterruptedException {
        C context = kept.get(payload);
        if (context != null) {
            note("write", () -> fixture.write(context, payload));
            note("defer", () -> fixture.defer(context, payload));
        }
    }

    private void note(String what, Runnable use) throws InterruptedException {
        Callable<String> call = () -> {
            try {
                use.run();
                return what + " done";
            } catch (IllegalStateException e) {
                return what + " refused";
            }
        };
        refused.add(Threads.result(threads.start(call)));
    }

    @Test
    @Tag("A3")
    void threadThatAHandlerGaveUpOnWritesNothingIntoTheTransactionBehindIt() throws InterruptedException {
        // Two that fail make the engine isolate: behind the rollback to its savepoint, the first one's thread goes on.
        Inbox<C> inbox = inbox((payload, context) -> {
            int run = runs.merge(payload, 1, Integer::sum);
            if (payload.equals("b")) {
                useInAnotherThread("a");
            }
            if (run <= 3 && !payload.equals("b")) {
                kept.put(payload, context);
                throw new IllegalStateException("gave up on a thread that writes " + payload);
            }
            write(payload, context);
        });

        List<Outcome> outcomes = inbox.process(List.of(message("a"), message("b"), message("c")));

        assertThat(kinds(outcomes)).containsExactly(Kind.PARKED, Kind.PROCESSED, Kind.PARKED);
        assertThat(fixture.effects()).containsExactly("b");
        for (int i = 0; i < 4; i++) {
            fixture.advance(LATER.dividedBy(4).minusMinutes(10));
            inbox.work();
        }
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(refused).isNotEmpty().containsOnly("write refused", "defer refused");
    }

    @Test
    @Tag("A3")
    void contextIsOfNoUseToTheHandlerOfTheNextMessage() {
        Inbox<C> inbox = inbox((payload, context) -> {
            useInAnotherThread("a");
            write(payload, context);
            kept.put(payload, context);
        });

        List<Outcome> outcomes = inbox.process(List.of(message("a"), message("b")));

        assertThat(kinds(outcomes)).containsOnly(Kind.PROCESSED);
        assertThat(refused).containsExactly("write refused", "defer refused");
        assertThat(fixture.effects()).containsExactly("a", "b");
    }

    @Test
    @Tag("A3")
    void contextsOfABatchHandlerEndTogether() {
        Inbox<C> inbox = builder()
                .handleBatch(TYPE, PayloadDecoder.text(), deliveries -> {
                    for (Delivery<String, C> delivery : deliveries) {
                        fixture.write(delivery.context(), delivery.payload());
                        fixture.defer(deliveries.get(0).context(), "with " + delivery.payload());
                        kept.put(delivery.payload(), delivery.context());
                    }
                })
                .handle("other", PayloadDecoder.text(), (payload, context) -> {
                    useInAnotherThread("a");
                    useInAnotherThread("b");
                    write(payload, context);
                })
                .build();
        Message other = Message.builder("notes")
                .id(Ids.opaque())
                .type("other")
                .payload("c")
                .build();

        List<Outcome> outcomes = inbox.process(List.of(message("a"), message("b"), other));

        assertThat(kinds(outcomes)).containsOnly(Kind.PROCESSED);
        assertThat(refused).containsExactly("write refused", "defer refused", "write refused", "defer refused");
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b", "c", "with a", "with b");
    }

    @Test
    @Tag("A3")
    void contextOfACompletionEndsWithIt() throws InterruptedException {
        Inbox<C> inbox = builder()
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, external) -> context -> {
                    write(payload, context);
                    kept.put(payload, context);
                })
                .build();
        inbox.process(message("a"));
        inbox.work();

        useInAnotherThread("a");

        assertThat(refused).containsExactly("write refused", "defer refused");
        assertThat(fixture.effects()).containsExactly("a");
    }

    @Test
    @Tag("A3")
    void whatAHandlerDeferredBeforeItsEndIsWritten() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.defer(context, payload);
            kept.put(payload, context);
        });

        inbox.process(messages(3));

        assertThat(fixture.effects()).containsExactly("0", "1", "2");
    }
}
