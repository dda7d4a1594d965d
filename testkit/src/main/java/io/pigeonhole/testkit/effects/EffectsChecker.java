package io.pigeonhole.testkit.effects;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageLabel;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.message.MessageId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Compares the ids that were sent with the effects that are there. The effects must come from a place without a unique
 * constraint, so that a repeated one shows. Not safe for use by many threads.
 */
public final class EffectsChecker {
    private final Set<String> expected;
    private final List<String> effects = new ArrayList<>();
    private final Set<String> aside = new HashSet<>();
    private final Set<String> unfinished = new LinkedHashSet<>();

    private EffectsChecker(Collection<String> expected) {
        this.expected = new LinkedHashSet<>(expected);
    }

    /**
     * Begins with what was sent.
     *
     * @param ids the ids of all messages that were sent; repeats count once
     * @return a checker that has seen no effects yet
     */
    public static EffectsChecker expecting(Collection<String> ids) {
        return new EffectsChecker(ids);
    }

    /**
     * Adds the effects that are there.
     *
     * @param ids the id of the message behind each effect, with repeats
     * @return this
     */
    public EffectsChecker effects(Collection<String> ids) {
        effects.addAll(ids);
        return this;
    }

    /**
     * Adds the messages that are parked: they may lack an effect and must not have one.
     *
     * @param ids their ids
     * @return this
     */
    public EffectsChecker parked(Collection<String> ids) {
        aside.addAll(ids);
        return this;
    }

    /**
     * Adds the messages among the dead letters: they may lack an effect and must not have one.
     *
     * @param ids their ids
     * @return this
     */
    public EffectsChecker dead(Collection<String> ids) {
        aside.addAll(ids);
        return this;
    }

    /**
     * Asks an inbox which messages it keeps, and adds them: those in work, leased ones among them, and the dead letters. They may lack an
     * effect and must not have one. Ask when nobody works any more: a message that is finished between this question and the one for
     * the effects looks like one with an effect that it must not have. Messages without an id are passed over.
     *
     * @param admin an admin of the inbox's store
     * @param consumer the inbox's consumer
     * @return this
     * @throws io.pigeonhole.core.admin.UnknownConsumerException if there is no such consumer
     */
    public EffectsChecker keptBy(Admin admin, String consumer) {
        addAll(page -> admin.work(WorkFilter.of(consumer), page), WorkEntry::message);
        addAll(page -> admin.deadLetters(DeadLetterFilter.of(consumer), page), DeadLetterEntry::message);
        return this;
    }

    private <T> void addAll(Function<PageRequest, Page<T>> list, Function<T, MessageLabel> label) {
        PageRequest request = PageRequest.first(PageRequest.MOST);
        while (true) {
            Page<T> page = list.apply(request);
            page.entries().stream()
                    .map(label)
                    .map(MessageLabel::id)
                    .filter(Objects::nonNull)
                    .map(MessageId::toString)
                    .forEach(aside::add);
            Cursor next = page.next();
            if (next == null) {
                return;
            }
            request = request.next(next);
        }
    }

    /**
     * Adds the messages that nobody will finish any more: never settled, leased by nobody who lives.
     *
     * @param ids their ids
     * @return this
     */
    public EffectsChecker unfinished(Collection<String> ids) {
        unfinished.addAll(ids);
        return this;
    }

    /**
     * Compares.
     *
     * @return the report
     */
    public EffectsReport check() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        effects.forEach(id -> counts.merge(id, 1, Integer::sum));
        Set<String> lost = new LinkedHashSet<>(expected);
        lost.removeAll(counts.keySet());
        lost.removeAll(aside);
        lost.removeAll(unfinished);
        Map<String, Integer> duplicated = new LinkedHashMap<>(counts);
        duplicated.values().removeIf(count -> count == 1);
        Set<String> phantom = new LinkedHashSet<>(counts.keySet());
        phantom.removeIf(id -> expected.contains(id) && !aside.contains(id));
        aside.stream().filter(id -> !expected.contains(id)).forEach(phantom::add);
        return new EffectsReport(lost, duplicated, phantom, unfinished);
    }
}
