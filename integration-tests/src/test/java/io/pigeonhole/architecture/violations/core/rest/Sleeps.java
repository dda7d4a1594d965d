package io.pigeonhole.architecture.violations.core.rest;

import java.util.concurrent.TimeUnit;

/**
 * A seeded violation: GatesBiteTest reads its compiled class and expects the rule against sleeping to fail. No test calls its
 * methods.
 */
public final class Sleeps {
    static void onTheThread() throws InterruptedException {
        Thread.sleep(1);
    }

    static void byTheUnit() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1);
    }
}
