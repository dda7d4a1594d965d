package io.pigeonhole.jdbc;

import io.pigeonhole.testkit.contract.TransactionsContract;

/** Transactions that are bound to threads, on H2. */
class H2BoundTransactionsContractIT extends TransactionsContract<JdbcContext> {
    H2BoundTransactionsContractIT() {
        super(() -> SharedStore.boundFixtureOn(H2Server.FILES));
    }
}
