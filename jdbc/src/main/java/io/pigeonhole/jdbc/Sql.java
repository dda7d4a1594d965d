package io.pigeonhole.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One statement with named parameters. {@code :name} stands for a value, as often as the name occurs; {@code :name...} for a list
 * of values with commas between them. What stands in quotes is no parameter. Immutable.
 */
final class Sql {
    private static final Pattern PARAMETER = Pattern.compile(
            "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<![:\\w]):(?<name>[a-z][a-z0-9_]*)(?<list>\\.\\.\\.)?");

    private final List<String> texts = new ArrayList<>();
    private final List<Parameter> parameters = new ArrayList<>();
    private final Set<String> lists = new HashSet<>();
    private final Text withoutLists;

    /** A parameter as it stands in the text. */
    private record Parameter(String name, boolean isList) {}

    private Sql(String sql) {
        StringBuilder text = new StringBuilder();
        Matcher found = PARAMETER.matcher(sql);
        while (found.find()) {
            if (found.group("name") == null) {
                found.appendReplacement(text, Matcher.quoteReplacement(found.group()));
                continue;
            }
            found.appendReplacement(text, "");
            texts.add(text.toString());
            text.setLength(0);
            parameters.add(new Parameter(found.group("name"), found.group("list") != null));
        }
        texts.add(found.appendTail(text).toString());
        parameters.stream().filter(Parameter::isList).map(Parameter::name).forEach(lists::add);
        this.withoutLists = expand(1);
    }

    static Sql parse(String sql) {
        return new Sql(sql);
    }

    /** The names of the parameters, each once. */
    Set<String> parameters() {
        return withoutLists.places().keySet();
    }

    /**
     * The statement for the driver.
     *
     * @param elements how many values each list has; it does not matter where there is no list
     */
    Text text(int elements) {
        return lists.isEmpty() ? withoutLists : expand(elements);
    }

    private Text expand(int elements) {
        StringBuilder sql = new StringBuilder(texts.get(0));
        Map<String, List<Integer>> places = new LinkedHashMap<>();
        int place = 1;
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            List<Integer> all = places.computeIfAbsent(parameter.name(), name -> new ArrayList<>());
            int values = parameter.isList() ? elements : 1;
            for (int value = 0; value < values; value++) {
                sql.append(value == 0 ? "?" : ", ?");
                all.add(place++);
            }
            sql.append(texts.get(i + 1));
        }
        return new Text(sql.toString(), places, lists);
    }

    /**
     * What a driver prepares.
     *
     * @param sql the statement with question marks
     * @param places the indexes of each parameter
     * @param lists the parameters that are lists
     */
    record Text(String sql, Map<String, List<Integer>> places, Set<String> lists) {
        /** Another text with the same parameters at the same places. */
        Text as(String other) {
            return new Text(other, places, lists);
        }

        /**
         * Behind another statement in one text.
         *
         * @param before has question marks for its parameters
         * @param names of those
         */
        Text behind(String before, String... names) {
            if (before.chars().filter(character -> character == '?').count() != names.length) {
                throw new IllegalArgumentException(before + " has other parameters than " + List.of(names));
            }
            Map<String, List<Integer>> all = new LinkedHashMap<>();
            for (String name : names) {
                all.put(name, List.of(all.size() + 1));
            }
            places.forEach((name, of) ->
                    all.put(name, of.stream().map(place -> place + names.length).toList()));
            return new Text(before + ";\n" + sql, all, lists);
        }

        /**
         * An insert of so many rows, where this one, which ends with the row behind VALUES, is for one. The parameters have the places
         * of the first row: see {@link Call#row}.
         */
        Text ofRows(int rows) {
            int row = sql.indexOf("VALUES") + "VALUES".length();
            return as(sql.substring(0, row) + "\n"
                    + String.join(
                            ",\n", Collections.nCopies(rows, sql.substring(row).strip())));
        }

        /** How many question marks a row has that {@link #ofRows} repeats. */
        int parametersOfRow() {
            return places.values().stream().mapToInt(List::size).sum();
        }
    }
}
