package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DueSearchTest {
    private final RegisteredConsumer damaged = consumer(1, "damaged");
    private final RegisteredConsumer sound = consumer(2, "sound");
    private final Due ofSound = new Due(sound, Backlog.Kind.ORDINARY, 3, Duration.ofSeconds(5));
    private final Set<RegisteredConsumer> refused = new HashSet<>();
    private ErrorClass errorClass = ErrorClass.UNKNOWN;

    private static RegisteredConsumer consumer(int id, String name) {
        return new RegisteredConsumer(
                (short) id, name, new KeyScheme(KeyScheme.ALWAYS_DIGEST, false), KeyOrder.NONE, 4, Deduplication.IDS);
    }

    private List<Due> ask(Collection<RegisteredConsumer> consumers) {
        if (consumers.stream().anyMatch(refused::contains)) {
            throw new StoreException(errorClass, "invalid page in block 4", null);
        }
        return consumers.contains(sound) ? List.of(ofSound) : List.of();
    }

    @Test
    void workOfOneConsumerThatCannotBeLookedForIsTriedEverywhereAndThatOfOthersIsFound() {
        DueSearch search = new DueSearch(this::ask, List.of(damaged, sound));
        assertThat(search.due()).containsExactly(ofSound);
        assertThat(search.problems()).isEmpty();

        refused.add(damaged);
        assertThat(search.due())
                .contains(ofSound, new Due(damaged, Backlog.Kind.EXPIRING, -1, Duration.ZERO))
                .contains(
                        new Due(damaged, Backlog.Kind.ORDINARY, 0, Duration.ZERO),
                        new Due(damaged, Backlog.Kind.BY_LEASE, 3, Duration.ZERO))
                .hasSize(10);
        assertThat(search.problems()).singleElement().asString().contains("'damaged'", "invalid page in block 4");

        refused.clear();
        assertThat(search.due()).containsExactly(ofSound);
        assertThat(search.problems()).isEmpty();
    }

    @Test
    void onlyConsumerIsNotAskedForOnceMore() {
        refused.add(damaged);
        assertThat(new DueSearch(this::ask, List.of(damaged)).due()).hasSize(9);
    }

    @Test
    void databaseThatIsAwayIsNoRefusal() {
        refused.add(damaged);
        errorClass = ErrorClass.UNAVAILABLE;
        DueSearch search = new DueSearch(this::ask, List.of(damaged, sound));

        assertThatThrownBy(search::due).isInstanceOf(StoreException.class);
        assertThat(search.problems()).isEmpty();
    }
}
