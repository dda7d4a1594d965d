package io.pigeonhole.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.crash.CrashPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process dies with an H2 file database in it. */
class H2CrashIT {
    private static final int MESSAGES = 500;
    private static final String RUN = "dying";

    private String url;

    @BeforeEach
    void chooseAFile() throws IOException {
        Path directory = Files.createTempDirectory(Files.createDirectories(Database.directory()), "h2-crash-");
        url = "jdbc:h2:async:" + directory.toAbsolutePath().resolve("inbox");
    }

    /** Processes messages one by one, and dies without having closed the database. Argument: JDBC URL. */
    static final class Dying {
        private Dying() {}

        public static void main(String[] arguments) throws SQLException {
            DataSource dataSource = dataSource(arguments[0]);
            Schema.apply(dataSource);
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("""
                        CREATE TABLE effect (run varchar(200) NOT NULL, message varchar(200) NOT NULL,
                            place bigint GENERATED ALWAYS AS IDENTITY)""");
            }
            Inbox<JdbcContext> inbox = inbox(dataSource);
            messages().forEach(message -> {
                if (inbox.process(message).kind() == Outcome.Kind.PROCESSED) {
                    System.out.println(WorkStory.id(message));
                }
            });
            Runtime.getRuntime().halt(CrashPlan.HALTED);
        }
    }

    private static DataSource dataSource(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url + ";DB_CLOSE_DELAY=-1");
        dataSource.setUser("sa");
        return dataSource;
    }

    private static Inbox<JdbcContext> inbox(DataSource dataSource) {
        return Inbox.builder(RUN, JdbcStore.create(dataSource))
                .handle("good", PayloadDecoder.text(), (payload, context) -> Database.write(context, RUN))
                .build();
    }

    private static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(number -> Message.builder("stories")
                        .id(RUN + " " + number)
                        .type("good")
                        .payload("x")
                        .build())
                .toList();
    }

    @Test
    void fileThatIsWrittenWithoutDelayKeepsEverythingWhenItsProcessIsHalted() throws Exception {
        String durable = url + ";WRITE_DELAY=0";
        ChildJvm dying = ChildJvm.start(Dying.class, Database.directory().resolve("h2-crash.out"), List.of(durable));
        assertThat(dying.exitCode()).as(dying.output()).isEqualTo(CrashPlan.HALTED);
        List<String> sent = messages().stream().map(WorkStory::id).toList();
        assertThat(dying.output().lines()).containsAll(sent);

        DataSource dataSource = dataSource(durable);
        assertThat(Database.effects(dataSource, RUN)).containsExactlyElementsOf(sent);
        assertThat(inbox(dataSource).process(messages()))
                .extracting(Outcome::kind)
                .containsOnly(Outcome.Kind.DUPLICATE);
        assertThat(Database.effects(dataSource, RUN)).hasSize(MESSAGES);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }

    @Test
    void fileThatIsWrittenWithADelayIsRefused() {
        Schema.apply(dataSource(url + ";WRITE_DELAY=0"));
        assertThatThrownBy(() -> JdbcStore.create(dataSource(url + ";WRITE_DELAY=500")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("500")
                .hasMessageContaining(";WRITE_DELAY=0");
    }

    @Test
    void fileThatIsWrittenWithTheDelayOfOldIsRefused() {
        assertThatThrownBy(() -> Schema.apply(dataSource(url)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(";WRITE_DELAY=0");
    }
}
