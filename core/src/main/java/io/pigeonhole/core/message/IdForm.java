package io.pigeonhole.core.message;

/** What the ids of a consumer's messages are. Fixed when the consumer is registered. */
public enum IdForm {
    /** UUIDv7s that were made when the message was made get keys in time form; all other ids get keys in digest form. */
    TIME_ORDERED,
    /** Like {@link #TIME_ORDERED}, and 26 characters of Crockford's base 32 are ULIDs. */
    TIME_ORDERED_WITH_ULIDS,
    /** No id says when its message was made: all keys take the digest form. */
    OPAQUE
}
