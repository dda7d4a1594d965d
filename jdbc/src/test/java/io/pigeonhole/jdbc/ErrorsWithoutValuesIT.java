package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said of statements that a database refuses, on each of them. */
@ParameterizedClass
@MethodSource("servers")
class ErrorsWithoutValuesIT {
    private static final String SECRET = "secret";
    private static final int LONGEST_WITH_STACKS = 20_000;

    private final Workshop workshop;
    private final StoreLab lab;

    ErrorsWithoutValuesIT(DatabaseServer server) {
        workshop = server.schema();
        lab = StoreLab.of(workshop.dataSource());
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private static Message large() {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload(SECRET.repeat(40_000))
                .build();
    }

    private static void assertSaysNothingOfThePayload(StoreException refused) {
        StringWriter stack = new StringWriter();
        refused.printStackTrace(new PrintWriter(stack));
        String hex = HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.UTF_8));
        assertThat(stack.toString())
                .hasSizeLessThan(LONGEST_WITH_STACKS)
                .doesNotContainIgnoringCase(SECRET)
                .doesNotContainIgnoringCase(hex)
                .contains("SQLSTATE");
    }

    @Test
    @Tag("C2")
    void refusedMessagesAreNotRepeatedInTheError() {
        workshop.execute("ALTER TABLE inbox_work ADD CONSTRAINT small CHECK (octet_length(payload) < 1000)");
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            messages.add(large());
        }
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(
                    lab.consumer(), messages.stream().map(lab::keyOf).sorted().toList(), StoreLab.LONG);
            List<ReceivedMessage> received = messages.stream()
                    .map(message -> new ReceivedMessage(lab.keyOf(message), message, false))
                    .toList();

            assertSaysNothingOfThePayload(
                    catchThrowableOfType(StoreException.class, () -> transaction.receive(lab.consumer(), received)));
        }
    }

    @Test
    @Tag("C2")
    void parametersOfADeferredWriteAreNotRepeatedInTheError() {
        workshop.execute("CREATE TABLE note (id integer, text varchar(10))");
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            for (int i = 0; i < 3; i++) {
                JdbcContext context = lab.claimed(transaction);
                context.defer("INSERT INTO note VALUES (?, ?)", i, SECRET.repeat(40_000));
            }

            StoreException refused = catchThrowableOfType(StoreException.class, transaction::flush);
            String all = String.valueOf(refused.getMessage()) + refused.getCause();
            assertThat(all.length()).isLessThan(1_500);
        }
    }
}
