package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;

/** Transactions that are bound to threads, on each server. */
@OnEveryServer
class BoundTransactionsContractIT extends TransactionsContract<JdbcContext> {
    BoundTransactionsContractIT(PostgresServer server) {
        super(() -> SharedStore.boundFixtureOn(server));
    }
}
