package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.inbox.Inbox;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how many times in a row a partition was begun and neither survived nor left in good order. Kafka does not count
 * deliveries; but processes that die again and again at a record begin again and again before it, a little further each time
 * where records before it get finished. A rebalance, or a source that is closed, is no such death, however slow its handlers are.
 *
 * <p>A beginning is survived when all is finished that may have been in work in a process that died: at the end of the log, or
 * behind as many records as may be in work at once. What an earlier process finished before it died does not count among them,
 * and neither do gaps in the offsets. Used by the poll thread.
 */
final class Beginnings {
    private static final Logger log = LoggerFactory.getLogger(Beginnings.class);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final String BEGUN = "begun";
    private static final String SURVIVED = "survived";

    private final Inbox<?> inbox;
    private final long inWork;

    /** The second: how many records may be in work at once, so that any of them may have ended the process. */
    Beginnings(Inbox<?> inbox, long inWork) {
        this.inbox = inbox;
        this.inWork = inWork;
    }

    /** The beginning of the assignment; at its first record, that is noted. */
    Assignment.Beginning of(Assignment assignment) {
        Assignment.Beginning beginning = assignment.beginning();
        if (beginning == null) {
            beginning = new Assignment.Beginning(started(assignment.partition()));
            assignment.beginning(beginning);
        }
        return beginning;
    }

    private int started(TopicPartition partition) {
        try {
            return inbox.started(what(partition), BEGUN);
        } catch (PigeonholeException e) {
            log.debug("'{}': the beginning of {} could not be counted", inbox.consumer(), partition, e);
            return 0;
        }
    }

    /**
     * Notes what is survived: nobody who died had it in work when he did.
     *
     * @param isAtEnd whether an assignment has read its log to the end
     */
    void survived(Collection<Assignment> assignments, Predicate<Assignment> isAtEnd) {
        for (Assignment assignment : assignments) {
            OffsetTracker tracker = assignment.tracker();
            if (isCounted(assignment)
                    && (tracker.finishedNew() >= inWork || (tracker.size() == 0 && isAtEnd.test(assignment)))) {
                survived(assignment);
            }
        }
    }

    private void survived(Assignment assignment) {
        try {
            inbox.started(what(assignment.partition()), SURVIVED);
            assignment.beginning(new Assignment.Beginning(0));
        } catch (PigeonholeException e) {
            log.debug("'{}': that {} was survived could not be noted", inbox.consumer(), assignment.partition(), e);
        }
    }

    /**
     * This member leaves partitions, and is alive. Waits for the database only for a moment: the group does not wait longer,
     * and what is not noted makes others slower, not wrong.
     */
    void end(List<Assignment> left) {
        List<Assignment> begun = left.stream().filter(Beginnings::isCounted).toList();
        if (begun.isEmpty()) {
            return;
        }
        Thread noting = new Thread(() -> begun.forEach(this::end), "pigeonhole-beginnings");
        noting.setDaemon(true);
        noting.start();
        Uninterrupted.clear();
        try {
            noting.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            log.debug("'{}': interrupted, not waiting until ends are noted", inbox.consumer(), e);
        }
    }

    private static boolean isCounted(Assignment assignment) {
        Assignment.Beginning beginning = assignment.beginning();
        return beginning != null && beginning.starts() > 0;
    }

    private void end(Assignment assignment) {
        try {
            inbox.ended(what(assignment.partition()), BEGUN);
        } catch (PigeonholeException e) {
            log.debug(
                    "'{}': that {} was left in good order could not be noted",
                    inbox.consumer(),
                    assignment.partition(),
                    e);
        }
    }

    private static String what(TopicPartition partition) {
        return "kafka " + partition;
    }
}
