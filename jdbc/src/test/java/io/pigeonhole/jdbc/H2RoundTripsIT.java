package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one message costs on H2, in statements, of which it keeps only a few compiled in each session. */
class H2RoundTripsIT {
    private final CountingDataSource counting =
            new CountingDataSource(H2Server.FILES.sharedSchema().dataSource());
    private final StoreLab lab = StoreLab.of(counting.dataSource());

    @Test
    void claimOfOneMessageAndCommitSetNoSavepointThatProvesNothing() {
        MessageKey key = lab.keyOf(StoreLab.message());
        counting.clear();
        assertThat(claimAndCommit(key)).isTrue();
        assertThat(counting.statements())
                .as(String.join("\n", counting.statements()))
                .hasSize(15);

        counting.clear();
        assertThat(claimAndCommit(key)).isFalse();
        assertThat(counting.statements())
                .as(String.join("\n", counting.statements()))
                .hasSize(13);
    }

    private boolean claimAndCommit(MessageKey key) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            boolean claimed = !transaction
                    .claim(lab.consumer(), List.of(key), StoreLab.LONG)
                    .claimed()
                    .isEmpty();
            transaction.commit();
            return claimed;
        }
    }
}
