package io.pigeonhole.core.relay;

import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.RegisteredConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log what a relay gave up on. */
final class DeadLetters {
    private static final Logger log = LoggerFactory.getLogger(DeadLetters.class);

    private DeadLetters() {}

    static void warn(RegisteredConsumer consumer, DeadLetter letter) {
        log.warn(
                "{}: {} is a dead letter, {}: {}", consumer.name(), letter.message(), letter.reason(), letter.detail());
    }
}
