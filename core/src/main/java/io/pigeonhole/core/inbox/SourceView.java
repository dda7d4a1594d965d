package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.Watermark;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An inbox as sources see it. */
final class SourceView<C extends HandlerContext> implements SourceInbox {
    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final InboxEngine<C> engine;
    private final RunningBatches running;
    private final PauseNotice pause;

    SourceView(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            EngineSettings settings,
            InboxEngine<C> engine,
            RunningBatches running) {
        this.running = running;
        this.pause = new PauseNotice(consumer.name());
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.engine = engine;
    }

    @Override
    public RegisteredConsumer registered() {
        return consumer;
    }

    @Override
    public List<Outcome> process(List<Message> messages, BooleanSupplier ending) {
        Supplier<List<Outcome>> process =
                () -> Interrupts.ofOwner(ending, () -> engine.process(messages, settings.reception()));
        return pause.watch(process, outcomes -> outcomes.stream().anyMatch(Outcome::settled));
    }

    @Override
    public void probe() {
        store.probe();
    }

    @Override
    public void probeClaim() {
        pause.watch(() -> {
            engine.probeClaim();
            return true;
        });
    }

    @Override
    public @Nullable String heldBack() {
        return engine.heldBack();
    }

    @Override
    public Runnable whenHandlerHangs(Predicate<Thread> listener) {
        return running.whenOneHangs(listener);
    }

    @Override
    public int started(Start start) {
        return pause.watch(() -> store.started(consumer, start));
    }

    @Override
    public void ended(Start start) {
        store.ended(consumer, start);
    }

    @Override
    public void survived(Start start) {
        store.survived(consumer, start);
    }

    @Override
    public Watermark acquire(LogPartition partition, String log) {
        return pause.watch(() -> store.acquire(consumer, partition, log));
    }

    @Override
    public Watermark beginAt(Watermark watermark, long offset) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            transaction.advance(consumer, List.of(new Advance(watermark, offset, watermark.leaderEpoch())));
            transaction.commit();
        }
        return new Watermark(
                watermark.partition(), watermark.log(), watermark.assignment(), offset, watermark.leaderEpoch());
    }

    @Override
    public List<Watermark> watermarks(Collection<LogPartition> partitions) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            return transaction.watermarks(consumer, partitions);
        }
    }
}
