package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Makes of a user's connection factory the one that is used. */
final class ConnectionFactories {
    private ConnectionFactories() {}

    /** A copy for connections that do not recover by themselves, without a timeout of requests, and with threads that end with the process. */
    static ConnectionFactory withoutRecovery(ConnectionFactory given) {
        ConnectionFactory copy = given.clone();
        // Whoever asks for messages a second time has the broker count deliveries for the first, see AnswerWait.
        copy.setChannelRpcTimeout(0);
        copy.setAutomaticRecoveryEnabled(false);
        copy.setTopologyRecoveryEnabled(false);
        ThreadFactory threads = copy.getThreadFactory();
        copy.setThreadFactory(task -> {
            // Like all threads of a node, they do not keep the process alive.
            Thread thread = threads.newThread(task);
            thread.setDaemon(true);
            return thread;
        });
        if (copy.params(null).getConsumerWorkServiceExecutor() == null) {
            // Else each connection has two for each processor, although it has one channel. They end after an idle
            // minute.
            copy.setSharedExecutor(Executors.newCachedThreadPool(copy.getThreadFactory()));
        }
        return copy;
    }
}
