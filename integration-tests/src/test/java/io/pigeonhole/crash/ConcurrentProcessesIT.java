package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ConcurrentProcessesIT {
    private static final int MESSAGES = 300;
    private static final Pattern PROCESSED = Pattern.compile("processed (\\d+)");

    @Test
    void messagesThatComeToTwoProcessesAtOnceTakeEffectOnce() throws Exception {
        try (Database database = Database.onPostgres()) {
            String run = "processes";
            Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "processes-");
            List<ChildJvm> processes = new ArrayList<>();
            for (int seed = 1; seed <= 2; seed++) {
                processes.add(ChildJvm.start(
                        ConcurrentProcess.class,
                        directory.resolve("process-" + seed + ".out"),
                        List.of(database.url(), run, "" + MESSAGES, "" + seed)));
            }
            processes.forEach(process -> process.say("begin"));

            int processed = 0;
            for (ChildJvm process : processes) {
                assertThat(process.exitCode()).as(process.output()).isZero();
                processed += processedBy(process);
            }

            assertThat(processed).isEqualTo(MESSAGES);
            EffectsChecker.expecting(ConcurrentProcess.messages(run, MESSAGES).stream()
                            .map(Story::id)
                            .toList())
                    .effects(database.effects(run))
                    .parked(database.parked(run))
                    .check()
                    .assertExactlyOnce();
        }
    }

    private static int processedBy(ChildJvm process) {
        Matcher line = PROCESSED.matcher(process.output());
        assertThat(line.find()).as(process.output()).isTrue();
        return Integer.parseInt(line.group(1));
    }
}
