package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.SkippedMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The runs over the history, and its days. What is recorded takes its place at its commit, so that nothing can appear before
 * what is there.
 */
final class MemoryReplays implements ReplayStore, HistoryDays {
    /** How long a change waits for the batch that is under way. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Tables tables;
    private final Consumers consumers;

    MemoryReplays(Tables tables, Consumers consumers) {
        this.tables = tables;
        this.consumers = consumers;
    }

    @Override
    public ReplayProgress create(ReplayPlan plan, String who, String reason) {
        return tables.read(all -> all.replays.computeIfAbsent(plan.name(), name -> {
            RegisteredConsumer consumer = consumers.require(plan.consumer());
            Instant now = all.now();
            long cutoff = all.history.stream()
                    .filter(each -> each.consumer() == consumer.id())
                    .mapToLong(Finished::place)
                    .max()
                    .orElse(0);
            audit(all, consumer, new Author(who, reason), Answers.ofReplay(name, "made"));
            return new ReplayProgress(
                    consumer, plan, ReplayState.WAITING, cutoff, 0, null, null, 0, 0, null, who, reason, now, now);
        }));
    }

    @Override
    public ReplayProgress settle(String name) {
        return tables.read(all -> {
            ReplayProgress run = all.replays.get(name);
            if (run == null) {
                throw new IllegalArgumentException("there is no replay '" + name + "'");
            }
            if (run.state() != ReplayState.WAITING) {
                return run;
            }
            long left =
                    left(all, run).filter(each -> each.message().withPayload()).count();
            long without = left(all, run).count() - left;
            ReplayProgress settled = new ReplayProgress(
                    run.consumer(),
                    run.plan(),
                    ReplayState.RUNNING,
                    run.cutoff(),
                    run.position(),
                    run.total() == null ? Long.valueOf(left) : run.total(),
                    run.withoutPayload() == null ? Long.valueOf(without) : run.withoutPayload(),
                    run.done(),
                    run.skipped(),
                    null,
                    run.who(),
                    run.reason(),
                    run.createdAt(),
                    all.now());
            all.replays.put(name, settled);
            return settled;
        });
    }

    /** What is behind the position of a run, whether it can be read or not. */
    static Stream<Finished> left(Tables all, ReplayProgress run) {
        ReplayPlan plan = run.plan();
        return all.history.stream()
                .filter(each -> each.consumer() == run.consumer().id()
                        && each.place() > run.position()
                        && each.place() <= run.cutoff()
                        && (plan.since() == null || !each.at().isBefore(plan.since()))
                        && (plan.until() == null || each.at().isBefore(plan.until()))
                        && isWanted(plan, each.message()));
    }

    private static boolean isWanted(ReplayPlan plan, FinishedMessage finished) {
        return (plan.type() == null || plan.type().equals(finished.message().type()))
                && (plan.source() == null
                        || plan.source().equals(finished.message().source()))
                && (plan.orderingKey() == null || plan.orderingKey().equals(OrderingKey.of(finished.message())));
    }

    @Override
    public Optional<ReplayProgress> find(String name) {
        return tables.read(all -> Optional.ofNullable(all.replays.get(name)));
    }

    @Override
    public List<ReplayProgress> list() {
        return tables.read(all -> List.copyOf(all.replays.values()));
    }

    @Override
    public boolean change(String name, ReplayState from, ReplayState to, String who, String reason) {
        Changes change = new Changes(tables, InMemoryStore.FOR_EVER);
        try {
            return change.inTurn(() -> {
                change.awaitFree(List.of(new Lock.OfReplay(name)), TIMEOUT);
                ReplayProgress run = tables.replays.get(name);
                if (run == null || run.state() != from) {
                    return false;
                }
                tables.replays.put(name, changed(run, to, who, reason, tables.now()));
                audit(tables, run.consumer(), new Author(who, reason), Answers.ofReplay(name, from + ", now " + to));
                return true;
            });
        } finally {
            change.close();
        }
    }

    private static void audit(Tables all, RegisteredConsumer consumer, Author by, String detail) {
        all.note(by, AdminAction.REPLAY, consumer, null, detail, 1);
    }

    private static ReplayProgress changed(ReplayProgress run, ReplayState to, String who, String reason, Instant now) {
        return new ReplayProgress(
                run.consumer(),
                run.plan(),
                to,
                run.cutoff(),
                run.position(),
                run.total(),
                run.withoutPayload(),
                run.done(),
                run.skipped(),
                null,
                who,
                reason,
                run.createdAt(),
                now);
    }

    @Override
    public List<SkippedMessage> skipped(String name, long after, int limit) {
        return tables.read(all -> all.skipped.stream()
                .filter(each -> each.replay().equals(name) && each.message().place() > after)
                .map(SkippedRow::message)
                .sorted(Comparator.comparingLong(SkippedMessage::place))
                .limit(limit)
                .toList());
    }

    @Override
    public String storeId() {
        return tables.id;
    }

    @Override
    public boolean isSettled(LocalDate day) {
        LocalDate today = today();
        if (!day.isBefore(today)) {
            throw new IllegalArgumentException(day + " is not over; it is " + today + " in UTC");
        }
        return true;
    }

    @Override
    public LocalDate today() {
        return tables.read(all -> dayOf(all.now()));
    }

    @Override
    public List<RegisteredConsumer> consumers() {
        return tables.read(all -> consumers.all().stream()
                .sorted(Comparator.comparing(RegisteredConsumer::id))
                .toList());
    }

    @Override
    public List<HistoryEntry> read(RegisteredConsumer consumer, LocalDate day, long after, int limit) {
        List<HistoryEntry> entries = tables.read(all -> all.history.stream()
                .filter(each -> each.consumer() == consumer.id()
                        && each.place() > after
                        && dayOf(each.at()).equals(day))
                .limit(limit)
                .map(Finished::entry)
                .toList());
        return Candidates.within(MemoryReplaySteps.ROOM, entries, HistoryEntry::message);
    }

    @Override
    public long count(LocalDate day) {
        return tables.read(all -> all.history.stream()
                .filter(each -> dayOf(each.at()).equals(day))
                .count());
    }

    @Override
    public void exported(LocalDate day, long entries) {
        tables.write(all -> all.exported.put(day, entries));
    }

    @Override
    public OptionalLong exportedEntries(LocalDate day) {
        return tables.read(all -> {
            Long entries = all.exported.get(day);
            return entries == null ? OptionalLong.empty() : OptionalLong.of(entries);
        });
    }

    @Override
    public Optional<LocalDate> lastExported() {
        return tables.read(all -> all.exported.keySet().stream().max(Comparator.naturalOrder()));
    }

    @Override
    public boolean isNeeded(LocalDate day) {
        return tables.read(all -> daysNeeded(all).contains(day));
    }

    /** The days, in UTC, that runs have messages of which are before them. Used under the lock of the tables. */
    static Set<LocalDate> daysNeeded(Tables all) {
        return all.replays.values().stream()
                .filter(run -> !run.state().isFinal())
                .flatMap(run -> left(all, run))
                .map(finished -> dayOf(finished.at()))
                .collect(Collectors.toSet());
    }

    private static LocalDate dayOf(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    /** A message that a run passed. */
    record SkippedRow(String replay, SkippedMessage message) {}
}
