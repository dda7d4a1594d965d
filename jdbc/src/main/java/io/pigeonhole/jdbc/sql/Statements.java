package io.pigeonhole.jdbc.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of one kind of database, read from {@code .sql} files. A file has a section for each statement, which begins with
 * {@code -- name: what_it_is_called} and ends where the next one begins; further lines that begin with {@code --} are comments. A
 * section that begins with {@code -- part: name} is put where <code>{name}</code> stands. A later folder overrides whole sections of
 * those before it. Safe for use by many threads.
 */
public final class Statements {
    /** The texts for databases that need no other. */
    static final String STANDARD = "io/pigeonhole/jdbc/sql/standard/";

    /** What the statements of several files have in common. */
    private static final String PARTS = "parts.sql";

    private static final Pattern HEAD = Pattern.compile("-- (?<kind>name|part): (?<name>[a-z0-9_]+)");
    private static final Pattern PART = Pattern.compile("\\{(?<name>[a-z][a-z0-9_]*)}");

    private final List<String> folders;
    private final Map<String, Map<String, Sql>> files = new ConcurrentHashMap<>();
    private final Map<StatementName, Sql> found = new ConcurrentHashMap<>();

    /**
     * The statements of a database.
     *
     * @param folders on the class path, each with a slash at its end, which override those of the standard
     * @throws IllegalArgumentException if a folder has no slash at its end: all its texts would be missing
     */
    public Statements(List<String> folders) {
        folders.stream().filter(folder -> !folder.endsWith("/")).forEach(folder -> {
            throw new IllegalArgumentException("the folder of statements " + folder + " has no slash at its end");
        });
        List<String> all = new ArrayList<>(List.of(STANDARD));
        all.addAll(folders);
        this.folders = List.copyOf(all);
    }

    /**
     * One statement.
     *
     * @throws IllegalStateException if no file has it
     */
    public Sql get(StatementName statement) {
        return found.computeIfAbsent(statement, this::find);
    }

    private Sql find(StatementName statement) {
        Sql sql = sections(statement.file()).get(statement.name().toLowerCase(Locale.ROOT));
        if (sql == null) {
            throw new IllegalStateException("no statement " + statement.name().toLowerCase(Locale.ROOT) + " in "
                    + statement.file() + ".sql of " + folders);
        }
        return sql;
    }

    /** The text of a statement without parameters. */
    public String sql(StatementName statement) {
        return get(statement).text(1).sql();
    }

    /**
     * Checks that every statement of a kind has a text, at the start and not where it is needed.
     *
     * @throws IllegalStateException if one has none
     */
    public <S extends Enum<S> & StatementName> void require(Class<S> statements) {
        Arrays.stream(statements.getEnumConstants()).forEach(this::get);
    }

    /** The names of all sections of a file, for a look at what nobody needs. */
    public Set<String> names(String file) {
        return new TreeSet<>(sections(file).keySet());
    }

    private Map<String, Sql> sections(String file) {
        return files.computeIfAbsent(file, this::read);
    }

    private Map<String, Sql> read(String file) {
        Map<String, String> parts = new HashMap<>();
        Map<String, String> statements = new HashMap<>();
        for (String folder : folders) {
            read(folder + PARTS, parts, statements);
            read(folder + file + ".sql", parts, statements);
        }
        Map<String, Sql> sections = new HashMap<>();
        statements.forEach((name, text) ->
                sections.put(name, Sql.parse(withParts(text, parts).strip())));
        return sections;
    }

    private static void read(String path, Map<String, String> parts, Map<String, String> statements) {
        Set<String> seen = new HashSet<>();
        Map<String, String> current = new HashMap<>();
        String name = "";
        for (String line : lines(path)) {
            Matcher head = HEAD.matcher(line);
            if (head.matches()) {
                current = head.group("kind").equals("part") ? parts : statements;
                name = head.group("name");
                current.put(name, "");
                if (!seen.add(head.group())) {
                    throw new IllegalStateException(path + " has a section twice: " + line);
                }
            } else if (!line.startsWith("--") && !line.isBlank()) {
                current.merge(name, line, (before, next) -> before.isEmpty() ? next : before + "\n" + next);
            }
        }
    }

    private static String withParts(String text, Map<String, String> parts) {
        Matcher marked = PART.matcher(text);
        return marked.replaceAll(found -> {
            String name = marked.group("name");
            String part = parts.get(name);
            if (part == null) {
                throw new IllegalStateException("there is no part " + name + " for " + text);
            }
            return Matcher.quoteReplacement(withParts(part, parts));
        });
    }

    /** None where a folder has no such file: then all statements are those of the folders before. */
    private static List<String> lines(String path) {
        InputStream found = Statements.class.getResourceAsStream("/" + path);
        if (found == null) {
            return List.of();
        }
        try (BufferedReader in = new BufferedReader(new InputStreamReader(found, StandardCharsets.UTF_8))) {
            return in.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the statements in " + path + " cannot be read", e);
        }
    }
}
