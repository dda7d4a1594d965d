package io.pigeonhole.plugin;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.BrokerQueue;
import io.pigeonhole.testkit.contract.SourceContract;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The source of the guide keeps the contract of all sources. */
class SpoolSourceContractTest extends SourceContract<InMemoryContext> {
    private static final AtomicInteger NAMES = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Override
    protected BrokerFixture broker() {
        return new Spool(directory);
    }

    @Override
    protected StoreFixture<InMemoryContext> store() {
        return new InMemoryFixture();
    }

    private record Spool(Path directory) implements BrokerFixture {
        @Override
        public Set<Ability> abilities() {
            return EnumSet.of(Ability.ORDER_OF_KEYS, Ability.NO_ID, Ability.DUPLICATES_OF_PRODUCERS);
        }

        @Override
        public BrokerQueue queue() {
            try {
                return new Queue(Files.createDirectory(directory.resolve("spool-" + NAMES.incrementAndGet())));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {}
    }

    private record Queue(Path spool) implements BrokerQueue {
        @Override
        public String name() {
            return String.valueOf(spool.getFileName());
        }

        @Override
        public void send(List<Message> messages) {
            try {
                for (Message message : messages) {
                    SpoolFile.write(spool, "%08d".formatted(NAMES.incrementAndGet()), message);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Source source(Inbox<?> inbox) {
            return new SpoolSource(inbox, spool);
        }

        @Override
        public long left(String consumer) {
            try (Stream<Path> files = Files.list(spool)) {
                return files.count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
