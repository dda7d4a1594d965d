package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;

/**
 * A message to send that is stored and not published yet.
 *
 * @param position its place in the order in which messages were appended; messages of one transaction, and of transactions that waited
 *     for each other, have it in that order
 * @param message the message; its source is its destination
 */
public record AppendedMessage(long position, Message message) {
    /** The header of a message whose row could not be read, as by an older version: the bytes of its headers as they are stored. */
    public static final String UNREADABLE_HEADERS = "pigeonhole-unreadable-headers";
}
