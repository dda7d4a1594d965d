package io.pigeonhole.libraries;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import java.util.UUID;

/** An account pays an amount. */
public record Payment(String account, long amount) {
    static final String TYPE = "payment.requested";

    static final PayloadDecoder<Payment> DECODER = message -> {
        String[] parts = PayloadDecoder.text().decode(message).split(" ", 2);
        return new Payment(parts[0], Long.parseLong(parts[1]));
    };

    static Message message(String account, long amount) {
        return Message.builder("payments")
                .id(UUID.randomUUID().toString())
                .type(TYPE)
                .payload(account + " " + amount)
                .build();
    }

    /** Fails where the account has not had so much. */
    void requireCovered(long balanceAfterwards) {
        if (balanceAfterwards < 0) {
            throw new IllegalArgumentException("account " + account + " has not got " + amount);
        }
    }
}
