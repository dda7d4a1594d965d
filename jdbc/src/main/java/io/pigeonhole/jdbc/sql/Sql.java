package io.pigeonhole.jdbc.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One statement with named parameters. {@code :name} stands for a value, as often as the name occurs; {@code :name...} for a list
 * of values with commas between them. What stands in braces is repeated for each element of the lists in it, with commas between,
 * or {@code UNION ALL} where there are two braces; there {@code :name...} is the next element. What stands in quotes is no
 * parameter. Safe for use by many threads.
 */
public final class Sql {
    private static final Pattern PARAMETER = Pattern.compile(
            "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\\{\\{(?<queries>.*?)}}|\\{(?<rows>.*?)}"
                    + "|(?<![:\\w]):(?<name>[a-z][a-z0-9_]*)(?<list>\\.\\.\\.)?",
            Pattern.DOTALL);

    private final List<Piece> pieces;
    private final Set<String> lists = new HashSet<>();
    private final Text withOneElement;

    /** The last text with more elements: the next one often has as many. */
    private volatile Expanded last;

    /** What a statement consists of. */
    private sealed interface Piece {}

    private record Words(String text) implements Piece {}

    private record Parameter(String name, boolean isList) implements Piece {}

    private record Repeated(List<Piece> pieces, String between) implements Piece {
        /** The list that says how often. */
        String list() {
            for (Piece piece : pieces) {
                if (piece instanceof Parameter parameter && parameter.isList()) {
                    return parameter.name();
                }
            }
            throw new IllegalArgumentException("nothing says how often " + pieces + " is repeated");
        }
    }

    private record Expanded(Map<String, Integer> elements, Text text) {}

    private Sql(List<Piece> pieces) {
        this.pieces = pieces;
        collectLists(pieces);
        this.withOneElement = new Expansion(equally(1)).end();
        this.last = new Expanded(equally(1), withOneElement);
    }

    public static Sql parse(String sql) {
        return new Sql(pieces(sql));
    }

    private static List<Piece> pieces(String sql) {
        List<Piece> pieces = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        Matcher found = PARAMETER.matcher(sql);
        while (found.find()) {
            Piece piece = piece(found);
            if (piece == null) {
                found.appendReplacement(text, Matcher.quoteReplacement(found.group()));
                continue;
            }
            found.appendReplacement(text, "");
            pieces.add(new Words(text.toString()));
            text.setLength(0);
            pieces.add(piece);
        }
        pieces.add(new Words(found.appendTail(text).toString()));
        return pieces;
    }

    /** Null for what stands in quotes. */
    private static @Nullable Piece piece(Matcher found) {
        if (found.group("queries") != null) {
            return new Repeated(pieces(found.group("queries")), "\nUNION ALL\n");
        }
        if (found.group("rows") != null) {
            return new Repeated(pieces(found.group("rows")), ", ");
        }
        return found.group("name") == null ? null : new Parameter(found.group("name"), found.group("list") != null);
    }

    private void collectLists(List<Piece> some) {
        for (Piece piece : some) {
            if (piece instanceof Parameter parameter && parameter.isList()) {
                lists.add(parameter.name());
            } else if (piece instanceof Repeated repeated) {
                collectLists(repeated.pieces());
            }
        }
    }

    private Map<String, Integer> equally(int elements) {
        Map<String, Integer> counts = new HashMap<>();
        lists.forEach(list -> counts.put(list, elements));
        return counts;
    }

    /** The names of the parameters, each once. */
    public Set<String> parameters() {
        return withOneElement.places().keySet();
    }

    /**
     * The statement for the driver.
     *
     * @param elements how many values each list has; it does not matter where there is no list
     */
    public Text text(int elements) {
        return lists.isEmpty() || elements == 1 ? withOneElement : text(equally(elements));
    }

    /**
     * The same where not all lists are equally long.
     *
     * @param elements how many values there are, by the name of each list
     */
    public Text text(Map<String, Integer> elements) {
        Expanded known = last;
        if (!known.elements().equals(elements)) {
            known = new Expanded(Map.copyOf(elements), new Expansion(elements).end());
            last = known;
        }
        return known.text();
    }

    /** A text in the making. */
    private final class Expansion {
        private final StringBuilder sql = new StringBuilder();
        private final Map<String, List<Integer>> places = new LinkedHashMap<>();
        private final Map<String, Integer> elements;
        private int place = 1;

        Expansion(Map<String, Integer> elements) {
            this.elements = elements;
            add(pieces, false);
        }

        private void add(List<Piece> some, boolean oneByOne) {
            for (Piece piece : some) {
                if (piece instanceof Words words) {
                    sql.append(words.text());
                } else if (piece instanceof Parameter parameter) {
                    add(parameter, parameter.isList() && !oneByOne ? count(parameter.name()) : 1);
                } else if (piece instanceof Repeated repeated) {
                    int times = count(repeated.list());
                    for (int i = 0; i < times; i++) {
                        sql.append(i == 0 ? "" : repeated.between());
                        add(repeated.pieces(), true);
                    }
                }
            }
        }

        private void add(Parameter parameter, int values) {
            List<Integer> all = places.computeIfAbsent(parameter.name(), name -> new ArrayList<>());
            for (int value = 0; value < values; value++) {
                sql.append(value == 0 ? "?" : ", ?");
                all.add(place++);
            }
        }

        private int count(String list) {
            Integer count = elements.get(list);
            if (count == null) {
                throw new IllegalArgumentException("nobody says how many elements the list " + list + " has");
            }
            return count;
        }

        Text end() {
            return new Text(sql.toString(), places, lists);
        }
    }

    /**
     * What a driver prepares.
     *
     * @param sql the statement with question marks
     * @param places the indexes of each parameter
     * @param lists the parameters that are lists
     */
    public record Text(String sql, Map<String, List<Integer>> places, Set<String> lists) {
        /** Another text with the same parameters at the same places. */
        public Text as(String other) {
            return new Text(other, places, lists);
        }

        /** Behind another statement in one text, whose parameters have other names. */
        public Text behind(Text before) {
            int count = before.places.values().stream().mapToInt(List::size).sum();
            Map<String, List<Integer>> all = new LinkedHashMap<>(before.places);
            places.forEach((name, of) ->
                    all.put(name, of.stream().map(place -> place + count).toList()));
            return new Text(before.sql + ";\n" + sql, all, lists);
        }
    }
}
