package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;

/** Transactions of a data source, on each server. */
@OnEveryServer
class DataSourceTransactionsContractIT extends TransactionsContract<JdbcContext> {
    DataSourceTransactionsContractIT(PostgresServer server) {
        super(() -> SharedStore.fixtureOn(server));
    }
}
