package io.pigeonhole.core.store;

import io.pigeonhole.core.message.KeyScheme;

/**
 * A consumer as the database remembers it.
 *
 * @param id the small number that stands for it in every row
 * @param name its logical name
 * @param keys how its ids become keys
 */
public record RegisteredConsumer(short id, String name, KeyScheme keys) {}
