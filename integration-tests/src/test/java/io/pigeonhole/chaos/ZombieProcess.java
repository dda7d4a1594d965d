package io.pigeonhole.chaos;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.postgresql.ds.PGSimpleDataSource;

/** Waits in its first handler until it is told to go on, and says what becomes of what it had in hand. */
final class ZombieProcess {
    private static final int LONGEST = 100;

    private ZombieProcess() {}

    /** Arguments: JDBC URL, the kind of work, and the ids of the messages that are delivered to it, one batch. */
    public static void main(String[] arguments) {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(arguments[0]);
        Zombie kind = Zombie.valueOf(arguments[1]);
        AtomicBoolean waited = new AtomicBoolean();
        Inbox<JdbcContext> inbox = kind.inbox(JdbcStore.create(database), "zombie", message -> {
                    if (!waited.getAndSet(true)) {
                        awaitWord(message);
                    }
                })
                .listener(new Reporter())
                .build();
        if (arguments.length > 2) {
            List<Message> batch = new ArrayList<>();
            for (String id : List.of(arguments).subList(2, arguments.length)) {
                batch.add(Zombie.message(id));
            }
            process(inbox, batch);
        } else {
            System.out.println("worked on " + inbox.work());
        }
    }

    /** As a source does: until all is settled. */
    private static void process(Inbox<JdbcContext> inbox, List<Message> batch) {
        for (int i = 0; i < LONGEST; i++) {
            try {
                if (inbox.process(batch).stream().allMatch(Outcome::settled)) {
                    System.out.println("settled");
                    return;
                }
            } catch (RetryableException e) {
                System.out.println("nothing was decided: " + e);
            }
        }
    }

    private static void awaitWord(Message message) throws IOException {
        System.out.println("in the handler of " + Zombie.id(message));
        int word = System.in.read();
        System.out.println("goes on after " + word);
    }

    private static final class Reporter implements InboxListener {
        @Override
        public void onOutcome(String consumer, Message message, Outcome outcome) {
            System.out.println(Zombie.id(message) + " is " + outcome.kind());
        }

        @Override
        public void onRollback(String consumer, int messages, Throwable cause) {
            System.out.println("rolled back " + messages + " because of " + cause);
        }

        @Override
        public void onLeaseLost(String consumer, Message message) {
            System.out.println(Zombie.id(message) + " is lost");
        }
    }
}
