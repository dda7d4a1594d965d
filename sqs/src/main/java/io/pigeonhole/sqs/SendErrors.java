package io.pigeonhole.sqs;

import io.pigeonhole.core.relay.Publication;
import java.util.Objects;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;

/** What the errors of SQS say about a message that was to be sent. */
final class SendErrors {
    private static final int BAD_REQUEST = 400;
    private static final String PREFIX = "AWS.SimpleQueueService.";
    /** Have the status of a bad request, and are the queue's, its key's or our own. */
    private static final Set<String> OF_THE_QUEUE = Set.of(
            "EmptyBatchRequest",
            "InvalidAddress",
            "NonExistentQueue",
            "QueueDeletedRecently",
            "QueueDoesNotExist",
            "ResourceNotFoundException",
            "TooManyEntriesInBatchRequest",
            "UnsupportedOperation");

    private SendErrors() {}

    /** Whether SQS refuses a request for what is in one of its messages. */
    static boolean isOfAMessage(RuntimeException failure) {
        return failure instanceof AwsServiceException refusal
                && refusal.statusCode() == BAD_REQUEST
                && !refusal.isThrottlingException()
                && !SqsQueue.isRefusal(refusal)
                && isOfAMessage(SqsQueue.codeOf(refusal));
    }

    private static boolean isOfAMessage(String code) {
        String name = code.startsWith(PREFIX) ? code.substring(PREFIX.length()) : code;
        return !SqsQueue.isPassing(code)
                && !SqsQueue.isRefused(code)
                && !name.startsWith("Kms")
                && !name.startsWith("KMS")
                && !OF_THE_QUEUE.contains(name);
    }

    /** What became of a message that SQS did not take, although it took the request. */
    static Publication outcome(BatchResultErrorEntry entry) {
        String code = Objects.requireNonNullElse(entry.code(), "");
        FailedEntriesException cause = new FailedEntriesException("SQS does not take the message: " + code
                + (entry.message() == null ? "" : " (" + entry.message() + ")"));
        return Boolean.TRUE.equals(entry.senderFault()) && isOfAMessage(code)
                ? new Publication.Refused(cause)
                : new Publication.Unavailable(cause);
    }
}
