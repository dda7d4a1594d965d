package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A dead letter that a user's trigger refuses stops no other message. */
@Tag("D12")
class RefusedDeadLetterIT {
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.PostgresServers#all")
    void deadLetterThatATriggerRefusesStopsNoOther(PostgresServer server) {
        try (Workshop workshop = server.schema()) {
            workshop.execute(
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN IF NEW.type = ''audited'' THEN RAISE EXCEPTION ''the audit is away''; END IF; RETURN NEW; END'");
            workshop.execute(
                    "CREATE TRIGGER audited BEFORE INSERT ON inbox_dead_letter FOR EACH ROW EXECUTE FUNCTION refuse()");
            Inbox<JdbcContext> inbox = Inbox.builder("notes", JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> handled.add(payload))
                    .handle("audited", PayloadDecoder.text(), (payload, context) -> {
                        throw new IllegalArgumentException("no such account");
                    })
                    .retry(RetryPolicy.never())
                    .build();

            List<Outcome> outcomes = process(inbox);

            assertThat(outcomes)
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.BUSY, Outcome.Kind.PROCESSED);
            assertThat(outcomes.get(1)).asString().contains("the audit is away");
            assertThat(handled).contains("note 1", "note 3");

            workshop.execute("DROP TRIGGER audited ON inbox_dead_letter");
            assertThat(process(inbox))
                    .extracting(Outcome::kind)
                    .containsExactly(Outcome.Kind.DUPLICATE, Outcome.Kind.DEAD, Outcome.Kind.DUPLICATE);
        }
    }

    private static List<Outcome> process(Inbox<JdbcContext> inbox) {
        return inbox.process(Stream.of("note 1", "audited 2", "note 3")
                .map(RefusedDeadLetterIT::message)
                .toList());
    }

    private static Message message(String payload) {
        return Message.builder("notes")
                .id("id " + payload)
                .type(payload.substring(0, payload.indexOf(' ')))
                .payload(payload)
                .build();
    }
}
