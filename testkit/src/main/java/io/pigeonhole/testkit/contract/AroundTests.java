package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Invocation;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What runs around batches and handlers sees all of it, and changes nothing. */
abstract class AroundTests<C extends HandlerContext> extends InboxLab<C> {
    private final List<String> seen = new ArrayList<>();

    AroundTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Notes what begins and ends, and what it is thrown. */
    private InboxListener noting(String name) {
        return new InboxListener() {
            @Override
            public void aroundBatch(Invocation batch) throws Exception {
                note(name + " batch", batch);
            }

            @Override
            public void aroundHandler(Invocation handler) throws Exception {
                note(name + " handler", handler);
            }
        };
    }

    private void note(String what, Invocation invocation) throws Exception {
        assertThat(invocation.consumer()).isEqualTo(consumer);
        assertThat(invocation.attempt()).isEqualTo(1);
        String payloads =
                invocation.messages().stream().map(InboxLab::payload).toList().toString();
        seen.add("+ " + what + " " + payloads);
        try {
            invocation.proceed();
            seen.add("- " + what);
        } catch (IllegalStateException e) {
            seen.add("! " + what + " " + e.getMessage());
            throw e;
        }
    }

    /** A listener that does something wrong around handlers and batches. */
    @FunctionalInterface
    private interface Wrong {
        void around(Invocation invocation) throws Exception;
    }

    private static InboxListener wrong(Wrong wrong) {
        return new InboxListener() {
            @Override
            public void aroundBatch(Invocation batch) throws Exception {
                wrong.around(batch);
            }

            @Override
            public void aroundHandler(Invocation handler) throws Exception {
                wrong.around(handler);
            }
        };
    }

    private void proceedElsewhere(Invocation invocation) throws InterruptedException {
        Thread other = new Thread(() -> {
            try {
                invocation.proceed();
            } catch (Exception e) {
                seen.add("refused");
            }
        });
        other.start();
        other.join();
    }

    @Test
    void listenersAreAroundTheBatchAndEachHandlerTheFirstOutside() {
        Thread here = Thread.currentThread();
        Inbox<C> inbox = builder((payload, context) -> {
                    assertThat(Thread.currentThread()).isSameAs(here);
                    seen.add("= " + payload);
                    write(payload, context);
                })
                .listener(noting("outer"))
                .listener(noting("inner"))
                .build();

        assertThat(kinds(inbox.process(messages(2)))).containsOnly(Kind.PROCESSED);

        assertThat(seen)
                .containsExactly(
                        "+ outer batch [0, 1]",
                        "+ inner batch [0, 1]",
                        "+ outer handler [0]",
                        "+ inner handler [0]",
                        "= 0",
                        "- inner handler",
                        "- outer handler",
                        "+ outer handler [1]",
                        "+ inner handler [1]",
                        "= 1",
                        "- inner handler",
                        "- outer handler",
                        "- inner batch",
                        "- outer batch");
    }

    @Test
    void batchHandlerIsCalledOnce() {
        Inbox<C> inbox = builder()
                .handleBatch(
                        TYPE,
                        PayloadDecoder.text(),
                        deliveries -> deliveries.forEach(each -> write(each.payload(), each.context())))
                .listener(noting("listener"))
                .build();

        assertThat(kinds(inbox.process(messages(3)))).containsOnly(Kind.PROCESSED);

        assertThat(seen)
                .containsExactly(
                        "+ listener batch [0, 1, 2]",
                        "+ listener handler [0, 1, 2]",
                        "- listener handler",
                        "- listener batch");
    }

    @Test
    void whatAHandlerThrowsIsSeenAndCountsAlsoWhereItIsHidden() {
        Inbox<C> inbox = builder((payload, context) -> {
                    throw new IllegalStateException("no");
                })
                .listener(wrong(invocation -> {
                    try {
                        invocation.proceed();
                    } catch (IllegalStateException e) {
                        seen.add("hidden " + e.getMessage());
                    }
                }))
                .listener(noting("listener"))
                .build();

        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PARKED);

        assertThat(seen)
                .containsExactly(
                        "+ listener batch [x]",
                        "+ listener handler [x]",
                        "! listener handler no",
                        "hidden no",
                        "- listener batch");
    }

    @Test
    void listenerThatDoesNotProceedOrProceedsTwiceOrElsewhereOrThrowsChangesNothing() {
        Inbox<C> inbox = builder(this::write)
                .listener(wrong(invocation -> seen.add("forgotten")))
                .listener(wrong(invocation -> {
                    invocation.proceed();
                    invocation.proceed();
                }))
                .listener(wrong(this::proceedElsewhere))
                .listener(wrong(invocation -> {
                    throw new LinkageError("before");
                }))
                .listener(wrong(invocation -> {
                    invocation.proceed();
                    throw new IllegalStateException("behind");
                }))
                .listener(noting("last"))
                .build();

        assertThat(kinds(inbox.process(messages(2)))).containsOnly(Kind.PROCESSED);

        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1");
        assertThat(seen)
                .containsExactly(
                        "forgotten",
                        "refused",
                        "+ last batch [0, 1]",
                        "forgotten",
                        "refused",
                        "+ last handler [0]",
                        "- last handler",
                        "forgotten",
                        "refused",
                        "+ last handler [1]",
                        "- last handler",
                        "- last batch");
    }

    @Test
    void externalHandlerIsCalledOutsideOfTheBatchThatWritesItsCompletion() {
        Inbox<C> inbox = builder()
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    seen.add("= " + payload);
                    Completion<C> completion = each -> fixture.write(each, payload);
                    return completion;
                })
                .listener(noting("listener"))
                .build();
        inbox.process(message("x"));
        seen.clear();

        assertThat(inbox.work()).isEqualTo(1);

        assertThat(seen)
                .containsExactly(
                        "+ listener handler [x]",
                        "= x",
                        "- listener handler",
                        "+ listener batch [x]",
                        "+ listener handler [x]",
                        "- listener handler",
                        "- listener batch");
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void interruptThatAListenerLeavesBehindReachesNoHandler() {
        // Does not wait, but throws where its thread is interrupted.
        CountDownLatch open = new CountDownLatch(0);
        Inbox<C> inbox = builder()
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    open.await();
                    write(payload, context);
                })
                .handleExternal("external", PayloadDecoder.text(), (payload, context) -> {
                    open.await();
                    return each -> fixture.write(each, payload);
                })
                .listener(wrong(invocation -> {
                    Thread.currentThread().interrupt();
                    invocation.proceed();
                }))
                .build();

        assertThat(kinds(inbox.process(messages(2)))).containsOnly(Kind.PROCESSED);
        inbox.process(Message.builder("notes")
                .id(Ids.opaque())
                .type("external")
                .payload("x")
                .build());
        inbox.work();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(fixture.effects()).containsExactly("0", "1", "x");
    }
}
