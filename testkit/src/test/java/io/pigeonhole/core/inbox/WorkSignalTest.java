package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkSignalTest {
    private final Inbox<InMemoryContext> inbox = Inbox.builder("notes", InMemoryStore.create())
            .handle("note", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    private static Message message(String id) {
        return Message.builder("notes").id(id).type("note").payload(id).build();
    }

    @Test
    void allWhoListenAreToldOfStoredWorkUntilTheyEndIt() {
        List<Set<Due>> first = new ArrayList<>();
        List<Set<Due>> second = new ArrayList<>();
        Runnable endOfFirst = inbox.forNodes().whenWorkIsStored(first::add);
        Runnable endOfSecond = inbox.forNodes().whenWorkIsStored(second::add);

        inbox.receive(message("1"));
        endOfSecond.run();
        inbox.receive(message("2"));
        endOfFirst.run();
        inbox.receive(message("3"));

        assertThat(first).hasSize(2);
        assertThat(second).hasSize(1);
    }
}
