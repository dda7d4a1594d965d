package io.pigeonhole.crash;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;

/** Works on the same messages as its concurrent duplicates do, in an order of its own, and counts what was new. */
final class ConcurrentProcess {
    private static final int BATCH = 10;

    private ConcurrentProcess() {}

    /** Arguments: JDBC URL, run, number of messages, seed of the order. Begins when it reads a byte. */
    public static void main(String[] arguments) throws IOException {
        DataSource dataSource = Database.dataSource(arguments[0]);
        String run = arguments[1];
        Inbox<JdbcContext> inbox = Inbox.builder(run, JdbcStore.create(dataSource))
                .handle("good", PayloadDecoder.text(), (payload, context) -> Database.write(context, run))
                .build();
        List<Message> messages = messages(run, Integer.parseInt(arguments[2]));
        Collections.shuffle(messages, new Random(Long.parseLong(arguments[3])));
        int begin = System.in.read();
        int processed = begin < 0 ? 0 : work(inbox, messages);
        System.out.println("processed " + processed);
    }

    static List<Message> messages(String run, int count) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(Message.builder("stories")
                    .id(run + " " + i)
                    .type("good")
                    .payload("x")
                    .build());
        }
        return messages;
    }

    private static int work(Inbox<JdbcContext> inbox, List<Message> messages) {
        int processed = 0;
        for (int from = 0; from < messages.size(); from += BATCH) {
            List<Message> left = messages.subList(from, Math.min(from + BATCH, messages.size()));
            while (!left.isEmpty()) {
                List<Outcome> outcomes = inbox.process(left);
                List<Message> busy = new ArrayList<>();
                for (int i = 0; i < left.size(); i++) {
                    if (!outcomes.get(i).settled()) {
                        busy.add(left.get(i));
                    } else if (outcomes.get(i).kind() == Outcome.Kind.PROCESSED) {
                        processed++;
                    }
                }
                left = busy;
            }
        }
        return processed;
    }
}
