package io.pigeonhole.jdbc.idempotency;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about requests with idempotency keys; what each does is said in {@code idempotency.sql}. */
public enum IdempotencyStatement implements StatementName {
    FIND,
    INSERT,
    REPLACE,
    TAKE_OVER,
    READ,
    HOLD,
    STORE_STEPS,
    RELEASE,
    FINISH,
    FORGET,
    OLD,
    LOCK_OLD,
    ABANDONED,
    SHOW,
    LOCK;

    @Override
    public String file() {
        return "idempotency";
    }
}
