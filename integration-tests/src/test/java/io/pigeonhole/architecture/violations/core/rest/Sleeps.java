package io.pigeonhole.architecture.violations.core.rest;

import java.util.concurrent.TimeUnit;

/** Sleeps, so that GatesBiteTest can see the rule against it bite. Never run. */
public final class Sleeps {
    static void onTheThread() throws InterruptedException {
        Thread.sleep(1);
    }

    static void byTheUnit() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1);
    }
}
