package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.idempotency.ResponseProtection;

/** Stores bytes in the opposite order, which stands for encryption. */
final class Turning implements ResponseProtection {
    @Override
    public byte[] protect(byte[] body) {
        byte[] turned = new byte[body.length];
        for (int i = 0; i < body.length; i++) {
            turned[i] = body[body.length - 1 - i];
        }
        return turned;
    }

    @Override
    public byte[] unprotect(byte[] stored) {
        return protect(stored);
    }
}
