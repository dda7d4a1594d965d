package io.pigeonhole.article;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import org.postgresql.ds.PGSimpleDataSource;

/** The inventory service of the article, in a process that dies where it hurts. */
final class DyingService {
    private DyingService() {}

    /**
     * Arguments: JDBC URL, and {@code inline} to die after the business logic and before the commit, or {@code external} to
     * die in a handler that works under a lease.
     */
    public static void main(String[] arguments) {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(arguments[0]);
        JdbcStore store = JdbcStore.create(database);
        if (arguments[1].equals("inline")) {
            Inbox<JdbcContext> inbox = TransactionalInboxArticleIT.reducing(Inbox.builder(
                            "inventory", new CrashingStore<>(store, CrashPlan.haltAt(CrashPoint.BEFORE_COMMIT, 1))))
                    .build();
            inbox.process(TransactionalInboxArticleIT.order());
            return;
        }
        Inbox<JdbcContext> inbox = Inbox.builder("inventory", store)
                .<String>handleExternal("order.placed", PayloadDecoder.text(), (quantity, context) -> {
                    CrashPlan.halt().run();
                    throw new IllegalStateException("it lives on");
                })
                .build();
        inbox.process(TransactionalInboxArticleIT.order());
        inbox.work();
    }
}
