package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How seldom a node may maintain a store whose days run out. */
@Tag("D10")
class MaintenanceIntervalIT {
    private static void refuses(JdbcStore store, Duration interval, String limit) {
        assertThatThrownBy(() -> Node.builder(store)
                        .maintenanceInterval(interval)
                        .start()
                        .close())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("maintenanceInterval " + DurationText.of(interval))
                .hasMessageContaining("Set " + limit + " or less");
    }

    @Test
    void intervalIsAtMostHalfOfTheDaysAheadAndOfTheWindow() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            JdbcStore oneDay =
                    JdbcStore.builder(workshop.dataSource()).daysAhead(1).build();
            refuses(oneDay, Duration.ofDays(60), "12 hours");
            refuses(oneDay, Duration.ofHours(13), "12 hours");

            try (Node node = Node.builder(oneDay)
                    .maintenanceInterval(Duration.ofHours(12))
                    .start()) {
                assertThat(node).isNotNull();
            }
        }
    }

    /** Or else what is past its time stays for months after an outage. */
    @Test
    void agesCatchUpAfterAnOutageAtEveryInterval() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            JdbcStore week = JdbcStore.create(workshop.dataSource());
            JdbcStore twoDays = JdbcStore.builder(workshop.dataSource())
                    .window(Duration.ofDays(2))
                    .build();
            refuses(week, Duration.ofHours(84), "12 hours");
            refuses(week, Duration.ofHours(13), "12 hours");
            refuses(twoDays, Duration.ofHours(7), "6 hours");

            try (Node node = Node.builder(twoDays)
                    .maintenanceInterval(Duration.ofHours(6))
                    .start()) {
                assertThat(node).isNotNull();
            }
        }
    }

    @Test
    void hourIsAlwaysAllowed() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            JdbcStore shortWindow = JdbcStore.builder(workshop.dataSource())
                    .window(Duration.ofHours(1))
                    .build();
            try (Node node = Node.builder(shortWindow).start()) {
                assertThat(node).isNotNull();
            }
            refuses(shortWindow, Duration.ofHours(2), "1 hour");
        }
    }
}
