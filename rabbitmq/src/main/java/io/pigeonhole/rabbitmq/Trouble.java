package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ProtocolVersionMismatchException;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.FailureText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What keeps the source from something. What passes, such as a connection lost or a queue that is not there, is logged once
 * for each reason, however often it is tried; what no waiting will mend is thrown. Used by one thread.
 */
final class Trouble {
    private static final Logger log = LoggerFactory.getLogger(Trouble.class);

    private final String what;
    private @Nullable String told;

    Trouble(String what) {
        this.what = what;
    }

    /** Logs a reason, unless it is the one that was logged last. */
    void tell(String reason) {
        log.atLevel(reason.equals(told) ? Level.DEBUG : Level.WARN)
                .log("{}: {}; trying again until it works", what, reason);
        told = reason;
    }

    /** Logs that it works again, where it did not. */
    void isOver() {
        if (told != null) {
            log.info("{}: works again", what);
            told = null;
        }
    }

    /**
     * Does nothing where trying again can help.
     *
     * @throws ConfigurationException if the broker refused the credentials, the rights or the protocol
     */
    static void throwIfFinal(String doing, Exception failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (isFinal(cause)) {
                throw new ConfigurationException(
                        doing + ": the broker refuses it: " + reason(failure)
                                + ". Correct the credentials or the rights, then start the source anew",
                        failure);
            }
        }
    }

    private static boolean isFinal(Throwable cause) {
        // Not its parent, PossibleAuthenticationFailureException: that is any connection lost while it was opened.
        return cause instanceof AuthenticationFailureException
                || cause instanceof ProtocolVersionMismatchException
                || (cause instanceof ShutdownSignalException signal && isAccessRefused(signal.getReason()));
    }

    private static boolean isAccessRefused(@Nullable Method reason) {
        return (reason instanceof AMQP.Channel.Close channel && channel.getReplyCode() == AMQP.ACCESS_REFUSED)
                || (reason instanceof AMQP.Connection.Close connection
                        && connection.getReplyCode() == AMQP.ACCESS_REFUSED);
    }

    /** What the broker said, or else what the client found. */
    static String reason(Throwable failure) {
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
        }
        return FailureText.describe(innermost);
    }
}
