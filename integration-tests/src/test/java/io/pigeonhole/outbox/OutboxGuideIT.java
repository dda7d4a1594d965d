package io.pigeonhole.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.relay.Relay;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.broker.InMemoryPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The example of {@code docs/outbox.md}: what stands between the marks is compared with it. */
class OutboxGuideIT {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BETWEEN_MARKS = Pattern.compile("// begin\\n(.*?) *// end", Pattern.DOTALL);

    @Test
    void messageOfAHandlerIsPublished() throws SQLException {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(
                Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"))) {
            postgres.createDatabase("guide");
            DataSource dataSource = postgres.dataSource("guide");
            Schema.apply(dataSource);
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE shipment (order_id text NOT NULL)");
            }
            InMemoryPublisher publisher = InMemoryBroker.create().publisher("shipping");
            // begin
            var store = JdbcStore.create(dataSource);

            var inbox = Inbox.builder("orders", store)
                    .handle("order.placed", PayloadDecoder.text(), (order, context) -> {
                        context.defer("INSERT INTO shipment (order_id) VALUES (?)", order);
                        context.outbox()
                                .append(OutboxMessage.to("shipping") // the name of a relay
                                        .key(order) // published in order
                                        .type("shipment.requested")
                                        .payload(order)
                                        .build());
                    })
                    .build();

            var relay = Relay.builder("shipping", store, publisher).build();

            var node = Node.builder(store).inbox(inbox).relay(relay).start();
            // end
            try (Node started = node) {
                Message message = Message.builder("shop")
                        .id("1")
                        .type("order.placed")
                        .payload("order 1")
                        .build();
                assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> publisher.published().size() == 1);
                assertThat(started.health().isHealthy()).isTrue();
            }
            assertThat(publisher.published().get(0).type()).isEqualTo("shipment.requested");
        }
    }

    @Test
    void exampleIsThatOfThePage() throws IOException {
        String page = Files.readString(Path.of("../docs/outbox.md"));
        String source = Files.readString(Path.of("src/test/java/io/pigeonhole/outbox/OutboxGuideIT.java"));
        Matcher example = EXAMPLE.matcher(page);
        Matcher marked = BETWEEN_MARKS.matcher(source);

        assertThat(example.find()).isTrue();
        assertThat(marked.find()).isTrue();
        assertThat(withoutBlanks(marked.group(1))).isEqualTo(withoutBlanks(example.group(1)));
    }

    private static String withoutBlanks(String code) {
        return code.replaceAll("\\s+", " ").replace(" .", ".").strip();
    }
}
