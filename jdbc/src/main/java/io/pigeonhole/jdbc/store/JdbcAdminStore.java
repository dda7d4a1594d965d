package io.pigeonhole.jdbc.store;

import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.BlockedKey;
import io.pigeonhole.core.admin.ConsumerSummary;
import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.MessageDetails;
import io.pigeonhole.core.admin.Page;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeuedPart;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.jdbc.admin.AdminChanges;
import io.pigeonhole.jdbc.admin.AdminReads;
import io.pigeonhole.jdbc.admin.Requeues;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an {@link io.pigeonhole.core.admin.Admin} needs of a database. */
public final class JdbcAdminStore implements AdminStore {
    private final Database database;
    private final AdminReads reads;
    private final AdminChanges changes;
    private final Requeues requeues;

    /** The store of a database. */
    public JdbcAdminStore(Database database) {
        this.database = database;
        this.reads = new AdminReads(database.admin());
        this.changes = new AdminChanges(database.admin());
        this.requeues = new Requeues(database.admin());
    }

    @Override
    public Sizes sizes() {
        return database.sizes();
    }

    @Override
    public List<ConsumerSummary> consumers() {
        return reads.consumers();
    }

    @Override
    public Page<WorkEntry> work(WorkFilter filter, PageRequest page) {
        return reads.work(filter, page);
    }

    @Override
    public Page<DeadLetterEntry> deadLetters(DeadLetterFilter filter, PageRequest page) {
        return reads.deadLetters(filter, page);
    }

    @Override
    public Selection select(DeadLetterFilter filter, @Nullable Instant cutoff) {
        return reads.select(filter, cutoff);
    }

    @Override
    public Optional<MessageDetails> show(String consumer, MessageKey key) {
        return reads.show(consumer, key);
    }

    @Override
    public List<BlockedKey> blockedKeys(String consumer, int limit) {
        return reads.blockedKeys(consumer, limit);
    }

    @Override
    public Page<AuditEntry> audit(String consumer, PageRequest page) {
        return reads.audit(consumer, page);
    }

    @Override
    public Answer retryNow(String consumer, MessageKey key, Author by) {
        return changes.retryNow(consumer, key, by);
    }

    @Override
    public Answer releaseLease(String consumer, MessageKey key, Author by) {
        return changes.releaseLease(consumer, key, by);
    }

    @Override
    public Answer discard(String consumer, MessageKey key, Author by) {
        return changes.discard(consumer, key, by);
    }

    @Override
    public Answer requeue(String consumer, MessageKey key, boolean evenIfLate, Author by) {
        return requeues.one(consumer, key, evenIfLate, by);
    }

    @Override
    public Optional<RequeuedPart> requeue(
            Selection selection,
            @Nullable Cursor after,
            int limit,
            Requeue options,
            @Nullable Instant firstDue,
            Author by) {
        return requeues.part(selection, after, limit, options, firstDue, by);
    }

    @Override
    public Answer unblock(String consumer, OrderingKey orderingKey, Author by) {
        return changes.unblock(consumer, orderingKey, by);
    }

    @Override
    public Answer pause(String consumer, boolean paused, Author by) {
        return changes.pause(consumer, paused, by);
    }

    @Override
    public Answer deduplicateBy(String consumer, Deduplication deduplication, Author by) {
        return changes.deduplicateBy(consumer, deduplication, by);
    }

    @Override
    public Answer forgetWatermarks(String consumer, String source, Author by) {
        return changes.forgetWatermarks(consumer, source, by);
    }

    @Override
    public Answer confirmClock(Author by) {
        return database.confirmClock(by);
    }
}
