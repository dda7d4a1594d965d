package io.pigeonhole.jdbc.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What tables, columns and keys there are, each a subject with a description: {@code inbox_work.due_at}, {@code timestamp
 * with time zone not null}. The expected ones stand in a file beside the schema.
 *
 * @param entries descriptions by subject
 */
public record Catalog(Map<String, String> entries) {
    private static final String SEPARATOR = " | ";

    /** What is in the way of a row here is taken for the message that the row is of. */
    private static final Set<String> TABLES_OF_KEYS =
            Set.of("inbox_ledger", "inbox_ledger_digest", "inbox_work", "inbox_dead_letter");

    /** Reads the lines of a file, in which {@code |} stands between subject and description. */
    public static Catalog parse(String text) {
        Map<String, String> entries = new LinkedHashMap<>();
        text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
            int at = line.indexOf(SEPARATOR);
            entries.put(line.substring(0, at), line.substring(at + SEPARATOR.length()));
        });
        return new Catalog(entries);
    }

    /** The same with a table described as a simple one that is described as partitioned. */
    public Catalog asOneTable(String table, String partitioned) {
        Map<String, String> changed = new TreeMap<>(entries);
        changed.computeIfPresent(
                table,
                (subject, found) ->
                        found.startsWith(partitioned) ? "table" + found.substring(partitioned.length()) : found);
        return new Catalog(changed);
    }

    /**
     * What another catalog has otherwise, in words; what it has in addition is its owner's business, unless it refuses messages
     * that are new.
     */
    public List<String> differencesOf(Catalog actual) {
        List<String> differences = new ArrayList<>();
        entries.forEach((subject, expected) -> {
            String found = actual.entries.get(subject);
            if (found == null) {
                String relation = relationOf(subject);
                if (relation.equals(subject) || actual.entries.containsKey(relation)) {
                    differences.add(subject + " is missing");
                }
            } else if (!found.equals(expected)) {
                differences.add(subject + " is " + found + ", expected " + expected);
            }
        });
        actual.entries.keySet().stream()
                .filter(subject ->
                        TABLES_OF_KEYS.contains(relationOf(subject)) && subject.contains(": ") && isNarrower(subject))
                .forEach(
                        subject -> differences.add(
                                subject + " is a key of somebody's own, which refuses messages that are"
                                        + " new, or takes them for duplicates: drop it, or make it an index that is not unique"));
        return differences;
    }

    /** Whether these are the differences of a database that has none of it. */
    boolean isAllThatIsMissing(List<String> differences) {
        return differences.equals(differencesOf(new Catalog(Map.of())));
    }

    /** Whether a unique key has none of ours within it: only then it refuses rows that ours would take. */
    private boolean isNarrower(String key) {
        return entries.keySet().stream()
                .filter(ours -> ours.startsWith(relationOf(key) + ": "))
                .noneMatch(ours -> columnsOf(key).containsAll(columnsOf(ours)));
    }

    private static Set<String> columnsOf(String key) {
        return Set.copyOf(
                List.of(key.substring(key.indexOf('(') + 1, key.indexOf(')')).split(", ", -1)));
    }

    /** The form that {@link #parse} reads. */
    String print() {
        StringBuilder text = new StringBuilder();
        entries.forEach((subject, description) ->
                text.append(subject).append(SEPARATOR).append(description).append('\n'));
        return text.toString();
    }

    /** The names of tables, views and sequences as an array of PostgreSQL. */
    public String relationArray() {
        return entries.keySet().stream().map(Catalog::relationOf).distinct().collect(Collectors.joining(",", "{", "}"));
    }

    /** The table that a subject is about. */
    public static String relationOf(String subject) {
        return subject.split("[.:]", 2)[0];
    }
}
