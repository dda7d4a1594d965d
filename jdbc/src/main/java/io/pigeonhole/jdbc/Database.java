package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import java.sql.Connection;

/** What a {@link JdbcStore} does on one kind of database. Safe for use by many threads. */
interface Database extends InboxStore<JdbcContext> {
    /** The ledger in a transaction of the caller. */
    Ledger ledger(Connection connection);

    /** How much there is. */
    Sizes sizes();

    /** What the admin API needs of it; the same at every call. */
    AdminDatabase admin();
}
