package io.pigeonhole.retention;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.jdbc.DatabaseClock;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.jdbc.Workshop;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A PostgreSQL schema with a clock that can be moved, a consumer, and ids of any time. */
final class RetentionLab implements AutoCloseable {
    private static final int MOST_PIECES = 10_000;
    private static final int PART = 500;
    private static final int POOL = 8;

    final Workshop workshop = PostgresServers.embedded().emptySchema();
    final DatabaseClock clock = new DatabaseClock(workshop);
    final HikariDataSource database = pool(clock.url());
    private final JdbcStore person;
    private Duration moved = Duration.ZERO;

    /** Creates the tables as of now. */
    RetentionLab() {
        this(Duration.ZERO);
    }

    /** Creates the tables so much later. */
    RetentionLab(Duration later) {
        clock.advance(later);
        moved = later;
        Schema.apply(database);
        person = store();
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(PostgresServers.dataSource(url));
        config.setMaximumPoolSize(POOL);
        return new HikariDataSource(config);
    }

    JdbcStore store() {
        return JdbcStore.create(database);
    }

    RegisteredConsumer consumer(JdbcStore store, String name) {
        return store.register(new ConsumerRegistration(name, IdForm.TIME_ORDERED));
    }

    /** About what the database's clock says. */
    Instant now() {
        return SystemTime.clock().instant().plus(moved);
    }

    /** As if the time had passed: somebody confirms it. */
    void advance(Duration duration) {
        clock.advance(duration);
        moved = moved.plus(duration);
        person.admin().confirmClock(new Author("ann", "time passed"));
    }

    static String timeOrdered(Instant created) {
        UUID random = UUID.randomUUID();
        long high = created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xFFF);
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }

    static MessageKey key(KeyScheme keys, String id) {
        return keys.keyOf("ticks", MessageId.of(id));
    }

    /** Keys of now and without a time, half of each. */
    List<MessageKey> keys(RegisteredConsumer consumer, int count) {
        List<MessageKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = i % 2 == 0 ? timeOrdered(now().plusSeconds(1)) : "id " + UUID.randomUUID();
            keys.add(key(consumer.keys(), id));
        }
        keys.sort(null);
        return keys;
    }

    static Claim claim(JdbcStore store, RegisteredConsumer consumer, List<MessageKey> keys) {
        try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
            Claim claim = transaction.claim(consumer, keys, Duration.ofSeconds(20));
            transaction.commit();
            return claim;
        }
    }

    void claimAll(JdbcStore store, RegisteredConsumer consumer, List<MessageKey> keys) {
        for (int i = 0; i < keys.size(); i += PART) {
            claim(store, consumer, keys.subList(i, Math.min(i + PART, keys.size())));
        }
    }

    /** Prepares the coming days and forgets all that is due. */
    static int forget(JdbcStore store) {
        store.maintain();
        int days = 0;
        Retired done = store.retire();
        for (int i = 0; done.more(); i++) {
            assertThat(i).as("pieces").isLessThan(MOST_PIECES);
            days += done.days();
            done = store.retire();
        }
        return days;
    }

    /** The days that a table has, detached ones included. */
    List<String> tables(String table) {
        return workshop.askAll(
                "SELECT right(c.relname, 8) FROM pg_class AS c WHERE c.relnamespace = CAST(current_schema() AS regnamespace)"
                        + " AND c.relkind = 'r' AND c.relname ~ ? ORDER BY 1",
                "^" + table + "_[0-9]{8}$");
    }

    /** What tables should be there: from so many days ago to eight days ahead. */
    List<String> days(int ago) {
        LocalDate today = LocalDate.ofInstant(now(), ZoneOffset.UTC);
        return today.minusDays(ago)
                .datesUntil(today.plusDays(9))
                .map(DateTimeFormatter.BASIC_ISO_DATE::format)
                .toList();
    }

    @Override
    public void close() {
        database.close();
        workshop.close();
    }
}
