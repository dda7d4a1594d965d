package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.sql.Errors;
import java.sql.Connection;

/** What a {@link JdbcStore} does on one kind of database. Safe for use by many threads. */
public interface Database extends InboxStore<JdbcContext> {
    /** Creates the days that are missing ahead. */
    void createDays();

    /** Looks at the numbers of rows and at the clock, from which ages count. Days are created apart. */
    @Override
    void maintain();

    /** The ledger in a transaction of the caller. */
    Ledger ledger(Connection connection);

    /** What its errors mean. */
    Errors errors();

    @Override
    default ErrorClass classify(Throwable failure) {
        return errors().classify(failure);
    }

    /** How much there is. */
    Sizes sizes();

    /** Lets ages count from what the database's clock says. */
    Answer confirmClock(Author by);

    /** What the admin API needs of it; the same at every call. */
    AdminDatabase admin();
}
