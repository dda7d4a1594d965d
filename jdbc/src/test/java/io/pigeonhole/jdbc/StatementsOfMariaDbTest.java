package io.pigeonhole.jdbc;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * MariaDB may answer a statement that is cancelled as if it had met no row, and report no error: a search that sorts and has a limit, a
 * query in a condition or in place of a value, and a DELETE; 11.4 also an UPDATE. No statement of ours may depend on such an answer. What
 * is changed or deleted is executed by {@link io.pigeonhole.jdbc.sql.Call#changeLocked}, or may be left undone.
 */
@Tag("E18")
class StatementsOfMariaDbTest {
    private static final Path SQL = Path.of("src/main/resources/io/pigeonhole/jdbc/sql");

    private static final Pattern SORTED = Pattern.compile("(?s)ORDER BY.*LIMIT");
    private static final Pattern QUERY_AS_CONDITION = Pattern.compile("\\b(EXISTS|IN) \\(\\s*SELECT\\b");
    private static final Pattern QUERY_AS_VALUE =
            Pattern.compile("(?<!FROM |JOIN |AS |UNION ALL\\s|IN |EXISTS )\\(\\s*SELECT\\b");
    private static final Pattern PREFIX = Pattern.compile("SET STATEMENT [^;]*? FOR\\s+");

    /** Why these do no harm. */
    private static final Map<String, String> HARMLESS = Map.ofEntries(
            entry("outbox.with_appended", "what is not found is found at the next look"),
            entry("work.due", "what is not found to be due is found at the next poll"),
            entry("work.due_heads", "it names keys only, whose messages are looked at again"),
            entry("work.keys_of_due", "what sorts is a derived table, and names the error"),
            entry("work.first_of_keys", "as parts of a union these do name the error"),
            entry("replay.read", "no row where there were sizes is refused"),
            entry("replay.day", "no row where there were sizes is refused"),
            entry("replay.old_exports", "nothing is deleted then, and the next time it is"),
            entry("replay.add_history", "a row that is there has the key of the one that is inserted"),
            entry("admin.head", "as a union it names the error"),
            entry("admin.show_attempts", "as a derived table it names the error"));

    private record Name(String file, String name) implements StatementName {}

    private static Map<String, String> texts() throws IOException {
        Statements statements = new Statements(List.of("io/pigeonhole/jdbc/sql/mariadb/"));
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(SQL.resolve("standard"))) {
            for (Path path : files.toList()) {
                String file = path.getFileName().toString().replace(".sql", "");
                if (!file.equals("parts")) {
                    for (String name : statements.names(file)) {
                        texts.put(file + "." + name, statements.sql(new Name(file, name)));
                    }
                }
            }
        }
        return texts;
    }

    private static boolean mayHideThatItIsCancelled(String text) {
        String query = PREFIX.matcher(text).replaceFirst("");
        return (SORTED.matcher(query).find() && !query.startsWith("SELECT * FROM ("))
                || QUERY_AS_CONDITION.matcher(query).find()
                || QUERY_AS_VALUE.matcher(query).find();
    }

    @Test
    void noneDependsOnAnAnswerThatMayBeThatOfACancelledStatement() throws IOException {
        Map<String, String> texts = texts();
        assertThat(texts).hasSizeGreaterThan(100);
        Set<String> found = new TreeSet<>();
        texts.forEach((name, text) -> {
            if (mayHideThatItIsCancelled(text)) {
                found.add(name);
            }
        });
        assertThat(found).isEqualTo(new TreeSet<>(HARMLESS.keySet()));
    }

    @Test
    void suchStatementsAreRecognised() {
        assertThat(Stream.of(
                        "SELECT id FROM t ORDER BY id LIMIT 1",
                        "SET STATEMENT a = 1 FOR SELECT id FROM t ORDER BY id\nLIMIT 1",
                        "SELECT EXISTS (SELECT 1 FROM t)",
                        "SELECT 1 FROM t WHERE NOT EXISTS (\n    SELECT 1 FROM t)",
                        "SELECT 1 FROM t WHERE a NOT IN (SELECT b FROM t)",
                        "SELECT COALESCE((SELECT MAX(id) FROM t), 0)"))
                .allMatch(StatementsOfMariaDbTest::mayHideThatItIsCancelled);
        assertThat(Stream.of(
                        "SELECT * FROM (\nSELECT id FROM t ORDER BY id\nLIMIT 1\n) AS sorted",
                        "SELECT id FROM t WHERE id IN (?, ?) ORDER BY id FOR UPDATE",
                        "SELECT a FROM t UNION ALL\n(SELECT 1 FROM t LIMIT 1)",
                        "SELECT a.id FROM (SELECT MAX(id) AS id FROM t) AS a CROSS JOIN (SELECT 1) AS b"))
                .noneMatch(StatementsOfMariaDbTest::mayHideThatItIsCancelled);
    }

    private static final Pattern LIMITED = Pattern.compile("(?s).*ORDER BY (.*?)\\s+LIMIT (\\S+)\\s+\\) AS sorted(.*)");

    /** The order in which a derived table is read is not that in which it was made: with texts in it, entries are mixed up. */
    @Test
    void whatIsSortedInADerivedTableIsSortedAgainOutsideOfIt() throws IOException {
        Set<String> sorted = new TreeSet<>();
        texts().forEach((name, text) -> {
            Matcher limited = LIMITED.matcher(text);
            if (text.contains("SELECT * FROM (")
                    && limited.matches()
                    && !limited.group(2).equals("1")) {
                sorted.add(name);
                assertThat(limited.group(3).trim())
                        .as(name)
                        .isEqualTo("ORDER BY " + limited.group(1).replaceAll("\\b\\w\\.", ""));
            }
        });
        assertThat(sorted).contains("admin.dead_letters", "admin.work", "work.due_page", "replay.skipped");
    }
}
