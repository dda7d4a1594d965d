package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every statement of every database stands in a file, so that a change is seen and reviewed as SQL. With
 * {@code -Dpigeonhole.statements=write} the files are written anew.
 */
class StatementsTest {
    private static final Path FILES = Path.of("src/test/resources/io/pigeonhole/jdbc/statements");

    private static final List<Class<?>> OF_POSTGRES = List.of(PostgresStatements.class);

    private static final List<Class<? extends PlainStatement>> OF_OTHERS = List.of(
            SchemaStatement.class,
            LedgerStatement.class,
            NumberStatement.class,
            WorkStatement.class,
            DeadLetterStatement.class,
            RetentionStatement.class,
            WatermarkStatement.class);

    static List<Dialect> dialects() {
        return Products.DIALECTS;
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void statementsOfADialectAreThoseOfItsFile(Dialect dialect) throws IOException {
        Map<String, String> statements = new TreeMap<>();
        for (Class<? extends PlainStatement> type : OF_OTHERS) {
            for (PlainStatement statement : type.getEnumConstants()) {
                statements.put(type.getSimpleName() + "." + statement.name(), dialect.text(statement));
            }
        }
        statements.put("begin", String.join(";\n", dialect.begin(Duration.ofSeconds(42))));
        statements.put("beforeCommit", String.join(";\n", dialect.beforeCommit()));
        statements.put(
                "beginWithClaim",
                String.valueOf(dialect.beginWithClaim(Duration.ofSeconds(42), Duration.ofMillis(1500))));
        statements.put("holdHorizonAndClaim", String.valueOf(dialect.holdHorizonAndClaim()));
        statements.put("proveAndCommit", String.valueOf(dialect.proveAndCommit()));
        statements.put("end", String.join(";\n", dialect.end()));
        statements.put("guard", String.join(";\n", dialect.guard()));
        statements.put("ownPatience", String.join(";\n", dialect.ownPatience()));
        statements.put("patience", String.join(";\n", dialect.patience(Duration.ofMillis(1500))));
        statements.put("patience, short", String.join(";\n", dialect.patience(Duration.ofMillis(20))));
        statements.put("prove", String.join(";\n", dialect.prove()));
        statements.put("transactionNumber", String.valueOf(dialect.transactionNumber()));
        compare(dialect.name().toLowerCase(Locale.ROOT), statements);
    }

    @Test
    void statementsOfPostgresAreThoseOfItsFile() throws ReflectiveOperationException, IOException {
        Map<String, String> statements = new TreeMap<>();
        for (Class<?> type : OF_POSTGRES) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                field.setAccessible(true);
                String name = type.getSimpleName() + "." + field.getName();
                if (field.get(null) instanceof String sql) {
                    statements.put(name, sql);
                } else if (field.get(null) instanceof PostgresStatements.Beginning beginning) {
                    statements.put(name, beginning.usual());
                    statements.put(name + ", otherwise", beginning.otherwise());
                }
            }
        }
        compare("postgresql", statements);
    }

    @Test
    void nothingIsRepeatedThatIsNotMarked() {
        assertThat(Repeat.expand("a IN ({?}) AND b IN ({?})", 3, 1)).isEqualTo("a IN (?, ?, ?) AND b IN (?)");
        assertThat(Repeat.expand("VALUES {(?, ?)}", 2)).isEqualTo("VALUES (?, ?), (?, ?)");
        assertThat(Repeat.expand("{{(SELECT ?)}}", 2)).isEqualTo("(SELECT ?)\nUNION ALL\n(SELECT ?)");
    }

    private static void compare(String name, Map<String, String> statements) throws IOException {
        StringBuilder text = new StringBuilder();
        statements.forEach((statement, sql) ->
                text.append("== ").append(statement).append('\n').append(sql).append("\n\n"));
        Path file = FILES.resolve(name + ".txt");
        if ("write".equals(System.getProperty("pigeonhole.statements"))) {
            Files.createDirectories(FILES);
            Files.writeString(file, text);
        }
        assertThat(text.toString())
                .as("statements of %s; write the file anew with -Dpigeonhole.statements=write", name)
                .isEqualTo(Files.readString(file));
    }
}
