package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.MessageKey;

/** Which message of which consumer. */
record Row(short consumer, MessageKey key) {}
