package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.MessageKey;

/** Which message of which consumer. */
record Row(short consumer, MessageKey key) {}
