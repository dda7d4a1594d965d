package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.StoredMessage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A message that is larger than what the server takes in one packet. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class LargeMessageIT {
    private static final int MORE_THAN_A_PACKET = 17 * 1024 * 1024;

    private final MariaDbServer server;
    private final String consumer = "contract " + UUID.randomUUID();

    LargeMessageIT(MariaDbServer server) {
        this.server = server;
    }

    private static Message message(byte[] payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload(payload)
                .build();
    }

    @Test
    @Tag("B9")
    void messageThatFitsIntoNoPacketIsABareDeadLetterAndCostsNoOther() {
        try (StoreFixture<JdbcContext> fixture = SharedStore.fixtureOn(server)) {
            Inbox<JdbcContext> inbox = Inbox.builder(consumer, fixture.store())
                    .payloadLimit(2 * MORE_THAN_A_PACKET)
                    .handle("note", PayloadDecoder.bytes(), (payload, context) -> {
                        if (payload.length > 1) {
                            throw new IllegalStateException("not now");
                        }
                        fixture.write(context, "small");
                    })
                    .build();
            List<Message> messages =
                    List.of(message(new byte[1]), message(new byte[MORE_THAN_A_PACKET]), message(new byte[1]));

            assertThat(inbox.process(messages))
                    .extracting(Outcome::kind)
                    .containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
            assertThat(fixture.effects()).containsExactly("small", "small");
            assertThat(fixture.deadLetters(consumer))
                    .extracting(StoredMessage::reason)
                    .containsExactly(DeadReason.BYTES_NOT_STORED);
            assertThat(inbox.process(messages)).extracting(Outcome::kind).containsOnly(Kind.DUPLICATE);
        }
    }

    @Test
    @Tag("B9")
    void messageThatFitsIntoNoPacketOnceItIsMaskedIsABareDeadLetter() {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = failing(workshop.dataSource());

            assertThat(inbox.process(message(new byte[9_000_000])).kind()).isEqualTo(Kind.DEAD);
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsExactly("BYTES_NOT_STORED");
        }
    }

    @Test
    @Tag("B9")
    void messageThatFitsKeepsItsBytesHoweverOftenItsConnectionIsLost() {
        byte[] payload = new byte[9_000_000];
        Arrays.fill(payload, (byte) 'x');
        try (Workshop workshop = server.schema()) {
            AtomicInteger losses = new AtomicInteger(3);
            Inbox<JdbcContext> inbox = failing(losing(DataSource.class, workshop.dataSource(), losses));
            Message message = message(payload);
            List<Object> outcomes = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                try {
                    outcomes.add(inbox.process(message).kind());
                } catch (RetryableException e) {
                    outcomes.add("again");
                }
            }

            assertThat(losses.get()).isLessThanOrEqualTo(0);
            assertThat(outcomes).contains(Kind.PARKED).doesNotContain(Kind.DEAD);
            assertThat(workshop.askAll("SELECT length(payload) FROM inbox_work"))
                    .containsExactly("9000000");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("0");
        }
    }

    private Inbox<JdbcContext> failing(DataSource connections) {
        return Inbox.builder(consumer, JdbcStore.create(connections))
                .payloadLimit(2 * MORE_THAN_A_PACKET)
                .handle("note", PayloadDecoder.bytes(), (payload, context) -> {
                    throw new IllegalStateException("not now");
                })
                .build();
    }

    private static final Pattern KEEPING =
            Pattern.compile("INSERT INTO\\b.*\\b(inbox_work|inbox_dead_letter)\\b", Pattern.DOTALL);

    /** Connections that are lost, so many times, as a message is to be kept. */
    private static <T> T losing(Class<T> type, T target, AtomicInteger left) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String sql = method.getName().equals("prepareStatement") ? String.valueOf(arguments[0]) : "";
                    boolean keeps = KEEPING.matcher(sql).find();
                    if (keeps && left.getAndDecrement() > 0) {
                        ((Connection) target).abort(Runnable::run);
                        throw new SQLNonTransientConnectionException("broken pipe", "08000");
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return answer instanceof Connection connection
                                ? losing(Connection.class, connection, left)
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
