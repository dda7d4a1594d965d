package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of MariaDB that no rollback undoes: a key of the ledger would stay where the effect of its message is gone. */
@Tag("D12")
class TableEnginesIT {
    @ParameterizedTest
    @CsvSource({"inbox_ledger, MyISAM", "inbox_work, Aria", "inbox_ledger_bounds, MEMORY"})
    void tableOfAnotherEngineIsRefused(String table, String engine) {
        try (Workshop workshop = MariaDbServers.embedded().schema()) {
            JdbcStore.create(workshop.dataSource());
            workshop.execute("ALTER TABLE " + table + " ENGINE = " + engine);

            assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(table + " has the engine " + engine)
                    .hasMessageContaining("ALTER TABLE " + table + " ENGINE = InnoDB");
        }
    }
}
