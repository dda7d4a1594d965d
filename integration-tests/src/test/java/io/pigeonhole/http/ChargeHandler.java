package io.pigeonhole.http;

import io.pigeonhole.core.idempotency.Reply;
import io.pigeonhole.core.idempotency.StepHandler;
import io.pigeonhole.core.idempotency.Steps;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.jdbc.JdbcContext;
import java.nio.charset.StandardCharsets;

/** The second example of {@code docs/http.md}. */
record ChargeHandler(PaymentProvider provider) implements StepHandler<JdbcContext> {
    @Override
    public Reply handle(Steps<JdbcContext> steps) throws Exception {
        String amount = new String(steps.request().payload(), StandardCharsets.UTF_8);
        steps.inTransaction("order", context -> {
            context.defer("INSERT INTO payment (amount) VALUES (?)", amount);
            return new byte[0];
        });
        byte[] charge = steps.foreign("charge", key -> provider.charge(amount, key));
        steps.inTransaction("receipt", context -> {
            context.defer("INSERT INTO receipt (charge) VALUES (?)", new String(charge, StandardCharsets.UTF_8));
            return new byte[0];
        });
        return Reply.commit(new StoredResponse(201, Headers.none(), charge));
    }

    /** The other system, which takes idempotency keys too. */
    interface PaymentProvider {
        byte[] charge(String amount, String idempotencyKey) throws Exception;
    }
}
