package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.List;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Which errors end a source, which end its consumer, and which a consumer outlasts. */
final class PollErrors {
    /** Somebody has to decide something, or another process has this one's place. */
    private static final List<Class<? extends RuntimeException>> FINAL =
            List.of(ConfigurationException.class, FencedInstanceIdException.class);

    /** Refusals: wrong settings where nothing has ever worked, and otherwise perhaps a token that is to be renewed. */
    private static final List<Class<? extends RuntimeException>> REFUSALS = List.of(
            AuthenticationException.class,
            AuthorizationException.class,
            ConfigException.class,
            InconsistentGroupProtocolException.class,
            InvalidGroupIdException.class,
            InvalidTopicException.class,
            UnsupportedVersionException.class);

    private PollErrors() {}

    /** Whether the consumer that threw it is of no use any more. */
    static boolean endsConsumer(Throwable failure) {
        return isOf(FINAL, failure) || isOf(REFUSALS, failure);
    }

    /** Whether another consumer, later, would not do better. */
    static boolean isFinal(Throwable failure, boolean hasWorked) {
        return isOf(FINAL, failure) || (!hasWorked && isOf(REFUSALS, failure));
    }

    private static boolean isOf(List<Class<? extends RuntimeException>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
