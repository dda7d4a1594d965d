package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.MySQLExceptionSorter;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.jdbc.sql.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a connection that the inbox gives up: its place in the pool, here the only one, is free again. */
@ParameterizedClass
@MethodSource("servers")
@Tag("C8")
@Tag("full")
class OtherPoolsIT {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final Workshop workshop;
    private final String url;

    /** H2's driver cannot end a connection. */
    static List<DatabaseServer> servers() {
        return List.of(PostgresServers.embedded(), MariaDbServers.embedded());
    }

    OtherPoolsIT(DatabaseServer server) {
        this.workshop = server.schema();
        this.url = workshop.url();
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    /** As behind a handler that hangs: c3p0 knows only of itself that a connection is closed. */
    @Test
    void placeOfAConnectionThatIsGivenUpTwiceIsFreeAgain() throws SQLException {
        try (HikariDataSource pool = hikari()) {
            isFreeAgain(pool);
        }
        try (AgroalDataSource pool = agroal()) {
            isFreeAgain(pool);
        }
        ComboPooledDataSource pool = new ComboPooledDataSource();
        pool.setJdbcUrl(url);
        pool.setInitialPoolSize(1);
        pool.setMinPoolSize(1);
        pool.setMaxPoolSize(1);
        pool.setCheckoutTimeout(5_000);
        try {
            isFreeAgain(pool);
        } finally {
            pool.close();
        }
    }

    private static void isFreeAgain(DataSource pool) throws SQLException {
        for (int i = 0; i < 3; i++) {
            Connection connection = pool.getConnection();
            connection.setAutoCommit(false);
            connection.prepareStatement("SELECT 1").execute();
            Connections.abort(connection);
            Connections.abort(connection);
            Connections.succeeds("closed", connection::close);
        }
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    private HikariDataSource hikari() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(1);
        pool.setConnectionTimeout(5_000);
        return pool;
    }

    @Test
    void placeOfAConnectionThatIsGivenUpIsFreeAgainInHikari() {
        try (HikariDataSource pool = hikari()) {
            worksOnBehindHandlersThatTakeTooLong(pool);
        }
    }

    /** Up to 3.0 it never takes back what is aborted through it. */
    @Test
    void placeOfAConnectionThatIsGivenUpIsFreeAgainInAgroal() throws SQLException {
        try (AgroalDataSource pool = agroal()) {
            worksOnBehindHandlersThatTakeTooLong(pool);
        }
    }

    private AgroalDataSource agroal() throws SQLException {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(settings -> settings.maxSize(1)
                        .acquisitionTimeout(Duration.ofSeconds(5))
                        .exceptionSorter(
                                url.startsWith("jdbc:postgresql:")
                                        ? new PostgreSQLExceptionSorter()
                                        : new MySQLExceptionSorter())
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
    }

    @Test
    void placeOfAConnectionThatIsGivenUpIsFreeAgainInTomcatsThatTestsWhatItHandsOut() {
        PoolProperties settings = tomcat();
        settings.setTestOnBorrow(true);
        settings.setValidationInterval(0);
        settings.setValidationQuery("SELECT 1");
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(settings);
        try {
            worksOnBehindHandlersThatTakeTooLong(pool);
        } finally {
            pool.close(true);
        }
    }

    private PoolProperties tomcat() {
        PoolProperties settings = new PoolProperties();
        settings.setUrl(url);
        settings.setMaxActive(1);
        settings.setInitialSize(1);
        settings.setMaxWait(5_000);
        return settings;
    }

    @Test
    void poolThatHandsOutClosedConnectionsIsToldHowNotTo() throws SQLException {
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(tomcat());
        try {
            JdbcStore store = JdbcStore.create(pool);
            try (Connection connection = pool.getConnection()) {
                connection.unwrap(Connection.class).abort(Runnable::run);
            }
            assertThatThrownBy(store::probe)
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("testOnBorrow");
        } finally {
            pool.close(true);
        }
    }

    private void worksOnBehindHandlersThatTakeTooLong(DataSource pool) {
        CountDownLatch never = new CountDownLatch(1);
        Inbox<JdbcContext> inbox = Inbox.builder("pools", JdbcStore.create(pool))
                .handlerTimeout(LIMIT)
                .retry(RetryPolicy.never())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.startsWith("slow")) {
                        awaitPast(never);
                    }
                    context.defer("INSERT INTO effect (text) VALUES (?)", payload);
                })
                .build();
        assertThat(inbox.process(note("slow")).kind()).isEqualTo(Outcome.Kind.DEAD);
        assertThat(inbox.process(note("next")).kind()).isEqualTo(Outcome.Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect")).containsExactly("next");
    }

    /** Whatever interrupts it: the database has ended the session by then. */
    private static void awaitPast(CountDownLatch never) {
        long end = System.nanoTime() + LIMIT.multipliedBy(3).dividedBy(2).toNanos();
        while (System.nanoTime() < end) {
            try {
                never.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.interrupted();
            }
        }
    }

    private static Message note(String id) {
        return Message.builder("queue").id(id).type("note").payload(id).build();
    }
}
