package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.Message;
import java.util.List;

/**
 * Something that an inbox is about to do with messages, handed to {@link InboxListener#aroundBatch} and
 * {@link InboxListener#aroundHandler}. For the thread that it is handed to, and for the time of that call.
 */
public interface Invocation {
    /**
     * Whose messages they are.
     *
     * @return the inbox's consumer
     */
    String consumer();

    /**
     * What it is about.
     *
     * @return the messages, at least one, in their order
     */
    List<Message> messages();

    /**
     * Which attempt it is.
     *
     * @return 1 for the first attempt; of several messages, that of the first one
     */
    int attempt();

    /**
     * Does it. To be called once. Whoever does not call it changes nothing: the inbox does so afterwards.
     *
     * @throws Exception what the handler threw, or why the batch could not be committed. It counts whether it is thrown on or not
     * @throws IllegalStateException if it is called a second time, or on another thread
     */
    void proceed() throws Exception;
}
