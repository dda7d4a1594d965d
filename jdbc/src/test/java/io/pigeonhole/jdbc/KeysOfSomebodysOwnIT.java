package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Indexes that somebody adds to the tables, on all databases. */
@ParameterizedClass
@MethodSource("servers")
class KeysOfSomebodysOwnIT {
    private final Workshop workshop;

    KeysOfSomebodysOwnIT(DatabaseServer server) {
        workshop = server.schema();
    }

    static Stream<DatabaseServer> servers() {
        return AnyDatabase.all();
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    /** Otherwise a message of one consumer is a duplicate of another's, and one that dies never gets to the dead letters. */
    @Test
    void storeDoesNotBeginOnTablesWhoseUniqueIndexRefusesNewMessages() {
        workshop.execute("CREATE UNIQUE INDEX my_ledger ON inbox_ledger (message_key)");
        workshop.execute("CREATE UNIQUE INDEX my_work ON inbox_work (consumer_id, work_partition)");
        workshop.execute("CREATE UNIQUE INDEX my_letter ON inbox_dead_letter (message_key, died_at)");

        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("\n  inbox_ledger: UNIQUE (message_key) is a key of somebody's own")
                .hasMessageContaining("\n  inbox_work: UNIQUE (consumer_id, work_partition) is a key of somebody's own")
                .hasMessageContaining(
                        "\n  inbox_dead_letter: UNIQUE (message_key, died_at) is a key of somebody's own");
    }

    @Test
    void otherIndexesAreTheirOwnersBusiness() {
        for (String index : List.of(
                "INDEX my_ledger ON inbox_ledger (message_key)",
                "UNIQUE INDEX my_keys ON inbox_ledger (message_key, consumer_id)",
                "UNIQUE INDEX my_work ON inbox_work (work_partition, message_key, consumer_id)",
                "UNIQUE INDEX my_copy ON inbox_work (consumer_id, message_key)",
                "UNIQUE INDEX my_other_copy ON inbox_dead_letter (consumer_id, message_key)",
                "UNIQUE INDEX my_id ON inbox_work (due_at, id)",
                "UNIQUE INDEX my_attempt ON inbox_attempt (started_at, number)")) {
            workshop.execute("CREATE " + index);
        }

        assertThatCode(() -> JdbcStore.create(workshop.dataSource())).doesNotThrowAnyException();
    }
}
