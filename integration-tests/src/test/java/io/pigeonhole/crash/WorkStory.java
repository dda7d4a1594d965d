package io.pigeonhole.crash;

import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.ExternalContext;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * A delivery and everything that follows it, until nothing is left to do. Retries are due at once; a lease lasts a second.
 * The type of a message says what becomes of it, its key what it must stay behind.
 */
enum WorkStory {
    /** Handlers run in the transaction that claims; one fails once, one for ever. */
    INLINE("a:good a:failing a:good b:hopeless b:good c:good"),
    /** The same, stored first. */
    RECEIVE("a:good a:failing a:good b:hopeless b:good c:good"),
    /** Effects elsewhere, under leases; one takes longer than a heartbeat. */
    EXTERNAL("a:slow a:failing a:good b:hopeless b:good"),
    /** Somebody has leased a message and never come back. */
    ABANDONED("a:good a:good"),
    /** A dead letter comes again and goes back to work. */
    REOPENED("a:good b:revived c:good");

    static final int ATTEMPTS = 3;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final long LONGEST_SECONDS = 40;

    private final String script;

    WorkStory(String script) {
        this.script = script;
    }

    /** The same messages for the same run, in whatever process. */
    List<Message> messages(String run) {
        List<Message> messages = new ArrayList<>();
        for (String word : script.split(" ", -1)) {
            int colon = word.indexOf(':');
            String id = run + " " + messages.size();
            messages.add(Message.builder("stories")
                    .id(id)
                    .orderingKey(word.substring(0, colon))
                    .type(word.substring(colon + 1))
                    .payload("the bytes of " + id)
                    .build());
        }
        return messages;
    }

    boolean isUnderLease() {
        return this == EXTERNAL || this == ABANDONED;
    }

    /**
     * Tells the story from its beginning to its end.
     *
     * @param write writes an effect
     * @param call makes a foreign call with its idempotency key
     */
    <C extends HandlerContext> void tell(
            InboxStore<C> store,
            String run,
            CrashPlan plan,
            Handler<String, C> write,
            BiConsumer<Message, String> call) {
        Inbox<C> inbox = inbox(store, run, plan, write, call);
        deliver(inbox, run, plan);
        if (this == ABANDONED) {
            abandonOne(inbox, store);
        }
        finish(inbox, store);
        if (this == REOPENED) {
            deliver(inbox, run, plan);
            finish(inbox, store);
        }
    }

    private void deliver(Inbox<?> inbox, String run, CrashPlan plan) {
        List<Message> left = new ArrayList<>(messages(run));
        while (!left.isEmpty()) {
            List<Message> batch = List.copyOf(left);
            var outcomes = this == RECEIVE ? inbox.receive(batch) : inbox.process(batch);
            left.clear();
            for (int i = 0; i < batch.size(); i++) {
                if (!outcomes.get(i).settled()) {
                    left.add(batch.get(i));
                }
            }
        }
        plan.acknowledge(() -> {});
    }

    private <C extends HandlerContext> Inbox<C> inbox(
            InboxStore<C> store,
            String run,
            CrashPlan plan,
            Handler<String, C> write,
            BiConsumer<Message, String> call) {
        InboxBuilder<C> builder = Inbox.builder(run, store)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .onRedeliveredDeadLetter(
                        this == REOPENED ? OnRedeliveredDeadLetter.REQUEUE : OnRedeliveredDeadLetter.KEEP)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(ATTEMPTS))
                .lease(LEASE)
                .node("a node of " + run);
        for (String type : List.of("good", "failing", "hopeless", "slow", "revived")) {
            if (isUnderLease()) {
                builder.handleExternal(type, PayloadDecoder.text(), (payload, context) -> {
                    plan.pass(CrashPoint.BEFORE_HANDLER);
                    call.accept(context.message(), context.idempotencyKey("call"));
                    awaitHeartbeat(type, plan);
                    failIfItMust(type, context);
                    plan.pass(CrashPoint.AFTER_HANDLER);
                    return completion(payload, write);
                });
            } else {
                builder.handle(type, PayloadDecoder.text(), plan.handler((payload, context) -> {
                    write.handle(payload, context);
                    failIfItMust(type, context);
                }));
            }
        }
        return builder.build();
    }

    private static <C extends HandlerContext> Completion<C> completion(String payload, Handler<String, C> write) {
        return context -> write.handle(payload, context);
    }

    private static void failIfItMust(String type, HandlerContext context) {
        boolean fails = type.equals("hopeless")
                || (type.equals("failing") && context.attempt() == 1)
                || (type.equals("revived") && context.attempt() <= ATTEMPTS);
        if (fails) {
            String where = context instanceof ExternalContext ? "outside" : "after the write";
            throw new IllegalStateException(type + " " + where + ", attempt " + context.attempt());
        }
    }

    private static void awaitHeartbeat(String type, CrashPlan plan) {
        if (type.equals("slow")) {
            await(() -> plan.passages(CrashPoint.AFTER_HEARTBEAT) > 0);
        }
    }

    private static <C extends HandlerContext> void abandonOne(Inbox<C> inbox, InboxStore<C> store) {
        for (Backlog.Due due : store.due(List.of(inbox.registered()))) {
            if (due.kind() != Backlog.Kind.BY_LEASE) {
                continue;
            }
            try (InboxTransaction<C> transaction = store.begin(Duration.ofMinutes(1))) {
                if (transaction.enter(inbox.registered(), due.workPartition())) {
                    transaction.lease(inbox.registered(), due.workPartition(), 1, "somebody", LEASE);
                    transaction.commit();
                }
            }
        }
    }

    private static <C extends HandlerContext> void finish(Inbox<C> inbox, InboxStore<C> store) {
        await(() -> {
            inbox.work();
            return store.due(List.of(inbox.registered())).isEmpty();
        });
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("nothing came of it within " + LONGEST_SECONDS + " s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    static String id(Message message) {
        return Objects.requireNonNull(message.id()).toString();
    }

    List<String> ids(String run) {
        return messages(run).stream().map(WorkStory::id).toList();
    }

    List<String> ids(String run, String type) {
        return messages(run).stream()
                .filter(message -> Objects.equals(message.type(), type))
                .map(WorkStory::id)
                .toList();
    }
}
