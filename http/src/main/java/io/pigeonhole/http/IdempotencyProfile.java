package io.pigeonhole.http;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotentRequestsBuilder;
import java.time.Duration;

/** Settings that belong together; each of them can be set otherwise afterwards. {@code docs/conformance.md} says what each profile does. */
public enum IdempotencyProfile {
    /**
     * As the draft of the IETF has it (draft-ietf-httpapi-idempotency-key-header): POST and PATCH, the key required, another request with
     * the key is answered 422; what succeeds and what the client did wrong is stored for a day.
     */
    DRAFT,
    /** As Stripe's API v1 does: POST, no key required, 400 for another request; all responses are stored for a day, also of what failed. */
    STRIPE_V1,
    /** As Stripe's API v2 does: POST and DELETE, no key required, 400 for another request; only successes are stored, for 30 days. */
    STRIPE_V2;

    /**
     * Sets what the profile says about how requests are handled.
     *
     * @param builder of what handles requests
     * @param <C> the context that the store hands out
     * @return the same builder
     */
    public <C extends HandlerContext> IdempotentRequestsBuilder<C> applyTo(IdempotentRequestsBuilder<C> builder) {
        return builder.retention(Duration.ofDays(this == STRIPE_V2 ? 30 : 1)).storesFailures(this == STRIPE_V1);
    }
}
