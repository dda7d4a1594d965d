package io.pigeonhole.sqs;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;

/** The URL of a queue, which is looked up once where its name is given. Safe for use by many threads. */
final class QueueUrl {
    private final SqsClient client;
    private final String nameOrUrl;
    private volatile @Nullable String url;

    QueueUrl(SqsClient client, String nameOrUrl) {
        this.client = client;
        this.nameOrUrl = nameOrUrl;
    }

    /** The name that is in a name or a URL; null where it cannot be either. */
    static @Nullable String nameIn(String nameOrUrl) {
        String name = nameOrUrl.substring(nameOrUrl.lastIndexOf('/') + 1);
        boolean isValid = !name.isBlank()
                && (nameOrUrl.contains("://") || name.equals(nameOrUrl))
                && !nameOrUrl.startsWith("arn:");
        return isValid ? name : null;
    }

    /**
     * Makes a call to the queue.
     *
     * @param timeout for looking it up
     */
    <T> T call(Duration timeout, Function<String, T> withUrl) {
        try {
            String known = url;
            if (known == null) {
                known = nameOrUrl.contains("://") ? nameOrUrl : lookUp(timeout);
                url = known;
            }
            return withUrl.apply(known);
        } catch (QueueDoesNotExistException e) {
            url = null;
            throw e;
        }
    }

    private String lookUp(Duration timeout) {
        return client.getQueueUrl(
                        request -> request.queueName(nameOrUrl).overrideConfiguration(SqsQueue.within(timeout)))
                .queueUrl();
    }
}
