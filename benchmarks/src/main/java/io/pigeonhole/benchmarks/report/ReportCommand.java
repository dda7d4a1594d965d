package io.pigeonhole.benchmarks.report;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench report}: makes tables and charts of a page from the files that suites wrote with {@code --json}. */
@Command(
        name = "report",
        description =
                "Makes the tables and charts of docs/performance.md from results; from those kept there unless given.",
        mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
    private static final Path PAGE =
            Path.of(System.getProperty("pigeonhole.home", ".")).resolve("docs").resolve("performance.md");

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description =
                    "What a suite wrote with --json. floor-v4.json becomes the section <!-- report: floor-v4 -->.")
    private List<Path> files = new ArrayList<>();

    @Option(names = "--page", paramLabel = "FILE", description = "The page; docs/performance.md unless set.")
    private @Nullable Path page;

    @Spec
    private CommandSpec spec;

    /** Made by picocli. */
    @SuppressWarnings("NullAway.Init")
    public ReportCommand() {}

    @Override
    public Integer call() throws IOException {
        Report report = new Report(page == null ? PAGE : page);
        List<Path> results = files.isEmpty() ? report.kept() : files;
        if (results.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "no results are kept beside the page, and none were given");
        }
        try {
            report.make(results);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new ParameterException(spec.commandLine(), "there is no file " + e.getFile(), e);
        }
        results.forEach(file -> spec.commandLine().getOut().println("Made from " + file));
        return 0;
    }
}
