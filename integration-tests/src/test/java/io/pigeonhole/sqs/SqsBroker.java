package io.pigeonhole.sqs;

import io.pigeonhole.network.ProxiedBroker;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import software.amazon.awssdk.services.sqs.SqsClient;

/** SQS in this JVM behind a proxy, with standard or with FIFO queues. */
public final class SqsBroker extends ProxiedBroker {
    private final String suffix;
    private final List<SqsTestQueue> queues = new ArrayList<>();

    private SqsBroker(String suffix) {
        super(SqsServer.shared().port());
        this.suffix = suffix;
    }

    public static SqsBroker standard() {
        return new SqsBroker("");
    }

    static SqsBroker fifo() {
        return new SqsBroker(".fifo");
    }

    /** It is all in memory, so that it cannot be restarted; and a body has at least one character. */
    @Override
    public Set<Ability> abilities() {
        Set<Ability> abilities = EnumSet.of(
                Ability.NO_ID, Ability.DUPLICATES_OF_PRODUCERS, Ability.ANY_BYTES, Ability.CUT, Ability.FREEZE);
        abilities.add(suffix.isEmpty() ? Ability.ANY_KEY : Ability.ORDER_OF_KEYS);
        return abilities;
    }

    /** For a publisher. */
    SqsClient proxied() {
        return SqsServer.client(proxy.port());
    }

    boolean isFifo() {
        return !suffix.isEmpty();
    }

    @Override
    public SqsTestQueue queue() {
        SqsTestQueue queue = new SqsTestQueue(
                "queue-" + UUID.randomUUID() + suffix, SqsServer.client(), SqsServer.client(proxy.port()));
        queues.add(queue);
        return queue;
    }

    @Override
    public void close() {
        queues.forEach(SqsTestQueue::close);
        proxy.close();
    }
}
