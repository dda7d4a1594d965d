package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long the handler of a message may take that is worked on alone, because it may have killed a process. */
@Tag("B11")
class SuspectLimitTest {
    private final CountDownLatch beats = new CountDownLatch(2);
    private final Set<String> effects = ConcurrentHashMap.newKeySet();

    /** Counts the heartbeats. */
    @SuppressWarnings("unchecked")
    private InboxStore<InMemoryContext> store(InMemoryStore store) {
        return (InboxStore<InMemoryContext>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(store, arguments);
                        return result instanceof Heartbeat heartbeat ? counting(heartbeat) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Heartbeat counting(Heartbeat heartbeat) {
        return new Heartbeat() {
            @Override
            public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
                beats.countDown();
                return heartbeat.prolong(consumer, items, duration);
            }

            @Override
            public void close() {
                heartbeat.close();
            }
        };
    }

    @Test
    void timeoutOfExternalHandlersIsNotThatOfASuspect() {
        Inbox<InMemoryContext> inbox = Inbox.builder("suspects", store(InMemoryStore.create()))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    assertThat(beats.await(20, TimeUnit.SECONDS)).isTrue();
                    context.defer(() -> effects.add(payload));
                })
                .crashLimit(1)
                .retry(RetryPolicy.never())
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .build();
        inbox.process(Message.builder("notes")
                .id("slow")
                .type("note")
                .payload("slow")
                .deliveries(2)
                .build());
        inbox.work();
        assertThat(effects).containsExactly("slow");
    }
}
