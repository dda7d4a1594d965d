package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import java.util.List;

/** A queue of a broker under test. */
public interface BrokerQueue {
    /**
     * What sources call it.
     *
     * @return the source of its messages, unless somebody names it otherwise
     */
    String name();

    /**
     * Sends messages as a producer does, in their order; returns when the broker has them. Not over the connections that
     * {@link BrokerFixture#cut} cuts.
     *
     * @param messages their id, type, ordering key, headers, content type and payload count; nothing else does
     */
    void send(List<Message> messages);

    /**
     * Makes a source with the standard settings.
     *
     * @param inbox where it brings the messages
     * @return a source that is not started
     */
    Source source(Inbox<?> inbox);

    /**
     * How many messages the broker would deliver to a consumer. Called while no source runs.
     *
     * @param consumer the inbox's consumer
     * @return those that were not acknowledged
     */
    long left(String consumer);
}
