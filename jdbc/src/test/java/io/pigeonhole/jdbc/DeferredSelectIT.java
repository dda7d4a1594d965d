package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A SELECT that is deferred for what its function does. Drivers end one at its first rows where nobody reads the others. */
@OnEveryServer
@Tag("B2")
class DeferredSelectIT {
    private final PostgresServer server;
    private final Workshop workshop;

    DeferredSelectIT(PostgresServer server) {
        this.server = server;
        workshop = server.schema();
        workshop.execute("CREATE SEQUENCE calls");
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    private Inbox<JdbcContext> inbox(String parameters) {
        return Inbox.builder(
                        "select " + UUID.randomUUID(), JdbcStore.create(server.dataSource(workshop.url() + parameters)))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("returning")) {
                        context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?) RETURNING place", payload);
                    } else {
                        context.defer("SELECT nextval('calls') FROM generate_series(1, 100)");
                    }
                })
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&defaultRowFetchSize=10"})
    void allOfItIsExecuted(String parameters) {
        Inbox<JdbcContext> inbox = inbox(parameters);

        inbox.process(SessionLab.messages("alone"));
        assertThat(workshop.ask("SELECT last_value FROM calls")).isEqualTo("100");
        assertThat(inbox.process(SessionLab.messages("one", "of", "three"))).containsOnly(new Outcome.Processed());
        assertThat(workshop.ask("SELECT last_value FROM calls")).isEqualTo("400");
    }

    @Test
    void statementThatReturnsRowsIsNotSaidToHaveChangedNone() {
        assertThat(inbox("").process(SessionLab.messages("returning")).get(0).toString())
                .contains("returns rows")
                .contains("leave RETURNING out");
    }
}
