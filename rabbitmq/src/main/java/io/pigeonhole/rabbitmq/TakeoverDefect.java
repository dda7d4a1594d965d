package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.failure.Causes;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A defect of RabbitMQ before 3.11.5: a classic queue with a single active consumer crashes, and stands still, when the active
 * consumer is cancelled in favour of another (its issue 5460). So no consumer of a classic queue is replaced there. A
 * broker reports to nobody whether a queue lets a single consumer be active, but by an error of what kind it is: it names the
 * first argument that the kind does not take. Where it names the kind itself a long name of the queue may leave no room.
 */
final class TakeoverDefect {
    private static final String NOT_OF_CLASSIC_QUEUES = "x-stream-offset";
    private static final String OF_CLASSIC_QUEUES_ONLY = "x-cancel-on-ha-failover";

    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");
    private static final long MENDED = 3_0011_0005L;

    /** Older ones do not refuse arguments by the kind of the queue. */
    private static final long TELLS_KIND = 3_0009_0000L;

    private TakeoverDefect() {}

    /**
     * Whether consumers of a queue must not be replaced. Asks nobody where the broker does not have the defect.
     *
     * @throws IOException if the broker refuses more than what it is asked for, such as where there is no such queue
     */
    static boolean concerns(Connection connection, String queue) throws IOException {
        return isIn(connection.getServerProperties()) && isClassic(connection, queue);
    }

    /** Whether a broker with these properties has the defect, and reports the kind of a queue. */
    static boolean isIn(@Nullable Map<String, Object> properties) {
        if (properties == null || !"RabbitMQ".equals(String.valueOf(properties.get("product")))) {
            return false;
        }
        Matcher version = VERSION.matcher(String.valueOf(properties.get("version")));
        if (!version.matches()) {
            return false;
        }
        long number = 0;
        for (int part = 1; part <= 3; part++) {
            number = number * 10_000 + Integer.parseInt(version.group(part));
        }
        return number >= TELLS_KIND && number < MENDED;
    }

    private static boolean isClassic(Connection connection, String queue) throws IOException {
        Channel channel = Channels.open(connection);
        try {
            channel.basicConsume(queue, false, argumentsThatAreRefused(), new DefaultConsumer(channel));
        } catch (IOException e) {
            String refusal = refusal(e);
            if (refusal == null) {
                throw e;
            }
            return saysClassic(refusal);
        }
        channel.abort();
        return false;
    }

    /** What the broker quotes first is the argument; the name of the queue, which may be anything, comes behind it. */
    static boolean saysClassic(String refusal) {
        String argument = "'" + NOT_OF_CLASSIC_QUEUES + "'";
        return refusal.contains(argument) && refusal.indexOf(argument) == refusal.indexOf('\'');
    }

    /** No kind of queue takes both. The broker looks at them in the order in which they are sent. */
    private static Map<String, Object> argumentsThatAreRefused() {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put(OF_CLASSIC_QUEUES_ONLY, false);
        arguments.put(NOT_OF_CLASSIC_QUEUES, "next");
        return arguments;
    }

    /** What the broker said where it refused the argument; null where it is about something else. */
    private static @Nullable String refusal(IOException failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof ShutdownSignalException signal
                    && signal.getReason() instanceof AMQP.Channel.Close close
                    && close.getReplyCode() == AMQP.PRECONDITION_FAILED) {
                return close.getReplyText();
            }
        }
        return null;
    }
}
