package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Transactions that are bound to threads, on each MariaDB. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbBoundTransactionsContractIT extends TransactionsContract<JdbcContext> {
    MariaDbBoundTransactionsContractIT(MariaDbServer server) {
        super(() -> SharedStore.boundFixtureOn(server));
    }
}
