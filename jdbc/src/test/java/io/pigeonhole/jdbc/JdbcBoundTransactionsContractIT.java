package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;

/** Transactions that are bound to threads, on each server. */
@OnEveryServer
class JdbcBoundTransactionsContractIT extends TransactionsContract<JdbcContext> {
    JdbcBoundTransactionsContractIT(PostgresServer server) {
        super(() -> SharedStore.boundFixtureOn(server));
    }
}
