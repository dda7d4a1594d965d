package io.pigeonhole.jdbc;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Lets awaited conditions be looked at every few milliseconds, at once for the first time; found by JUnit itself. */
public final class ShortPolls implements BeforeAllCallback {
    private static final Duration INTERVAL = Duration.ofMillis(30);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(INTERVAL);
    }
}
