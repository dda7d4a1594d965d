package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;

/**
 * How responses are stored and given again.
 *
 * @param largest how many bytes a body may have
 * @param protection what changes it
 */
record StoredBodies(int largest, ResponseProtection protection) {
    private static final byte[] NONE = {};

    /** Stores a response; without its body where that is too large. */
    <C extends HandlerContext> void finish(
            IdempotencyTransaction<C> transaction,
            RegisteredConsumer consumer,
            MessageKey key,
            StoredResponse response) {
        boolean fits = response.body().length <= largest;
        byte[] body = fits && response.body().length > 0 ? protection.protect(response.body()) : NONE;
        transaction.finish(consumer, key, new StoredResponse(response.status(), response.headers(), body), fits);
    }

    /** What a request is told that is known already. */
    RequestOutcome known(IdempotentRequest request, KnownRequest known, RequestSettings settings) {
        if (!known.fingerprint().equals(request.fingerprint())) {
            return new RequestOutcome.FingerprintMismatch();
        }
        StoredResponse response = known.response();
        if (response == null) {
            return new RequestOutcome.InProgress(settings.retryAfter());
        }
        if (!known.bodyStored()) {
            return new RequestOutcome.NotReplayable(response.status(), response.headers());
        }
        byte[] body = response.body().length == 0 ? NONE : protection.unprotect(response.body());
        return new RequestOutcome.Replayed(new StoredResponse(response.status(), response.headers(), body));
    }
}
