package io.pigeonhole.testkit.effects;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is wrong with the effects; all empty when nothing is. Immutable.
 *
 * @param lost sent, without an effect, and kept nowhere
 * @param duplicated with more than one effect, and how many
 * @param phantom with an effect, or kept aside, though never sent; or with an effect although kept aside
 * @param stuck neither finished nor kept aside, and nobody will change that
 */
public record EffectsReport(Set<String> lost, Map<String, Integer> duplicated, Set<String> phantom, Set<String> stuck) {
    private static final int SHOWN = 10;

    /** Copies the arguments and keeps their order. */
    public EffectsReport {
        lost = Collections.unmodifiableSet(new LinkedHashSet<>(lost));
        duplicated = Collections.unmodifiableMap(new LinkedHashMap<>(duplicated));
        phantom = Collections.unmodifiableSet(new LinkedHashSet<>(phantom));
        stuck = Collections.unmodifiableSet(new LinkedHashSet<>(stuck));
    }

    /**
     * Whether every message took effect exactly once, or is kept aside without an effect.
     *
     * @return true if nothing is wrong
     */
    public boolean isExactlyOnce() {
        return lost.isEmpty() && duplicated.isEmpty() && phantom.isEmpty() && stuck.isEmpty();
    }

    /**
     * Fails where something is wrong.
     *
     * @throws AssertionError with what, how many, and the first few ids of each
     */
    public void assertExactlyOnce() {
        if (!isExactlyOnce()) {
            throw new AssertionError(describe());
        }
    }

    /**
     * The report in words.
     *
     * @return one line for each kind, with the first few ids
     */
    public String describe() {
        if (isExactlyOnce()) {
            return "every message took effect exactly once";
        }
        List<String> repeats = duplicated.entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + " times)")
                .toList();
        List<String> lines = new ArrayList<>(List.of("not exactly once:"));
        lines.add(line("lost", lost));
        lines.add(line("duplicated", repeats));
        lines.add(line("phantom", phantom));
        lines.add(line("stuck", stuck));
        return String.join(System.lineSeparator() + "  ", lines);
    }

    private static String line(String kind, Collection<String> ids) {
        if (ids.isEmpty()) {
            return kind + ": none";
        }
        String first = String.join(", ", ids.stream().limit(SHOWN).toList());
        return kind + ": " + ids.size() + ": " + first + (ids.size() > SHOWN ? ", …" : "");
    }
}
