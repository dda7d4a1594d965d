package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxTransaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every arrow of the picture in {@code docs/failures.md} is driven here, and no other. */
class StateDiagramIT {
    private static final Path GUIDE = Path.of("..", "docs", "failures.md");
    private static final Pattern ARROW = Pattern.compile("^ {4}(\\S+) --> (\\S+)$", Pattern.MULTILINE);
    private static final String NOWHERE = "[*]";
    private static final Author BY = new Author("a test", "to see where it leads");

    private final Workshop workshop = PostgresServers.embedded().schema();
    private final JdbcStore store = JdbcStore.create(workshop.dataSource());
    private final Admin admin = store.admin();
    private final Set<String> arrows = new TreeSet<>();
    private Runnable handler = StateDiagramIT::succeed;
    private final Inbox<JdbcContext> inbox = Inbox.builder("states", store)
            .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(100))
            .handle("here", PayloadDecoder.text(), (payload, context) -> handler.run())
            .<String>handleExternal("elsewhere", PayloadDecoder.text(), (payload, context) -> {
                handler.run();
                return Completion.nothing();
            })
            .build();
    private int messages;

    private static void succeed() {}

    private static void fail() {
        throw new IllegalStateException("it fails");
    }

    private static void failForGood() {
        throw new PermanentFailure("it fails for good");
    }

    @AfterEach
    void close() {
        workshop.close();
    }

    /** A message of its own, and where it is. */
    private final class Traveller {
        private final Message message;

        Traveller(String type) {
            this.message = Message.builder("travels")
                    .id("m" + messages++)
                    .type(type)
                    .payload("x")
                    .build();
        }

        private MessageKey key() {
            return admin.keyOf("states", "travels", MessageId.of("m" + (messages - 1)));
        }

        private String state() {
            List<String> states = workshop.askAll("SELECT status FROM inbox WHERE message_key = ?", key().toUuid());
            return states.isEmpty() || states.get(0).equals("discarded") ? NOWHERE : states.get(0);
        }

        Traveller step(Runnable doing, Runnable handling) {
            String before = state();
            handler = handling;
            doing.run();
            arrows.add(before + " --> " + state());
            return this;
        }

        Traveller process(Runnable handling) {
            return step(() -> inbox.process(message), handling);
        }

        Traveller receive() {
            return step(() -> inbox.receive(message), StateDiagramIT::succeed);
        }

        Traveller work(Runnable handling) {
            return step(this::workOnWhatIsDue, handling);
        }

        private void workOnWhatIsDue() {
            store.due(List.of(inbox.registered()))
                    .forEach(due -> inbox.forNodes().work(due, () -> false, new NodeInbox.Progress() {}));
        }

        /** A lease, and what its handler makes of it. */
        Traveller workUnderLease(Runnable handling) {
            String before = state();
            AtomicReference<String> within = new AtomicReference<>("nothing");
            handler = () -> {
                within.set(state());
                handling.run();
            };
            workOnWhatIsDue();
            arrows.add(before + " --> " + within.get());
            arrows.add(within.get() + " --> " + state());
            return this;
        }

        /** Ends in the middle of the lease. */
        Traveller lease() {
            return step(
                    () -> {
                        for (Backlog.Due due : store.due(List.of(inbox.registered()))) {
                            try (InboxTransaction<JdbcContext> transaction = store.begin(Duration.ofMinutes(1))) {
                                if (transaction.enter(inbox.registered(), due.workPartition())) {
                                    transaction.lease(
                                            inbox.registered(),
                                            due.workPartition(),
                                            1,
                                            "a node",
                                            Duration.ofMinutes(1));
                                    transaction.commit();
                                }
                            }
                        }
                    },
                    StateDiagramIT::succeed);
        }

        Traveller endOfLease() {
            workshop.execute("UPDATE inbox_work SET lease_until = clock_timestamp() WHERE status = 'leased'");
            return work(StateDiagramIT::succeed);
        }

        Traveller discard() {
            return step(() -> admin.discard("states", key(), BY), StateDiagramIT::succeed);
        }

        Traveller requeue() {
            return step(() -> admin.requeue("states", key(), Requeue.atOnce(), BY), StateDiagramIT::succeed);
        }
    }

    @Test
    void pictureShowsEveryWayThatAMessageCanTakeAndNoOther() throws IOException {
        new Traveller("here").process(StateDiagramIT::succeed);
        new Traveller("here")
                .process(StateDiagramIT::fail)
                .work(StateDiagramIT::fail)
                .work(StateDiagramIT::succeed);
        new Traveller("here")
                .process(StateDiagramIT::fail)
                .work(StateDiagramIT::failForGood)
                .requeue()
                .work(StateDiagramIT::fail)
                .discard();
        new Traveller("here").process(StateDiagramIT::failForGood).discard();
        new Traveller("here").receive().work(StateDiagramIT::succeed);
        new Traveller("here")
                .receive()
                .work(StateDiagramIT::failForGood)
                .requeue()
                .work(StateDiagramIT::succeed);
        new Traveller("here").receive().work(StateDiagramIT::fail).discard();
        new Traveller("here").receive().discard();
        new Traveller("elsewhere").process(StateDiagramIT::succeed).workUnderLease(StateDiagramIT::succeed);
        new Traveller("elsewhere")
                .process(StateDiagramIT::succeed)
                .workUnderLease(StateDiagramIT::fail)
                .workUnderLease(StateDiagramIT::failForGood);
        new Traveller("elsewhere")
                .process(StateDiagramIT::succeed)
                .lease()
                .endOfLease()
                .discard();
        new Traveller("elsewhere").process(StateDiagramIT::succeed).lease().discard();

        Set<String> inGuide = ARROW.matcher(Files.readString(GUIDE))
                .results()
                .map(MatchResult::group)
                .map(String::strip)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(arrows).isEqualTo(inGuide);
    }
}
