package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims that take more than one statement, while another program moves the beginning of the ledger between these. */
class ClaimWhileDaysGoIT {
    /** More than one statement asks about. */
    private static final int MESSAGES = 600;

    static Stream<DatabaseServer> servers() {
        return Stream.concat(Stream.of(H2Server.FILES), MariaDbServers.all());
    }

    /** Called duplicates, they would be acknowledged and lost. */
    @ParameterizedTest
    @MethodSource("servers")
    @Tag("A8")
    void newMessagesOfALargeClaimAreProcessedOrLateAndNeverDuplicates(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Instant now = Instant.now();
            MessageKey later = MessageKey.firstOf(now.plus(Duration.ofHours(1)).toEpochMilli());
            DataSource interposed = InterposedDataSource.before(
                    2,
                    "inbox_ledger AS l",
                    workshop.dataSource(),
                    () -> workshop.execute("UPDATE inbox_ledger_bounds SET oldest = ?", server.parameter(later)));
            Inbox<JdbcContext> inbox = Inbox.builder("large", JdbcStore.create(interposed))
                    .handle(
                            "note",
                            PayloadDecoder.text(),
                            (text, context) -> context.defer("INSERT INTO effect (text) VALUES (?)", text))
                    .build();

            List<Outcome> outcomes = inbox.process(messages(now.plusSeconds(1)));

            assertThat(workshop.askKey("SELECT oldest FROM inbox_ledger_bounds"))
                    .isEqualTo(later);
            assertThat(outcomes).extracting(Outcome::kind).doesNotContain(Outcome.Kind.DUPLICATE);
            long processed = outcomes.stream()
                    .filter(outcome -> outcome.kind() == Outcome.Kind.PROCESSED)
                    .count();
            assertThat(workshop.askAll("SELECT text FROM effect")).hasSize((int) processed);
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).hasSize(MESSAGES - (int) processed);
        }
    }

    /** What was accepted is a duplicate by the days that the claim began with; by those at its end it would be late. */
    @ParameterizedTest
    @MethodSource("servers")
    @Tag("F67")
    void duplicateIsNotLateWhenTheLedgerMovesOnDuringTheClaim(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Instant now = Instant.now();
            MessageKey later = MessageKey.firstOf(now.plus(Duration.ofHours(1)).toEpochMilli());
            DataSource interposed = InterposedDataSource.before(
                    2,
                    "SELECT h.oldest FROM",
                    workshop.dataSource(),
                    () -> workshop.execute("UPDATE inbox_ledger_bounds SET oldest = ?", server.parameter(later)));
            StoreLab lab = StoreLab.of(interposed);
            List<MessageKey> keys = messages(now.plusSeconds(1)).subList(0, 2).stream()
                    .map(lab::keyOf)
                    .toList();
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                transaction.claim(lab.consumer(), keys, StoreLab.LONG);
                transaction.commit();
            }
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Claim claim = transaction.claim(lab.consumer(), keys, StoreLab.LONG);
                assertThat(claim.claimed()).isEmpty();
                assertThat(keys).noneMatch(claim::isLate);
                assertThat(workshop.askKey("SELECT oldest FROM inbox_ledger_bounds"))
                        .isEqualTo(later);
            }
        }
    }

    private static List<Message> messages(Instant at) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            UUID id = new UUID(
                    at.toEpochMilli() << 16 | 0x7000 | i, UUID.randomUUID().getLeastSignificantBits());
            messages.add(Message.builder("notes")
                    .id(id.toString())
                    .type("note")
                    .payload("note " + i)
                    .build());
        }
        return messages;
    }
}
