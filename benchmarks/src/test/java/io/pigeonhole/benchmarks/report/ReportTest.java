package io.pigeonhole.benchmarks.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportTest {
    private final Path directory;
    private final Path page;
    private final Path json;

    ReportTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        page = Files.writeString(directory.resolve("page.md"), resource("page.md"));
        json = Files.writeString(directory.resolve("small.json"), resource("small.json"));
    }

    @Test
    void theSectionOfTheResultIsMadeAndTheRestOfThePageStays() throws Exception {
        new Report(page).make(List.of(json));

        assertThat(page).hasContent(resource("expected.md"));
        assertThat(directory.resolve("page/small.svg")).hasContent(resource("expected.svg"));
        assertThat(directory.resolve("page/small.json")).hasSameTextualContentAs(json);
    }

    @Test
    void theChartIsXml() throws Exception {
        new Report(page).make(List.of(json));

        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(directory.resolve("page/small.svg").toFile())
                        .getDocumentElement()
                        .getTagName())
                .isEqualTo("svg");
    }

    @Test
    void makingThePageAgainFromWhatIsKeptChangesNothing() throws Exception {
        new Report(page).make(List.of(json));
        byte[] chart = Files.readAllBytes(directory.resolve("page/small.svg"));

        Report again = new Report(page);
        assertThat(again.kept()).containsExactly(directory.resolve("page/small.json"));
        again.make(again.kept());

        assertThat(page).hasContent(resource("expected.md"));
        assertThat(directory.resolve("page/small.svg")).hasBinaryContent(chart);
    }

    @Test
    void aResultWithoutItsSectionChangesNothing() throws Exception {
        Path other = Files.copy(json, directory.resolve("unknown.json"));
        Report report = new Report(page);

        assertThatThrownBy(() -> report.make(List.of(json, other)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("<!-- report: unknown -->");
        assertThat(page).hasContent(resource("page.md"));
        assertThat(directory.resolve("page")).doesNotExist();
    }

    @Test
    void aSectionWithoutAnEndIsRefusedAndNotTakenForALongOne() {
        ReportPage open = new ReportPage("<!-- report: a -->\ntext\n<!-- report: b -->\n<!-- end -->\n");

        assertThatThrownBy(() -> open.with("a", "made\n")).hasMessageContaining("<!-- end -->");
        assertThatThrownBy(() -> new ReportPage("<!-- report: a -->\ntext\n").with("a", "made\n"))
                .hasMessageContaining("<!-- end -->");
        assertThatThrownBy(() ->
                        new ReportPage("<!-- report: a -->\n<!-- report: a -->\n<!-- end -->\n").with("a", "made\n"))
                .hasMessageContaining("twice");
    }

    @Test
    void marksInTheMidstOfALineAreText() {
        String text = "see `<!-- report: a -->`\n<!-- report: a -->\nnot `<!-- end -->`\n<!-- end -->\n";

        assertThat(new ReportPage(text).with("a", "made\n").text())
                .isEqualTo("see `<!-- report: a -->`\n<!-- report: a -->\n\nmade\n\n<!-- end -->\n");
    }

    @Test
    void performancePageHasASectionForEachSuiteThatWritesResults() throws Exception {
        ReportPage performance = new ReportPage(Files.readString(Path.of("..", "docs", "performance.md")));

        for (String name : List.of("floor", "floor-v4", "floor-mariadb", "kafka", "scale", "xmin")) {
            performance = performance.with(name, "made\n");
        }
        assertThat(performance.text()).contains("# What exactly once costs", "# What it costs to forget");
    }

    @Test
    void whatIsNotAResultIsRefusedByName() throws Exception {
        Report report = new Report(page);
        for (String text : List.of("{}", "[1]", "no JSON", "{\"suite\":\"a\",\"rounds\":[],\"ratios\":{}}")) {
            Files.writeString(json, text);
            assertThatThrownBy(() -> report.make(List.of(json)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("small.json");
        }
        assertThatThrownBy(() -> report.make(List.of(directory.resolve("Floor 2.json"))))
                .hasMessageContaining("names no section");
    }

    @Test
    void namesCannotBreakTheChart() {
        String strange = resource("small.json").replace("pigeonhole-batch", "<b>&");

        String svg = new RatioChart(SavedResult.parse(strange)).svg();

        assertThat(svg).contains("&lt;b&gt;&amp; / floor-batch").doesNotContain("<b>");
    }

    @Test
    void aVariantThatLeftWrongEffectsIsShownAsSuch() {
        SavedResult result = SavedResult.parse(resource("small.json")
                .replace("\"cpuMicros", "\"violations\":{\"seed-loop\":[\"round 2: one too many\"]},\"cpuMicros"));

        assertThat(new ResultSection(result, "page/small").markdown())
                .contains("| `pigeonhole-batch` / `seed-loop` | 12.0 | 9.50 | 19.8 | 12.0 | wrong effects |")
                .contains("| `seed-loop`, wrong effects | 2,000")
                .contains("`seed-loop` left wrong effects:\n\n- round 2: one too many\n")
                .contains("| `pigeonhole-batch` / `floor-batch` | 0.95 | 0.90 | 1.00 | 0.86 | 0.96, missed |");
        assertThat(new RatioChart(result).svg()).contains("12.0 (9.50 to 19.8), wrong effects<");
    }

    @Test
    void axesHaveFewRoundMarks() {
        assertThat(Scale.upTo(1)).isEqualTo(new Scale(0.2, 5));
        assertThat(Scale.upTo(1.46)).isEqualTo(new Scale(0.2, 8));
        assertThat(Scale.upTo(21.6)).isEqualTo(new Scale(5, 5));
        assertThat(Scale.upTo(80)).isEqualTo(new Scale(10, 8));
        assertThat(new Scale(0.2, 5).label(0.6)).isEqualTo("0.6");
        assertThat(new Scale(10, 8).label(0)).isEqualTo("0");
        assertThatThrownBy(() -> Scale.upTo(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theCommandSaysWhatIsWrongAndEndsWithTwo() {
        StringWriter errors = new StringWriter();
        CommandLine report = new CommandLine(new ReportCommand()).setErr(new PrintWriter(errors));

        assertThat(report.execute("--page", page.toString())).isEqualTo(2);
        assertThat(errors.toString()).contains("no results are kept");
        assertThat(report.execute(
                        "--page",
                        page.toString(),
                        directory.resolve("none.json").toString()))
                .isEqualTo(2);
        assertThat(errors.toString()).contains("there is no file");
        assertThat(report.execute("--page", page.toString(), json.toString())).isZero();
    }

    private static String resource(String name) {
        try (InputStream in = requireNonNull(ReportTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
