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

class TwinProcessesIT {
    private static final int MESSAGES = 300;
    private static final Pattern PROCESSED = Pattern.compile("processed (\\d+)");

    @Test
    void messagesThatComeToTwoProcessesAtOnceTakeEffectOnce() throws Exception {
        try (Database database = Database.onPostgres()) {
            String run = "twins";
            Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "twins-");
            List<ChildJvm> twins = new ArrayList<>();
            for (int seed = 1; seed <= 2; seed++) {
                twins.add(ChildJvm.start(
                        TwinProcess.class,
                        directory.resolve("twin-" + seed + ".out"),
                        List.of(database.url(), run, "" + MESSAGES, "" + seed)));
            }
            twins.forEach(twin -> twin.say("begin"));

            int processed = 0;
            for (ChildJvm twin : twins) {
                assertThat(twin.exitCode()).as(twin.output()).isZero();
                processed += processedBy(twin);
            }

            assertThat(processed).isEqualTo(MESSAGES);
            EffectsChecker.expecting(TwinProcess.messages(run, MESSAGES).stream()
                            .map(Story::id)
                            .toList())
                    .effects(database.effects(run))
                    .parked(database.parked(run))
                    .check()
                    .assertExactlyOnce();
        }
    }

    private static int processedBy(ChildJvm twin) {
        Matcher line = PROCESSED.matcher(twin.output());
        assertThat(line.find()).as(twin.output()).isTrue();
        return Integer.parseInt(line.group(1));
    }
}
