package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ForgottenAuditTest {
    private static final Author ANN = new Author("ann", "month end");

    private final MovedClock clock = new MovedClock();
    private final InMemoryStore store = InMemoryStore.create(clock);
    private final Admin admin = Admin.of(store);

    @Test
    void numberOfAChangeThatIsForgottenIsNotGivenAgain() {
        Inbox.builder("payments", store)
                .handle("payment", payload -> payload, (payload, context) -> {})
                .build();
        admin.pause("payments", ANN);
        admin.resume("payments", ANN);
        long last = entries().stream().mapToLong(AuditEntry::id).max().orElseThrow();

        clock.advance(Duration.ofDays(366));
        admin.confirmClock(ANN);
        store.retire();
        assertThat(entries()).isEmpty();
        admin.pause("payments", ANN);

        assertThat(entries())
                .singleElement()
                .satisfies(entry -> assertThat(entry.id()).isGreaterThan(last));
    }

    @Test
    @Tag("F43")
    void runsThatEndedLongAgoAreForgotten() {
        Inbox.builder("payments", store)
                .handle("payment", payload -> payload, (payload, context) -> {})
                .build();
        store.replays()
                .create(new ReplayPlan("ended", "payments", null, null, null, null, null, false), "ann", "a test");
        store.replays()
                .create(new ReplayPlan("open", "payments", null, null, null, null, null, false), "ann", "a test");
        store.replays().change("ended", ReplayState.WAITING, ReplayState.CANCELLED, "ann", "a test");

        clock.advance(Duration.ofDays(366));
        admin.confirmClock(ANN);
        store.retire();

        assertThat(store.replays().find("ended")).isEmpty();
        assertThat(store.replays().find("open")).isPresent();
    }

    private List<AuditEntry> entries() {
        return admin.audit("payments", PageRequest.first(10)).entries();
    }
}
