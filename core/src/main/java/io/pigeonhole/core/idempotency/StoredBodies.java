package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;

/**
 * How responses, requests in steps and the results of steps are stored and read again.
 *
 * @param largest how many bytes the body of a response may have
 * @param protection what changes it
 */
record StoredBodies(int largest, ResponseProtection protection) {
    private static final byte[] NONE = {};

    /** Stores a response; without its body where that is too large. */
    <C extends HandlerContext> void finish(
            IdempotencyTransaction<C> transaction,
            RegisteredConsumer consumer,
            MessageKey key,
            StoredResponse response,
            Duration atLeast) {
        boolean fits = response.body().length <= largest;
        byte[] body = fits ? protect(response.body()) : NONE;
        transaction.finish(
                consumer, key, new StoredResponse(response.status(), response.headers(), body), fits, atLeast);
    }

    byte[] protect(byte[] body) {
        return body.length == 0 ? NONE : protection.protect(body);
    }

    byte[] unprotect(byte[] stored) {
        return stored.length == 0 ? NONE : protection.unprotect(stored);
    }

    /** The request as it is stored. */
    IdempotentRequest protect(IdempotentRequest request) {
        Message message = request.message();
        return new IdempotentRequest(
                request.identity(),
                request.fingerprint(),
                message.isTombstone() ? message : with(message, protect(message.payload())));
    }

    /** A stored request as it came. */
    Message unprotect(Message stored) {
        return with(stored, unprotect(stored.payload()));
    }

    private static Message with(Message message, byte[] payload) {
        return Message.builder(message.source())
                .id(message.id())
                .type(message.type())
                .headers(message.headers())
                .contentType(message.contentType())
                .payload(payload)
                .build();
    }

    /** The outcome of a request whose key is stored already. */
    RequestOutcome known(IdempotentRequest request, KnownRequest known, RequestSettings settings) {
        if (!known.fingerprint().equals(request.fingerprint())) {
            return new RequestOutcome.FingerprintMismatch();
        }
        StoredResponse response = known.response();
        if (response == null) {
            if (!known.isInSteps()) {
                throw new IllegalStateException(
                        "the handler of this request has committed or ended its transaction itself, as a"
                                + " procedure that commits does on MariaDB: some of its effects may be there, and there is no response. Correct the"
                                + " handler, and when the effects are put right, call admin().forget for the key; it is deleted when its retention"
                                + " is over");
            }
            return new RequestOutcome.InProgress(settings.retryAfter());
        }
        if (!known.bodyStored()) {
            return new RequestOutcome.NotReplayable(response.status(), response.headers());
        }
        return new RequestOutcome.Replayed(
                new StoredResponse(response.status(), response.headers(), unprotect(response.body())));
    }
}
