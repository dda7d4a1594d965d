package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.inbox.Inbox;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how many times in a row a partition was begun at the same offset and not left in good order. Kafka does not count
 * deliveries; but processes that die again and again begin again and again at the same offset. A rebalance, or a source that
 * is closed, is no such death, however slow its handlers are. Used by the poll thread.
 */
final class Beginnings {
    private static final Logger log = LoggerFactory.getLogger(Beginnings.class);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Inbox<?> inbox;
    private final int inWork;

    /** The second: how many records may be in work at once, so that any of them may have ended the process. */
    Beginnings(Inbox<?> inbox, int inWork) {
        this.inbox = inbox;
        this.inWork = inWork;
    }

    /** Where the assignment has begun; at its first record, that is noted. */
    Assignment.Beginning of(Assignment assignment, long offset) {
        Assignment.Beginning beginning = assignment.beginning();
        if (beginning == null) {
            beginning = new Assignment.Beginning(offset, started(assignment.partition(), offset), offset + inWork);
            assignment.beginning(beginning);
        }
        return beginning;
    }

    private int started(TopicPartition partition, long offset) {
        try {
            return inbox.started(what(partition), "" + offset);
        } catch (PigeonholeException e) {
            log.debug("'{}': the beginning of {} at {} could not be counted", inbox.consumer(), partition, offset, e);
            return 0;
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
        Assignment.Beginning beginning = Objects.requireNonNull(assignment.beginning());
        try {
            inbox.ended(what(assignment.partition()), "" + beginning.offset());
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
