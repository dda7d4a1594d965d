package io.pigeonhole.core.message;

/**
 * Where an adapter looks for the id and the type of a message, and which of its settings say so. For texts about messages that come without
 * one of them.
 *
 * @param id such as "the header 'message-id' (setting idHeader)"
 * @param type such as "the header 'message-type' (setting typeHeader)"
 */
public record FieldNames(String id, String type) {}
