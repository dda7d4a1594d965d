package io.pigeonhole.rabbitmq;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What keeps the source from consuming its queues, now. A reason is logged as a warning when it is new, in all at most ten
 * lines a minute. Safe for use by many threads.
 */
final class QueueFailures {
    private static final Logger log = LoggerFactory.getLogger(QueueFailures.class);

    private static final String NOT_YET = "not consumed yet";

    private final String name;
    private final Map<String, String> reasons = new TreeMap<>();
    private final Map<String, String> refusals = new TreeMap<>();
    private final Set<String> warnedOfRefusal = new HashSet<>();
    private final LogBudget budget = new LogBudget();

    QueueFailures(String name) {
        this.name = name;
    }

    /** A queue is to be consumed, and is not until {@link #isOver}. */
    synchronized void begins(String queue) {
        reasons.put(queue, NOT_YET);
    }

    /** A queue cannot be consumed; it is tried again. */
    synchronized void report(String queue, String reason) {
        refusals.remove(queue);
        boolean known = reason.equals(reasons.put(queue, reason));
        log(known ? Level.DEBUG : Level.WARN, "queue '" + queue + "': " + reason + "; trying again until it works");
    }

    /** A queue cannot be consumed, and is not tried again for now: what was asked for may still come. */
    synchronized void waits(String queue, String reason) {
        refusals.remove(queue);
        boolean known = reason.equals(reasons.put(queue, reason));
        log(known ? Level.DEBUG : Level.WARN, "queue '" + queue + "': " + reason);
    }

    /**
     * A queue could be consumed, and is not while its inbox takes nothing: until {@link #inboxTakes}, or until it cannot be consumed.
     * What kept it from being consumed before is over.
     *
     * @param isPause whether somebody has paused the consumer, which the inbox has logged
     */
    synchronized void inboxRefuses(String queue, String reason, boolean isPause) {
        reasons.put(queue, NOT_YET);
        boolean known = reason.equals(refusals.put(queue, reason));
        if (isPause) {
            warnedOfRefusal.remove(queue);
        } else {
            warnedOfRefusal.add(queue);
        }
        log(
                known || isPause ? Level.DEBUG : Level.WARN,
                "queue '" + queue + "': " + reason + "; trying again until it works");
    }

    /** The inbox of a queue takes messages, which does not yet mean that the queue is consumed. */
    synchronized void inboxTakes(String queue) {
        if (refusals.remove(queue) != null && warnedOfRefusal.remove(queue)) {
            log(Level.INFO, "queue '" + queue + "': the inbox takes messages again");
        }
    }

    /** Whether a queue is not consumed because its inbox takes nothing: the database is away or full, or the consumer paused. */
    synchronized boolean isInboxRefusing() {
        return !refusals.isEmpty();
    }

    /** A queue cannot be consumed, and is not tried again. Whoever gave it up logs that. */
    synchronized void gaveUp(String queue, String reason) {
        refusals.remove(queue);
        reasons.put(queue, "given up: " + reason);
    }

    /** The queue is consumed. */
    synchronized void isOver(String queue) {
        String reason = reasons.remove(queue);
        if (reason != null && !reason.equals(NOT_YET)) {
            log(Level.INFO, "queue '" + queue + "' works again");
        }
    }

    /** One sentence for each queue that is not consumed. */
    synchronized List<String> list() {
        return reasons.entrySet().stream()
                .map(queue ->
                        "queue '" + queue.getKey() + "': " + refusals.getOrDefault(queue.getKey(), queue.getValue()))
                .toList();
    }

    /** How many queues are not consumed. */
    synchronized int count() {
        return reasons.size();
    }

    private void log(Level level, String text) {
        int leftOut = level == Level.DEBUG ? 0 : budget.take(System.nanoTime());
        String more = leftOut > 0 ? " (and " + leftOut + " more lines like this, left out)" : "";
        log.atLevel(leftOut < 0 ? Level.DEBUG : level).log("{}: {}{}", name, text, more);
    }
}
