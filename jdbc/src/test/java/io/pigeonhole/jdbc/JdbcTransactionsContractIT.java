package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;

/** Transactions of a data source, on each server. */
@OnEveryServer
class JdbcTransactionsContractIT extends TransactionsContract<JdbcContext> {
    JdbcTransactionsContractIT(PostgresServer server) {
        super(() -> SharedStore.fixtureOn(server));
    }
}
