package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is logged of messages that the database refuses to keep. Here, because the module of the engine has no log to read. */
@Tag("D12")
class NotStoredLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Inbox.class.getPackageName());
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    /** How many commits are refused before one is not. */
    private final AtomicInteger refusals = new AtomicInteger();

    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", refusing(InMemoryStore.create()))
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();
    private final Message message =
            Message.builder("queue").id("1").type("payment").payload("x").build();

    @BeforeEach
    void read() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
    }

    @Test
    void messageThatCannotEvenBeADeadLetterIsWarnedOfOnceHoweverOftenItComes() {
        refusals.set(Integer.MAX_VALUE);
        for (int i = 0; i < 50; i++) {
            assertThat(inbox.process(message)).isInstanceOf(Outcome.Busy.class);
        }
        assertThat(warnings()).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage()).contains("payments", "cannot even be a dead letter", "no room");
            assertThat(line.getThrowableProxy()).isNull();
        });
    }

    @Test
    void deadLetterIsWarnedOfOnceItIsCommitted() {
        refusals.set(4);
        assertThat(inbox.process(message)).isInstanceOf(Outcome.Dead.class);
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("is a dead letter without its bytes")
                .contains("no room");
    }

    private List<ILoggingEvent> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
    }

    @SuppressWarnings("unchecked") // A proxy of the interface that it is made for.
    private InboxStore<InMemoryContext> refusing(InboxStore<InMemoryContext> store) {
        return (InboxStore<InMemoryContext>) proxy(InboxStore.class, (proxy, method, arguments) -> {
            Object answer = call(store, method, arguments);
            return answer instanceof InboxTransaction<?> transaction ? refusing(transaction) : answer;
        });
    }

    private Object refusing(InboxTransaction<?> transaction) {
        return proxy(InboxTransaction.class, (proxy, method, arguments) -> {
            if (method.getName().equals("commit") && refusals.getAndDecrement() > 0) {
                throw new StoreException(ErrorClass.MESSAGE, "no room", null);
            }
            return call(transaction, method, arguments);
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
