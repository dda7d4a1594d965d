package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Dead letters that the database does not take as work, beside others that it takes. */
class RefusedRequeueIT {
    private static final Author ANN = new Author("ann", "again");
    private static final String TOO_LARGE = "x".repeat(200);

    private final String consumer = "refused " + UUID.randomUUID();

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all().limit(1), Stream.of(H2Server.FILES))
                .flatMap(servers -> servers);
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .payload(payload)
                .build();
    }

    private static JdbcStore storeThatTakesSmallWorkOnly(Workshop workshop) {
        workshop.execute("ALTER TABLE inbox_work ADD CONSTRAINT small_only CHECK (length(payload) < 100)");
        return JdbcStore.create(workshop.dataSource());
    }

    private InboxBuilder<JdbcContext> failing(JdbcStore store) {
        return Inbox.builder(consumer, store).handle("note", PayloadDecoder.text(), (payload, context) -> {
            throw new PermanentFailure("dead");
        });
    }

    @ParameterizedTest
    @MethodSource("servers")
    @Tag("B-principle")
    void letterThatIsDeliveredAgainAndNotTakenAsWorkStaysDead(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = failing(storeThatTakesSmallWorkOnly(workshop))
                    .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                    .build();
            List<Message> batch = List.of(message(TOO_LARGE), message("small"));
            inbox.process(batch.get(0));

            assertThat(inbox.process(batch)).extracting(Outcome::kind).containsExactly(Kind.DUPLICATE, Kind.DEAD);
            assertThat(inbox.process(batch)).extracting(Outcome::kind).containsOnly(Kind.DUPLICATE);
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("1");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    @Tag("B-principle")
    void bulkRequeueRefusesTheLetterThatIsNotTakenAndMovesTheOthers(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = storeThatTakesSmallWorkOnly(workshop);
            Inbox<JdbcContext> inbox = failing(store).build();
            Message tooLarge = message(TOO_LARGE);
            inbox.process(List.of(message("a"), message("b"), tooLarge, message("c"), message("d")));
            Admin admin = store.admin();

            assertThat(admin.requeue(admin.select(DeadLetterFilter.of(consumer)), Requeue.atOnce(), ANN))
                    .isEqualTo(new RequeueReport(4, 0, 1, 0, null));
            assertThat(workshop.ask("SELECT count(*) FROM inbox_work")).isEqualTo("4");
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("1");
            Answer answer = admin.requeue(
                    consumer,
                    inbox.registered().keys().keyOf("notes", Objects.requireNonNull(tooLarge.id())),
                    Requeue.atOnce(),
                    ANN);
            assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
            assertThat(answer.detail()).contains("the database does not take");
        }
    }
}
