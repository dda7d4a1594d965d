package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Headers;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored request as people see it: without the body of its response.
 *
 * @param operation what is done
 * @param key the idempotency key
 * @param fingerprint of what it asked for
 * @param createdAt when it was begun, by the database's clock
 * @param expiresAt until when it is remembered
 * @param status what it was answered with; null while it is in work
 * @param headers of the response; none while it is in work
 * @param bodyBytes how long the stored body is
 * @param bodyStored whether the body was small enough to be stored
 * @param steps the names of the steps that are committed, in their order; none where it was handled in one
 *     transaction, and once it is finished
 * @param leaseOwner who works on it, null where nobody does
 */
public record RequestDetails(
        String operation,
        String key,
        Fingerprint fingerprint,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Integer status,
        Headers headers,
        long bodyBytes,
        boolean bodyStored,
        List<String> steps,
        @Nullable String leaseOwner) {}
