package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * Collects the settings of {@link IdempotentRequests}. Not safe for use by many threads.
 *
 * @param <C> the context that the store hands out
 */
public final class IdempotentRequestsBuilder<C extends HandlerContext> {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MOST_BODY = 16 * 1024 * 1024;

    private final IdempotencyStore<C> store;
    private final String name;
    private Duration retention = Duration.ofDays(1);
    private int largestBody = 256 * 1024;
    private Duration handlerTimeout = Duration.ofSeconds(30);
    private Duration duplicateTimeout = Duration.ZERO;
    private Duration retryAfter = Duration.ofSeconds(1);
    private boolean storesFailures;
    private Duration lease = Duration.ofMinutes(1);
    private String node = "pid " + ProcessHandle.current().pid();
    private ResponseProtection protection = ResponseProtection.none();
    private IdempotencyListener listener = new IdempotencyListener() {};

    IdempotentRequestsBuilder(IdempotencyStore<C> store, String name) {
        this.store = Objects.requireNonNull(store, "store");
        this.name = Objects.requireNonNull(name, "name");
    }

    private static Duration between(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " " + DurationText.of(value) + " is not from "
                    + DurationText.of(least) + " to " + DurationText.of(most));
        }
        return value;
    }

    /**
     * How long a key is remembered from its first request, by the database's clock. Publish it to your clients: a retry behind it is
     * handled as a new request.
     *
     * @param duration from an hour to 30 days; a day unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> retention(Duration duration) {
        this.retention = between("retention", duration, HOUR, Duration.ofDays(30));
        return this;
    }

    /**
     * How many bytes the body of a response may have to be stored. Where it has more, what the handler has written is committed as always,
     * and a retry is answered that the response was too large to be stored.
     *
     * @param bytes from 0 to 16 MiB; 256 KiB unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> largestBody(int bytes) {
        if (bytes < 0 || bytes > MOST_BODY) {
            throw new IllegalArgumentException("largestBody " + bytes + " is not from 0 to " + MOST_BODY);
        }
        this.largestBody = bytes;
        return this;
    }

    /**
     * How long a handler may be idle in its transaction before the database ends it, and how long a statement of it may take. So a process
     * that was stopped loses the key.
     *
     * @param duration from a second to an hour; 30 seconds unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> handlerTimeout(Duration duration) {
        this.handlerTimeout = between("handlerTimeout", duration, Duration.ofSeconds(1), HOUR);
        return this;
    }

    /**
     * How long a request waits for another one with its key. It holds its thread while it waits, and no connection.
     *
     * @param duration from 0 to a minute; 0 unless set: it is refused at once
     * @return this
     */
    public IdempotentRequestsBuilder<C> concurrentDuplicateTimeout(Duration duration) {
        this.duplicateTimeout = between("concurrentDuplicateTimeout", duration, Duration.ZERO, Duration.ofMinutes(1));
        return this;
    }

    /**
     * After what time a client should try again that was refused because another request with its key is being handled.
     *
     * @param duration from a second to an hour; a second unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> retryAfter(Duration duration) {
        this.retryAfter = between("retryAfter", duration, Duration.ofSeconds(1), HOUR);
        return this;
    }

    /**
     * Whether handlers may answer that only their response is to be stored, and not what they have written. Costs a savepoint for each
     * request.
     *
     * @param storing false unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> storesFailures(boolean storing) {
        this.storesFailures = storing;
        return this;
    }

    /**
     * How long the lease of a request in steps lasts, counted anew from each step. It should be longer than the longest step: where it runs
     * out, the process that had it commits nothing more, and another request goes on.
     *
     * @param duration from a second to an hour; a minute unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> leaseDuration(Duration duration) {
        this.lease = between("leaseDuration", duration, Duration.ofSeconds(1), HOUR);
        return this;
    }

    /**
     * What this process is called in leases.
     *
     * @param name such as the host's; the process id unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> node(String name) {
        this.node = Objects.requireNonNull(name, "node");
        return this;
    }

    /**
     * What encrypts the bodies of stored responses, and of requests in steps those of the requests and the results of steps. Headers are
     * stored as they are.
     *
     * @param by the same at all nodes; none unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> protection(ResponseProtection by) {
        this.protection = Objects.requireNonNull(by, "protection");
        return this;
    }

    /**
     * Receives the outcome of each request.
     *
     * @param listener none unless set
     * @return this
     */
    public IdempotentRequestsBuilder<C> listener(IdempotencyListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Makes it, and registers its name in the database.
     *
     * @return what handles requests
     * @throws io.pigeonhole.core.failure.StoreUnavailableException if the database cannot be reached
     */
    public IdempotentRequests<C> build() {
        RequestSettings settings = new RequestSettings(
                retention, largestBody, handlerTimeout, duplicateTimeout, retryAfter, storesFailures, node, lease);
        return new IdempotentRequests<>(
                store, store.register(name), settings, new StoredBodies(largestBody, protection), new Tally(listener));
    }
}
