package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A claim that the database refuses for one key, as with a damaged page of the ledger, stops no other message. */
@Tag("D12")
class RefusedClaimIT {
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

    private Inbox<JdbcContext> inbox(Workshop workshop, KeyOrder order) {
        return Inbox.builder("notes", JdbcStore.create(workshop.dataSource()))
                .order(order)
                .handle("note", PayloadDecoder.text(), (payload, context) -> handled.add(payload))
                .build();
    }

    private static List<Message> messages(String... ids) {
        return Stream.of(ids)
                .map(id ->
                        Message.builder("queue").id(id).type("note").payload(id).build())
                .toList();
    }

    private static MessageKey refusedKey(Workshop workshop) {
        return JdbcStore.create(workshop.dataSource()).admin().keyOf("notes", "queue", MessageId.of("refused"));
    }

    private static void refuse(Workshop workshop, String condition) {
        workshop.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF " + condition
                        + " THEN RAISE EXCEPTION ''invalid page in block 7'' USING ERRCODE = ''XX001''; END IF; RETURN NEW; END'");
        workshop.execute("CREATE TRIGGER damaged BEFORE INSERT ON inbox_ledger FOR EACH ROW EXECUTE FUNCTION refuse()");
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void messageIsBusyAndTheOthersGoOn(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            refuse(workshop, "NEW.message_key = ''" + refusedKey(workshop) + "''");

            List<Outcome> outcomes = inbox.process(messages("1", "2", "refused", "3"));

            assertThat(outcomes)
                    .extracting(Outcome::kind)
                    .containsExactly(
                            Outcome.Kind.PROCESSED, Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            assertThat(outcomes.get(2)).asString().contains("invalid page in block 7");
            assertThat(inbox.process(messages("refused")))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.BUSY);
            assertThat(handled).containsExactly("1", "2", "3");

            workshop.execute("DROP TRIGGER damaged ON inbox_ledger");
            assertThat(inbox.process(messages("refused")))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.PROCESSED);
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void messageIsBusyAndTheOthersGoOnOnMariaDb(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            workshop.execute("CREATE TRIGGER damaged BEFORE INSERT ON inbox_ledger FOR EACH ROW IF NEW.message_key = x'"
                    + refusedKey(workshop).toString().replace("-", "")
                    + "' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'page is corrupted'; END IF");

            assertThat(inbox.process(messages("1", "refused", "2")))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            assertThat(inbox.process(messages("refused")))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.BUSY);
            assertThat(handled).containsExactly("1", "2");
        }
    }

    /** A broker may count how often it gets one back. */
    @Test
    void nothingIsGivenBackWhereEveryClaimIsRefused() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            refuse(workshop, "true");

            assertThatThrownBy(() -> inbox.process(messages("1", "2", "3")))
                    .isInstanceOf(RetryableException.class)
                    .hasMessageContaining("for 3 messages");
            assertThatThrownBy(() -> inbox.process(messages("1"))).isInstanceOf(RetryableException.class);
            assertThat(handled).isEmpty();
        }
    }

    @Test
    void nothingPassesTheMessageWhereAnOrderIsKept() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.SKIP_DEAD_LETTERS);
            refuse(workshop, "NEW.message_key = ''" + refusedKey(workshop) + "''");

            assertThatThrownBy(() -> inbox.process(messages("1", "refused", "2")))
                    .isInstanceOf(RetryableException.class);
            assertThat(handled).isEmpty();
        }
    }
}
