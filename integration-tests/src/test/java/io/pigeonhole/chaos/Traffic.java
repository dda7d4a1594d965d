package io.pigeonhole.chaos;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Numbered messages of many keys. Of each hundred two fail twice; one of five hundred fails for ever. */
final class Traffic {
    static final String CONSUMER = "traffic";
    static final String TYPE = "numbered";
    static final int KEYS = 200;
    static final int ATTEMPTS = 4;

    private Traffic() {}

    /** No step that divides the number of keys, so that failures meet all keys. */
    static boolean failsTwice(int number) {
        return number % 49 == 3 && !failsForEver(number);
    }

    static boolean failsForEver(int number) {
        return number % 499 == 7;
    }

    static int key(int number) {
        return number % KEYS;
    }

    /** Of so many messages. */
    static List<Integer> dead(int messages) {
        return IntStream.range(0, messages)
                .filter(Traffic::failsForEver)
                .boxed()
                .toList();
    }

    static Inbox<JdbcContext> inbox(JdbcStore store, String node) {
        return Inbox.builder(CONSUMER, store)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .retry(RetryPolicy.fixed(Duration.ofMillis(200)).maxAttempts(ATTEMPTS))
                // Killed at random is not killed by a message: CrashLoopIT is about those.
                .crashLimit(1_000)
                .node(node)
                .handle(TYPE, PayloadDecoder.text(), (payload, context) -> handle(Integer.parseInt(payload), context))
                .build();
    }

    private static void handle(int number, JdbcContext context) {
        context.defer("INSERT INTO effect (key, number) VALUES (?, ?)", key(number), number);
        if (failsForEver(number) || (failsTwice(number) && context.attempt() <= 2)) {
            throw new IllegalStateException(number + " fails at attempt " + context.attempt());
        }
    }
}
