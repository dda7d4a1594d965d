package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What is kept of a message that no table takes: what identifies it and what it must not overtake, in words the rest. */
final class BareMessage {
    private static final int LONGEST_TEXT = 200;

    private BareMessage() {}

    /** The message without its bytes. */
    static Message of(Message message) {
        MessageId id = message.id();
        byte[] orderingKey = message.orderingKey();
        String origin = message.origin();
        return Message.builder(message.source())
                .id(id == null || id.length() > Envelope.LONGEST_ID ? null : id)
                .orderingKey(
                        orderingKey == null || orderingKey.length > RegisteredConsumer.LONGEST_ORDERING_KEY
                                ? null
                                : orderingKey)
                .type(message.type() == null ? null : cut(message.type()))
                .origin(origin == null ? null : cut(origin))
                .build();
    }

    /** How large it was, and the digest by which its bytes are found elsewhere. */
    static String describe(Message message) {
        return "the payload had " + message.payload().length + " bytes, SHA-256 " + digest(message.payload());
    }

    private static String cut(String text) {
        return ErrorText.bounded(text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT));
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }
}
