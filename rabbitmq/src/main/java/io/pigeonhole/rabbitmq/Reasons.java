package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ProtocolVersionMismatchException;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.FailureText;
import java.io.EOFException;
import org.jspecify.annotations.Nullable;

/** Finds out what exceptions of the client mean. */
final class Reasons {
    private Reasons() {}

    /** What the broker said, or else what the client found. */
    static String textOf(Throwable failure) {
        Throwable innermost = failure;
        for (Throwable cause : Causes.of(failure)) {
            innermost = cause;
            if (cause instanceof ShutdownSignalException signal) {
                if (signal.getReason() instanceof AMQP.Channel.Close channel) {
                    return channel.getReplyCode() + " " + channel.getReplyText();
                }
                if (signal.getReason() instanceof AMQP.Connection.Close connection) {
                    return connection.getReplyCode() + " " + connection.getReplyText();
                }
            }
            if (cause instanceof ChannelContinuationTimeoutException timeout) {
                return "the broker does not answer " + timeout.getMethod().protocolMethodName();
            }
        }
        if (innermost instanceof EOFException) {
            return "the connection ended without a word of the broker";
        }
        return FailureText.describe(innermost);
    }

    /** Whether the queue is not there, which costs the broker little to say. */
    static boolean isNotFound(Throwable failure) {
        return Causes.of(failure).stream()
                .anyMatch(cause -> cause instanceof ShutdownSignalException signal
                        && codeOf(signal.getReason()) == AMQP.NOT_FOUND);
    }

    /**
     * Whether the broker refused the credentials or the protocol. Not final: a token expires, a user is made later. But not to
     * be asked for again each second.
     */
    static boolean isRefusal(Throwable failure) {
        // Not its parent, PossibleAuthenticationFailureException: that is any connection lost while it was opened.
        return Causes.of(failure).stream()
                .anyMatch(cause -> cause instanceof AuthenticationFailureException
                        || cause instanceof ProtocolVersionMismatchException
                        || (cause instanceof ShutdownSignalException signal
                                && codeOf(signal.getReason()) == AMQP.ACCESS_REFUSED));
    }

    /** Whether the broker closed the connection on purpose, as when it is stopped. */
    static boolean isForced(@Nullable ShutdownSignalException end) {
        return end != null && codeOf(end.getReason()) == AMQP.CONNECTION_FORCED;
    }

    /** Whether the broker answered, by closing the channel or the connection: then it has not done what it was asked for. */
    static boolean isAnswer(Throwable failure) {
        return Causes.of(failure).stream()
                .anyMatch(cause -> cause instanceof ShutdownSignalException signal
                        && !signal.isInitiatedByApplication()
                        && codeOf(signal.getReason()) != 0);
    }

    private static int codeOf(@Nullable Method reason) {
        if (reason instanceof AMQP.Channel.Close channel) {
            return channel.getReplyCode();
        }
        return reason instanceof AMQP.Connection.Close connection ? connection.getReplyCode() : 0;
    }

    /** Whether the client ended the connection because it could not read what came: a header nested too deep, or a body too large. */
    static boolean isUnreadable(@Nullable ShutdownSignalException end) {
        Throwable cause = end == null || end.getReason() != null ? null : end.getCause();
        return cause instanceof MalformedFrameException
                || cause instanceof RuntimeException
                || (cause instanceof Error && !(cause instanceof OutOfMemoryError));
    }
}
