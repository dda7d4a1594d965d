package io.pigeonhole.core.admin;

import static io.pigeonhole.core.admin.Answer.Kind;

import io.pigeonhole.core.failure.LeaseReleasedException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The words of answers and of the audit, the same for every {@link AdminStore}. */
public final class Answers {
    private Answers() {}

    /**
     * The message is not in work.
     *
     * @param key its key
     * @return not found
     */
    public static Answer notInWork(MessageKey key) {
        return new Answer(Kind.NOT_FOUND, "no message " + key + " is in work; a dead letter would have to be requeued");
    }

    /**
     * The message is no dead letter.
     *
     * @param key its key
     * @return not found
     */
    public static Answer notDead(MessageKey key) {
        return new Answer(Kind.NOT_FOUND, "no message " + key + " is among the dead letters, or not any more");
    }

    /**
     * The message is neither in work nor dead.
     *
     * @param key its key
     * @return not found
     */
    public static Answer nowhere(MessageKey key) {
        return new Answer(Kind.NOT_FOUND, "no message " + key + " is in work or among the dead letters");
    }

    /**
     * Somebody has a lease on the message.
     *
     * @param owner the node
     * @return leased
     */
    public static Answer leasedBy(String owner) {
        return new Answer(
                Kind.LEASED,
                "'" + owner + "' has a lease on the message; wait for its end, or release the lease first");
    }

    /**
     * Nobody has a lease on the message.
     *
     * @return not leased
     */
    public static Answer notLeased() {
        return new Answer(Kind.NOT_LEASED, "nobody has a lease on the message");
    }

    /**
     * The message is due already.
     *
     * @return unchanged
     */
    public static Answer isDue() {
        return new Answer(
                Kind.UNCHANGED, "the message is due already; it waits for a worker, or behind its ordering key");
    }

    /**
     * The first message of the key is due and has not failed.
     *
     * @param head its key
     * @return unchanged
     */
    public static Answer waitsForAWorker(MessageKey head) {
        return new Answer(
                Kind.UNCHANGED, "the first message " + head + " has not failed and is due: it waits for a worker");
    }

    /**
     * The key has no message that could block it.
     *
     * @return not found
     */
    public static Answer notBlocked() {
        return new Answer(Kind.NOT_FOUND, "no message with this ordering key blocks it");
    }

    /**
     * The consumer is as it was to become.
     *
     * @param paused whether it is paused
     * @return unchanged
     */
    public static Answer isPaused(boolean paused) {
        return new Answer(Kind.UNCHANGED, paused ? "the consumer is paused already" : "the consumer is not paused");
    }

    /**
     * The letter's message was accepted since it died.
     *
     * @return duplicate
     */
    public static Answer duplicate() {
        return new Answer(Kind.DUPLICATE, "the message was accepted since; its dead letter is removed");
    }

    /**
     * The letter is older than the ledger.
     *
     * @return late
     */
    public static Answer late() {
        return new Answer(
                Kind.LATE,
                "the message is older than the ledger: it is unknown whether it took effect before. If you know that it"
                        + " did not, requeue it with late ones");
    }

    /**
     * The letter is of a day that the ledger does not have yet.
     *
     * @return from the future
     */
    public static Answer fromTheFuture() {
        return new Answer(
                Kind.FROM_THE_FUTURE,
                "the message's id is of a day that the ledger does not have yet; wait for it, or create more days ahead");
    }

    /**
     * Ages count from what the store's clock says.
     *
     * @return unchanged
     */
    public static Answer isConfirmed() {
        return new Answer(Kind.UNCHANGED, "ages count from what the store's clock says already");
    }

    /**
     * A confirmed clock, for the audit.
     *
     * @param before from when ages counted before
     * @param now from when they count now
     * @return one line
     */
    public static String ofClock(Instant before, Instant now) {
        return "ages count from " + now + ", not from " + before;
    }

    /**
     * The same with messages that were stored, parked or leased while the clock was ahead.
     *
     * @param before from when ages counted before
     * @param now from when they count now
     * @param messages how many wait from now on as if the clock had been right
     * @return one line
     */
    public static String ofClock(Instant before, Instant now, int messages) {
        return ofClock(before, now)
                + (messages == 0
                        ? ""
                        : "; " + messages + " messages of a clock that was ahead wait as if it had been right");
    }

    /**
     * Of the letter not even the bytes could be kept.
     *
     * @return refused
     */
    public static Answer withoutBytes() {
        return new Answer(
                Kind.REFUSED,
                "the database refused the bytes of the message, so that there is nothing to handle: find it by the digest in"
                        + " its detail, have it sent with a new id, and discard the letter");
    }

