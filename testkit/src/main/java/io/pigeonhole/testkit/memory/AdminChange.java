package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One change that somebody makes, in a transaction of its own with its entry in the audit.
 *
 * @param changes the transaction
 * @param consumer whose messages
 * @param by who, and why
 */
record AdminChange(Changes changes, RegisteredConsumer consumer, Author by) {
    private static final Duration IDLE_LIMIT = Duration.ofMinutes(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Runs a change; empty where it waited in vain for another transaction, and nothing was changed. */
    static <T> Optional<T> run(
            Tables tables, Consumers consumers, String consumer, Author by, Function<AdminChange, T> work) {
        return tables.read(all -> {
            Changes changes = new Changes(all, IDLE_LIMIT);
            try {
                T answer = work.apply(new AdminChange(changes, consumers.require(consumer), by));
                changes.commit();
                return Optional.of(answer);
            } catch (ClaimBlockedException e) {
                return Optional.empty();
            } finally {
                changes.close();
            }
        });
    }

    Row row(MessageKey key) {
        return new Row(consumer.id(), key);
    }

    /** Holds what is free, or is free soon. */
    void hold(List<? extends Lock> locks) {
        changes.awaitFree(locks, TIMEOUT);
        locks.forEach(changes::hold);
    }

    /** The message in work, held. */
    @Nullable
    WorkRow work(MessageKey key) {
        hold(List.of(new Lock.OfWork(row(key))));
        return changes.work.get(row(key));
    }

    /** The dead letter, held. */
    @Nullable
    LetterRow letter(MessageKey key) {
        hold(List.of(new Lock.OfLetter(row(key))));
        return changes.letterRows.get(row(key));
    }

    /** The last step: nothing can fail between it and the commit. */
    void audit(AdminAction action, @Nullable MessageKey key, String detail, long affected) {
        changes.tables.note(by, action, consumer, key, detail, affected);
    }
}
