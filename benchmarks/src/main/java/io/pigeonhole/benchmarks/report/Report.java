package io.pigeonhole.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes sections of a page from results. The results and the charts are kept in a directory beside the page that has its
 * name: {@code performance.md}, {@code performance/floor.json} and {@code performance/floor.svg}.
 */
final class Report {
    private static final String JSON = ".json";
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]+");

    private final Path page;
    private final Path directory;

    Report(Path page) {
        this.page = page;
        String name = String.valueOf(page.getFileName()).replaceFirst("\\.md$", "");
        this.directory = page.resolveSibling(name);
    }

    /** The results that are kept beside the page. */
    List<Path> kept() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(JSON)).sorted().toList();
        }
    }

    /**
     * Makes a section from each result, named as the file without its ending, and keeps the result.
     *
     * @throws IllegalArgumentException if one of them is no result, or the page has no section for it; then nothing changes
     */
    void make(List<Path> results) throws IOException {
        Map<Path, String> made = new LinkedHashMap<>();
        ReportPage changed = new ReportPage(Files.readString(page));
        for (Path file : results) {
            String name = nameOf(file);
            String json = Files.readString(file);
            SavedResult result = parse(json, file);
            String path = directory.getFileName() + "/" + name;
            changed = changed.with(name, new ResultSection(result, path).markdown());
            made.put(directory.resolve(name + JSON), json);
            if (!result.ratios().isEmpty()) {
                made.put(directory.resolve(name + ".svg"), new RatioChart(result).svg());
            }
        }
        made.put(page, changed.text());
        Files.createDirectories(directory);
        for (Map.Entry<Path, String> file : made.entrySet()) {
            Files.writeString(file.getKey(), file.getValue());
        }
    }

    private static String nameOf(Path file) {
        String name = String.valueOf(file.getFileName());
        String section = name.endsWith(JSON) ? name.substring(0, name.length() - JSON.length()) : "";
        if (!NAME.matcher(section).matches()) {
            throw new IllegalArgumentException(
                    name + " names no section: small letters, digits and hyphens are needed, then " + JSON);
        }
        return section;
    }

    private static SavedResult parse(String json, Path file) {
        try {
            return SavedResult.parse(json);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + " is " + e.getMessage(), e);
        }
    }
}
