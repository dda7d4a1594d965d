package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The watermarks. Used under the lock of the tables. */
final class Marks {
    private final Map<Mark, Watermark> marks = new HashMap<>();

    /** Which partition of which consumer. */
    record Mark(short consumer, LogPartition partition) {}

    Watermark acquire(RegisteredConsumer consumer, LogPartition partition, String log) {
        Mark mark = new Mark(consumer.id(), partition);
        Watermark before = marks.get(mark);
        if (before == null) {
            before = new Watermark(partition, log, 0, Watermark.UNKNOWN, -1);
        }
        if (before.hasPosition() && !before.log().equals(log)) {
            throw consumer.otherLog(partition, before.log(), log);
        }
        Watermark after =
                new Watermark(partition, log, before.assignment() + 1, before.position(), before.leaderEpoch());
        marks.put(mark, after);
        return after;
    }

    List<Watermark> find(short consumer, Collection<LogPartition> partitions) {
        List<Watermark> found = new ArrayList<>();
        for (LogPartition partition : partitions) {
            Watermark watermark = marks.get(new Mark(consumer, partition));
            if (watermark != null) {
                found.add(watermark);
            }
        }
        return found;
    }

    /** Whether each is what it was read as. */
    boolean allow(Map<Mark, Advance> advances) {
        return advances.entrySet().stream()
                .allMatch(entry -> entry.getValue().from().equals(marks.get(entry.getKey())));
    }

    void apply(Map<Mark, Advance> advances) {
        advances.forEach((mark, advance) -> {
            Watermark from = advance.from();
            marks.put(
                    mark,
                    new Watermark(
                            from.partition(),
                            from.log(),
                            from.assignment(),
                            advance.position(),
                            advance.leaderEpoch()));
        });
    }

    /** Nobody who has a partition can advance it any more. */
    void takeAway(short consumer, boolean keepPositions) {
        marks.replaceAll((mark, before) -> mark.consumer() == consumer
                ? next(before, keepPositions ? before.position() : Watermark.GIVEN_UP)
                : before);
    }

    /** How many were forgotten. */
    int forget(short consumer, String source) {
        int forgotten = 0;
        for (Map.Entry<Mark, Watermark> each : marks.entrySet()) {
            Mark mark = each.getKey();
            if (mark.consumer() == consumer && mark.partition().source().equals(source)) {
                each.setValue(next(each.getValue(), Watermark.FORGOTTEN));
                forgotten++;
            }
        }
        return forgotten;
    }

    private static Watermark next(Watermark before, long position) {
        return new Watermark(before.partition(), before.log(), before.assignment() + 1, position, before.leaderEpoch());
    }
}
