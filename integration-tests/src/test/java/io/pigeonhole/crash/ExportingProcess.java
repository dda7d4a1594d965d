package io.pigeonhole.crash;

import io.pigeonhole.core.archive.HistoryExport;
import io.pigeonhole.jackson.JsonLinesArchive;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;

/** Exports a day of the history, or goes on with it. */
final class ExportingProcess {
    private ExportingProcess() {}

    /** Arguments: JDBC URL, directory, day. */
    public static void main(String[] arguments) throws IOException {
        JdbcStore store = JdbcStore.create(Database.dataSource(arguments[0]));
        System.out.println(HistoryExport.of(store, JsonLinesArchive.in(Path.of(arguments[1])))
                .export(LocalDate.parse(arguments[2])));
    }
}
