package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A server that was killed and comes back, first as a standby, then as the primary. */
class StandbyIT {
    @Test
    void standbyIsNobodysFailureAndThePrimaryGoesOnWhereItWas() throws IOException {
        Path directory = Path.of(System.getProperty("pigeonhole.target", "target"), "postgres");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(directory)) {
            server.createDatabase("inbox");
            Schema.apply(server.dataSource("inbox"));
            StoreLab lab = StoreLab.of(server.dataSource("inbox"));
            var message = StoreLab.message();
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, message);
                transaction.commit();
            }
            Path signal = server.dataDirectory().resolve("standby.signal");

            server.kill();
            assertThatThrownBy(() -> lab.store().probe()).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> lab.store().maintain()).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> lab.begin().close()).isInstanceOf(StoreUnavailableException.class);

            Files.createFile(signal);
            server.restart();
            assertThatThrownBy(() -> lab.store().probe())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("standby");
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Throwable refused = catchThrowable(
                        () -> transaction.claim(lab.consumer(), List.of(lab.keyOf(message)), StoreLab.LONG));
                assertThat(lab.store().classify(refused)).isEqualTo(ErrorClass.UNAVAILABLE);
            }

            server.kill();
            Files.delete(signal);
            server.restart();
            lab.store().probe();
            assertThat(lab.isNew(message)).isFalse();
            assertThat(lab.isNew(StoreLab.message())).isTrue();
        }
    }
}
