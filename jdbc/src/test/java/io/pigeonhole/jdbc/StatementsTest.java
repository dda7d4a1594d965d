package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.postgresql.PostgresStatements;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Every statement that is not in an {@code .sql} file yet stands in a text, so that a change is seen and reviewed as SQL. With
 * {@code -Dpigeonhole.statements=write} the files are written anew.
 */
class StatementsTest {
    private static final Path FILES = Path.of("src/test/resources/io/pigeonhole/jdbc/statements");

    private static final List<Class<?>> OF_POSTGRES = List.of(PostgresStatements.class);

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
