package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

            assertThatThrownBy(() -> inbox.process(messages("1", "2", "3"))).isInstanceOf(RetryableException.class);
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

    /** Ids with a time have a part of the ledger for each day, those without one have another. */
    @ParameterizedTest
    @ValueSource(strings = {"<", ">="})
    void damagedPartOfTheLedgerStopsNoMessageOfAnother(String which) {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            inbox.forSources().probeClaim();
            refuse(workshop, "NEW.message_key " + which + " ''ff000000-0000-0000-0000-000000000000''");
            boolean isOfDays = which.equals("<");

            List<Outcome> outcomes = inbox.process(messages(timeOrdered(), "1", timeOrdered(), "2"));
            assertThat(outcomes).extracting(Outcome::settled).containsExactly(!isOfDays, isOfDays, !isOfDays, isOfDays);
            assertThat(inbox.forSources().heldBack()).contains("invalid page in block 7");
            // A source of a broker that counts deliveries takes nothing when it begins.
            assertThatThrownBy(() -> inbox.forSources().probeClaim()).isInstanceOf(StoreException.class);
        }
    }

    private static String timeOrdered() {
        return timeOrdered(Instant.now());
    }

    private static String timeOrdered(Instant created) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }

    /** Also without an order: whoever asks for none gets messages of a key in their order as long as none of them fails. */
    @Test
    void thoseBehindItWithItsKeyWaitAndTheSourceSaysWhy() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            refuse(workshop, "NEW.message_key = ''" + refusedKey(workshop) + "''");
            List<Message> messages =
                    List.of(keyed("first", "a"), keyed("refused", "a"), keyed("second", "a"), keyed("other", "b"));

            assertThat(inbox.process(messages))
                    .extracting(Outcome::kind)
                    .containsExactly(
                            Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            assertThat(inbox.forSources().heldBack()).contains("refused", "invalid page in block 7");

            workshop.execute("DROP TRIGGER damaged ON inbox_ledger");
            inbox.process(messages);
            assertThat(handled).containsExactly("first", "other", "refused", "second");
        }
    }

    private static Message keyed(String id, String key) {
        return Message.builder("queue")
                .id(id)
                .type("note")
                .orderingKey(key)
                .payload(id)
                .build();
    }

    /** Its key in digest form is asked for first. */
    @Test
    void messageWithATimeFarAheadIsBusyAndTheOthersGoOn() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop, KeyOrder.NONE);
            String farAhead = timeOrdered(Instant.now().plus(Duration.ofDays(1_000)));
            MessageKey digest = KeyScheme.digestKeyOf("queue", MessageId.of(farAhead));
            refuse(workshop, "NEW.message_key = ''" + digest + "''");

            List<Outcome> outcomes = inbox.process(messages("1", farAhead, "2"));
            assertThat(outcomes)
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            assertThat(outcomes.get(1)).asString().contains("invalid page in block 7");
            assertThat(inbox.forSources().heldBack()).contains(farAhead, "invalid page in block 7");

            workshop.execute("CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN RAISE EXCEPTION ''invalid page in block 8'' USING ERRCODE = ''XX001''; END'");
            // That others are taken is known for a moment.
            await().untilAsserted(() -> assertThatThrownBy(() -> inbox.process(messages("3", farAhead)))
                    .isInstanceOf(RetryableException.class));
        }
    }

    /** With the same id, and so with another key where the first is not known by its digest yet. */
    @Test
    void messageWithAnotherPayloadDoesNotTakeItsPlace() {
        try (Workshop workshop = PostgresServers.embedded().schema()) {
            Inbox<JdbcContext> inbox = Inbox.builder("notes", JdbcStore.create(workshop.dataSource()))
                    .detectConflicts()
                    .handle("note", PayloadDecoder.text(), (payload, context) -> handled.add(payload))
                    .build();
            String farAhead = timeOrdered(Instant.now().plus(Duration.ofDays(1_000)));
            workshop.execute("CREATE SEQUENCE asked");
            refuse(
                    workshop,
                    "NEW.message_key = ''" + KeyScheme.digestKeyOf("queue", MessageId.of(farAhead))
                            + "'' AND nextval(''asked'') = 1");

            assertThat(inbox.process(List.of(withPayload(farAhead, "first"), withPayload(farAhead, "second"))))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.BUSY, Outcome.Kind.BUSY);
            assertThat(handled).isEmpty();
        }
    }

    private static Message withPayload(String id, String payload) {
        return Message.builder("queue").id(id).type("note").payload(payload).build();
    }
}
