package io.pigeonhole.core.store;

import io.pigeonhole.core.message.MessageKey;

/**
 * A message that failed in a run over the history, and was passed.
 *
 * @param place its place in the history
 * @param key its key
 * @param error what it failed with
 */
public record SkippedMessage(long place, MessageKey key, String error) {}
