package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A row of {@code inbox_consumer} holds a name that this version does not know. */
class ConsumerOfAnotherVersionIT {
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void nameThatIsNotKnownIsRefusedWithTheConsumerAndTheNamesThatAre(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            workshop.execute("UPDATE inbox_consumer SET key_order = 'PAST_DEAD_LETTERS'");

            assertThatThrownBy(() -> lab.store().admin().consumers())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll(
                            lab.consumer().name(), "KeyOrder 'PAST_DEAD_LETTERS'", "BLOCK_ON_DEAD_LETTERS");
        }
    }
}
