package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.H2;
import io.pigeonhole.jdbc.dialect.Products;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.generic.PlainDays;
import io.pigeonhole.jdbc.generic.PlainSchema;
import io.pigeonhole.jdbc.schema.Catalog;
import io.pigeonhole.jdbc.schema.SchemaFiles;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema on databases that commit each definition by itself. */
@ParameterizedClass
@MethodSource("servers")
class PlainSchemaIT {
    private final Workshop workshop;

    PlainSchemaIT(DatabaseServer server) {
        this.workshop = server.emptySchema();
    }

    static Stream<DatabaseServer> servers() {
        return Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES));
    }

    @AfterEach
    void drop() {
        workshop.close();
    }

    private Catalog installed() {
        ConnectionSource connections = workshop.dataSource()::getConnection;
        return PlainBoundary.transactions(connections, dialect()).run("to read the catalog", PlainSchema::read);
    }

    private Dialect dialect() {
        Dialect dialect = Products.find(workshop.dataSource()::getConnection);
        if (dialect == null) {
            throw new AssertionError("PostgreSQL has no dialect");
        }
        return dialect;
    }

    @Test
    void applyCreatesExactlyWhatValidateExpects() {
        Schema.apply(workshop.dataSource());

        Schema.validate(workshop.dataSource());
        assertThat(installed().entries())
                .isEqualTo(Catalog.parse(SchemaFiles.read(dialect().schema(), "catalog.txt"))
                        .entries());
    }

    @Test
    void applyMayBeRepeatedAndCompletesWhatWasInterrupted() {
        List<String> statements = PlainSchema.statements(Schema.print(dialect() instanceof H2 ? "h2" : "mariadb"));
        statements.subList(0, statements.size() / 2).forEach(workshop::execute);

        Schema.apply(workshop.dataSource());
        Schema.apply(workshop.dataSource());

        assertThat(workshop.askAll("SELECT version FROM inbox_schema ORDER BY version"))
                .containsExactly("1", "2", "3");
        assertThat(workshop.askAll("SELECT only_row FROM inbox_ledger_bounds")).hasSize(1);
    }

    @Test
    void manyProgramsMayApplyAtOnce() {
        List<CompletableFuture<Void>> all = IntStream.range(0, 4)
                .mapToObj(
                        i -> CompletableFuture.runAsync(() -> Schema.apply(workshop.dataSource()), OwnThread.FOR_EACH))
                .toList();
        all.forEach(CompletableFuture::join);

        Schema.validate(workshop.dataSource());
        assertThat(workshop.askAll("SELECT version FROM inbox_schema ORDER BY version"))
                .containsExactly("1", "2", "3");
    }

    @Test
    void validateAcceptsTablesThatAnotherProgramIsGivingDays() {
        Schema.apply(workshop.dataSource());
        ShortTransactions transactions = PlainBoundary.transactions(workshop.dataSource()::getConnection, dialect());
        CompletableFuture<Void> days = CompletableFuture.runAsync(
                () -> IntStream.range(0, 40)
                        .forEach(i -> new PlainDays(transactions, dialect(), Schema.DAYS_AHEAD + i).ensure()),
                OwnThread.FOR_EACH);

        do {
            Schema.validate(workshop.dataSource());
        } while (!days.isDone());

        days.join();
    }

    @Test
    void poolOfOneConnectionIsEnough() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(2_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Schema.apply(pool);
            StoreLab lab = StoreLab.of(pool);
            lab.store().maintain();
            lab.store().probe();
            assertThat(lab.store().due(List.of(lab.consumer()))).isEmpty();
            assertThat(lab.isNew(StoreLab.message())).isTrue();
        }
    }

    @Test
    void differencesAreListed() {
        Schema.apply(workshop.dataSource());
        workshop.execute("ALTER TABLE inbox_attempt DROP COLUMN stack");
        workshop.execute("DROP TABLE inbox_start");

        assertThatThrownBy(() -> JdbcStore.create(workshop.dataSource()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("inbox_attempt.stack is missing")
                .hasMessageContaining("inbox_start is missing")
                .hasMessageContaining(dialect().schema());
    }
}
