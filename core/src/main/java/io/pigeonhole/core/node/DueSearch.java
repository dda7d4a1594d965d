package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Asks the store what is due. Where it refuses to say, as with a damaged page that work of one work partition is on, it is asked about each
 * consumer by itself; and of a consumer about which it says nothing everything counts as due, as it may have work elsewhere that can be
 * done. Used by one thread, but for {@link #problems}.
 */
final class DueSearch {
    private static final Logger log = LoggerFactory.getLogger(DueSearch.class);

    private final Backlog store;
    private final List<RegisteredConsumer> consumers;
    /** By consumers, as of the last answer. */
    private volatile Map<String, StoreException> refusals = Map.of();

    DueSearch(Backlog store, List<RegisteredConsumer> consumers) {
        this.store = store;
        this.consumers = consumers;
    }

    List<Due> due() {
        try {
            List<Due> due = store.due(consumers);
            answered();
            return due;
        } catch (StoreException e) {
            if (!e.errorClass().isRefusal()) {
                throw e;
            }
            return ofEach(e);
        }
    }

    private void answered() {
        if (!refusals.isEmpty()) {
            log.info("the database says again what is due for {}", refusals.keySet());
            refusals = Map.of();
        }
    }

    private List<Due> ofEach(StoreException refusalOfAll) {
        List<Due> due = new ArrayList<>();
        Map<String, StoreException> refused = new TreeMap<>();
        for (RegisteredConsumer consumer : consumers) {
            try {
                due.addAll(of(consumer, refusalOfAll));
            } catch (StoreException e) {
                if (!e.errorClass().isRefusal()) {
                    throw e;
                }
                refused.put(consumer.name(), e);
                due.addAll(Due.allOf(consumer));
                warn(consumer, e);
            }
        }
        refusals = refused;
        return due;
    }

    private List<Due> of(RegisteredConsumer consumer, StoreException refusalOfAll) {
        if (consumers.size() == 1) {
            throw refusalOfAll;
        }
        return store.due(List.of(consumer));
    }

    private void warn(RegisteredConsumer consumer, StoreException refusal) {
        log.atLevel(refusals.containsKey(consumer.name()) ? Level.DEBUG : Level.WARN)
                .setCause(FailureText.readable(refusal))
                .log(
                        "consumer '{}': the database refuses to say what is due; all of its {} work partitions are worked on at each look",
                        consumer.name(),
                        consumer.workPartitions());
    }

    /** What the database refused to say at the last look. Safe for use by many threads. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        refusals.forEach((consumer, refusal) -> problems.add("consumer '" + consumer
                + "': the database refuses to say what is due: " + FailureText.describe(refusal)));
        return problems;
    }
}
