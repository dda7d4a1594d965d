package io.pigeonhole.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.embedded.EmbeddedAmqp;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The programs of {@code docs/first-afternoon.md} are run as they stand there, each in a process of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FirstAfternoonIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern SETTING = Pattern.compile("--config (\\S+)=(\\d+)");
    private static final Pattern DEPENDENCY =
            Pattern.compile("<artifactId>([^<]+)</artifactId>\\s*(?:<version>([^<]+)</version>)?\\s*(?=<)");

    @SuppressWarnings("NullAway.Init")
    private String guide;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedPostgres postgres;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeAll
    void start() throws IOException {
        guide = Files.readString(ROOT.resolve("docs/first-afternoon.md"));
        postgres = EmbeddedPostgres.startWithoutFlush(
                Path.of(System.getProperty("pigeonhole.target", "target"), "postgres"));
    }

    @AfterAll
    void stop() {
        postgres.close();
    }

    /** A program of the guide, as {@code java} runs a single file. */
    private Process run(String name, Map<String, String> environment) throws IOException {
        Path file = directory.resolve(name + ".java");
        Files.writeString(file, block("`src/main/java/" + name + ".java`:\n\n```java\n"));
        Path logging = directory.resolve("logback.xml");
        Files.writeString(logging, block("log at debug:\n\n```xml\n"));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dlogback.configurationFile=" + logging,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private String block(String begin) {
        assertThat(guide).contains(begin);
        String rest = guide.substring(guide.indexOf(begin) + begin.length());
        return rest.substring(0, rest.indexOf("```"));
    }

    /** With the settings that the guide's command has. */
    private void setUp(String topic, String servers) throws Exception {
        List<AlterConfigOp> settings = SETTING.matcher(guide)
                .results()
                .map(setting -> new AlterConfigOp(
                        new ConfigEntry(setting.group(1), setting.group(2)), AlterConfigOp.OpType.SET))
                .toList();
        assertThat(settings).hasSize(2);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), settings))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** As by Enter. */
    private static void end(Process program) throws IOException, InterruptedException {
        try (var keys = program.outputWriter()) {
            keys.newLine();
        }
        assertThat(program.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).isZero();
    }

    private List<String> ask(String sql) throws SQLException {
        try (Connection connection = postgres.dataSource("postgres").getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }

    private void awaitBalance(String balance) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> assertThat(ask("SELECT balance FROM account WHERE id = 7"))
                        .containsExactly(balance));
    }

    @Test
    void paymentThatIsSentTwiceIsPaidOnceAndWhatNobodyCanReadIsADeadLetter() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
            kafka.createTopic("payments", 1);
            setUp("payments", kafka.bootstrapServers());
            Map<String, String> servers =
                    Map.of("DATABASE", postgres.url("postgres"), "KAFKA", kafka.bootstrapServers());
            Process payments = run("Payments", servers);
            try {
                Process sending = run("SendPayments", servers);
                assertThat(sending.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(sending.exitValue()).isZero();
                awaitBalance("105");
                String letters =
                        block("```sql\n").strip().replace("c.name, d.reason, d.detail, ", "d.reason || ' ' || ");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(ask(letters.substring(0, letters.length() - 1)))
                                .containsExactly("UNDECODABLE {\"account\": \"seven\"}"));
                end(payments);
            } finally {
                payments.destroyForcibly();
            }
            assertThat(Files.readString(directory.resolve("Payments.log")))
                    .contains("Waiting for payments")
                    .contains("is a dead letter, UNDECODABLE")
                    .as("with the settings of the guide the window guard has nothing to say")
                    .doesNotContain("may deliver a message again");

            try (EmbeddedAmqp rabbitmq = EmbeddedAmqp.start(directory.resolve("amqp"))) {
                Process rabbit = run(
                        "RabbitPayments",
                        Map.of(
                                "DATABASE",
                                postgres.url("postgres"),
                                "RABBITMQ",
                                "amqp://guest:guest@127.0.0.1:" + rabbitmq.port()));
                try {
                    awaitBalance("110");
                    end(rabbit);
                } finally {
                    rabbit.destroyForcibly();
                }
            }
            assertThat(ask("SELECT balance FROM account WHERE id = 7")).containsExactly("110");
        }
    }

    /** Ours come with the bill of materials, the others have the versions that the build tests with. */
    @Test
    void projectNamesArtifactsThatThereAre() throws IOException {
        String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        String project = block("`pom.xml`:\n\n```xml\n");
        List<MatchResult> named = DEPENDENCY.matcher(project).results().toList();
        assertThat(named).hasSizeGreaterThan(6);
        for (MatchResult dependency : named) {
            String artifact = dependency.group(1);
            String version = dependency.group(2);
            if (artifact.startsWith("pigeonhole-") && !artifact.equals("pigeonhole-bom")) {
                assertThat(version).isNull();
                assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>");
            } else if (!artifact.equals("payments")) {
                assertThat(parent).contains(">" + version + "<");
            }
        }
    }
}
