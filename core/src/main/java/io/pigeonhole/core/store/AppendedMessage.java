package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;

/**
 * A message to send that is stored and not published yet.
 *
 * @param position its place in the order in which messages were appended; messages of one transaction, and of transactions that waited
 *     for each other, have it in that order
 * @param message the message; its source is its destination
 */
public record AppendedMessage(long position, Message message) {}
