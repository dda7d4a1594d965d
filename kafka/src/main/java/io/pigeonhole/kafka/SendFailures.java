package io.pigeonhole.kafka;

import java.util.Arrays;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** What the client's errors say about a message, and about its producer. */
final class SendFailures {
    private static final Set<Class<? extends Throwable>> OF_ONE_RECORD = Set.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidRecordException.class,
            CodeOfTheProducerException.class);

    private SendFailures() {}

    /** Whether the broker, its client, or what the client calls does not take this record, and would take others. */
    static boolean isOfTheRecord(Throwable failure) {
        return OF_ONE_RECORD.contains(failure.getClass());
    }

    /** Whether it concerns all records, such as what a closed client throws. What a partitioner throws concerns its record alone. */
    static boolean isOfTheClient(Throwable failure) {
        if (failure instanceof OutOfMemoryError || failure instanceof LinkageError || failure instanceof ApiException) {
            return true;
        }
        // What a partitioner answers, or hands to the JDK and to classes of Kafka's, is its own fault.
        return (failure instanceof KafkaException || failure instanceof IllegalStateException)
                && Arrays.stream(failure.getStackTrace())
                        .map(StackTraceElement::getClassName)
                        .takeWhile(name -> !name.startsWith("org.apache.kafka.clients.producer."))
                        .allMatch(name -> name.startsWith("org.apache.kafka.") || name.startsWith("java."));
    }

    /**
     * Whether this may be what the client says of a record that shared a batch with one that the broker refused: it has no class of its
     * own.
     */
    static boolean mayBeOfTheBatch(Throwable failure) {
        return failure.getClass() == KafkaException.class;
    }

    /** Whether the producer may be used further: it is through with the record, and not broken. */
    static boolean leavesProducerUsable(Throwable failure) {
        return isOfTheRecord(failure)
                || failure instanceof RetriableException
                || failure instanceof TopicAuthorizationException
                || failure instanceof InvalidTopicException;
    }
}
