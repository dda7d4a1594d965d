package io.pigeonhole.core.node;

import java.time.Duration;

/** How a node works on what is due. */
record WorkerSettings(int workers, int leaseWorkers, Duration longestPause) {}