    /**
     * The database refuses the message as work.
     *
     * @param why what it says
     * @return refused
     */
    public static Answer notTaken(@Nullable String why) {
        return new Answer(
                Kind.REFUSED,
                "the database does not take the message as work, and it stays dead: " + why
                        + ". Mend the table inbox_work, or have the message sent with a new id and discard the letter");
    }

    /**
     * Something is held elsewhere.
     *
     * @return busy
     */
    public static Answer busy() {
        return new Answer(
                Kind.BUSY,
                "a transaction elsewhere is working on it and did not end in time; nothing was changed, ask again");
    }

    /**
     * The attempt that ends with the release of its lease.
     *
     * @param owner the node that had the lease
     * @param by who took it away, and why
     * @param number which attempt it was
     * @param duration for how long the lease was held
     * @return the attempt
     */
    public static FailedAttempt released(String owner, Author by, int number, Duration duration) {
        LeaseReleasedException reason = new LeaseReleasedException(owner, by.who(), by.reason());
        return new FailedAttempt(
                number, owner, duration, reason.getClass().getName(), String.valueOf(reason.getMessage()), "");
    }

    /**
     * A message in work, for the audit.
     *
     * @param status its status
     * @param source where it came from
     * @param id its id, or null
     * @param attempts how many attempts are counted
     * @param error what it failed with, or null
     * @return one line
     */
    public static String ofWork(
            MessageStatus status, String source, @Nullable MessageId id, int attempts, @Nullable String error) {
        return status + " after " + attempts + " attempts: " + named(source, id) + (error == null ? "" : "; " + error);
    }

    /**
     * A dead letter, for the audit.
     *
     * @param reason why it died, by the name that is stored: this version may not know it
     * @param detail the same in words
     * @param claimed whether the ledger has it
     * @param source where it came from
     * @param id its id, or null
     * @return one line
     */
    public static String ofLetter(
            String reason, String detail, boolean claimed, String source, @Nullable MessageId id) {
        return MessageStatus.DEAD + (claimed ? "" : ", never claimed") + ": " + named(source, id) + "; " + reason + ": "
                + detail;
    }

    private static String named(String source, @Nullable MessageId id) {
        return (id == null ? "no id" : "id " + id) + " from " + source;
    }

    /**
     * What an entry of the audit says of a run over the history.
     *
     * @param name the run's name
     * @param what what was done with it
     * @return the text
     */
    public static String ofReplay(String name, String what) {
        return "replay '" + name + "': " + what;
    }

    /**
     * An unblocked key, for the audit.
     *
     * @param key the key
     * @param head what blocked it
     * @return one line
     */
    public static String ofUnblock(OrderingKey key, String head) {
        return key + " was blocked by: " + head;
    }

    /**
     * Why a skipped message is dead.
     *
     * @param by who skipped it, and why
     * @param error what it had failed with, or null
     * @return one line
     */
    public static String ofSkip(Author by, @Nullable String error) {
        return "skipped by " + by.who() + ": " + by.reason() + (error == null ? "" : "; it had failed with " + error);
    }

    /**
     * Judges a change of how a consumer deduplicates.
     *
     * @param now how it does
     * @param then how it is to do
     * @return why it is not to be done, or null where it may be
     */
    public static @Nullable Answer judge(Deduplication now, Deduplication then) {
        if (now == then) {
            return new Answer(Kind.UNCHANGED, "the consumer deduplicates by " + now + " already");
        }
        if (now != Deduplication.HYBRID && then != Deduplication.HYBRID) {
            return new Answer(
                    Kind.REFUSED,
                    "from " + now + " to " + then
                            + " goes by HYBRID only: what was accepted by the one is unknown to the"
                            + " other. Change to HYBRID first, and let it run as the guide says");
        }
        return null;
    }

    /**
     * The consumer works.
     *
     * @return refused
     */
    public static Answer notPaused() {
        return new Answer(Kind.REFUSED, "the consumer is not paused: pause it, stop its programs, and ask again");
    }

    /**
     * There are no watermarks.
     *
     * @param source of which source
     * @return not found
     */
    public static Answer noWatermarks(String source) {
        return new Answer(Kind.NOT_FOUND, "the consumer has no positions in a log of the source " + source);
    }

    /**
     * A change of how a consumer deduplicates, for the audit and the answer.
     *
     * @param before how it did
     * @param after how it does
     * @return one line
     */
    public static String ofDeduplication(Deduplication before, Deduplication after) {
        return "from " + before + " to " + after;
    }
}
