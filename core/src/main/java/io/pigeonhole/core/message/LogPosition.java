package io.pigeonhole.core.message;

/**
 * Where a log keeps a message. Unlike an {@linkplain Message#origin() origin} it identifies the message:
 * within one log, a message at a place is always the same one.
 *
 * @param log the identity of the log itself, other for one that was made anew under the same name, not blank
 * @param partition which part of it, not negative
 * @param offset the message's place there, not negative; the messages of a partition have ascending ones, maybe with gaps
 * @param leaderEpoch what the broker counts to recognise a log that was cut off, or -1 where it is not known
 * @param assignment which assignment of the partition the message was read in; see
 *     {@link io.pigeonhole.core.inbox.SourceInbox#acquire}
 * @param expectedPosition where the watermark stands once all messages before this one are accepted: behind the message that
 *     was read before it in this assignment, or, for the first one, the position that the partition was acquired with. Where
 *     the watermark is before it, the message is not taken: the database has lost what this reader believes committed
 */
public record LogPosition(
        String log, int partition, long offset, int leaderEpoch, long assignment, long expectedPosition) {
    /** Checks the values. */
    public LogPosition {
        if (log.isBlank() || partition < 0 || offset < 0) {
            throw new IllegalArgumentException(
                    "there is no place with the offset " + offset + " in partition " + partition + " of '" + log + "'");
        }
        if (expectedPosition < 0 || expectedPosition > offset) {
            throw new IllegalArgumentException("before the message with the offset " + offset
                    + " a watermark cannot be expected at " + expectedPosition);
        }
    }

    /**
     * The place as an id that no other message has.
     *
     * @return log, partition and offset
     */
    public MessageId toId() {
        return MessageId.of(log + "/" + partition + "/" + offset);
    }
}
