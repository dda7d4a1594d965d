package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.Retention;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the store's window with what the brokers may deliver again. Asks brokers, so it may take a while. */
final class Guard {
    private static final Logger log = LoggerFactory.getLogger(Guard.class);

    private final Retention store;
    private final List<Source> sources;
    private final WindowGuard mode;
    private final MaintenanceListener listener;
    private volatile List<WindowVerdict> verdicts = List.of();

    Guard(Retention store, List<Source> sources, WindowGuard mode, MaintenanceListener listener) {
        this.listener = listener;
        this.store = store;
        this.sources = sources;
        this.mode = mode;
    }

    /** The last verdicts, none before the first look. */
    List<WindowVerdict> verdicts() {
        return verdicts;
    }

    /** At the start, where a window that is too short is to be refused. */
    void refuse() {
        if (mode != WindowGuard.REFUSE) {
            return;
        }
        List<String> refused = look().stream()
                .filter(WindowVerdict::isTooShort)
                .map(WindowVerdict::describe)
                .toList();
        if (!refused.isEmpty()) {
            throw new ConfigurationException("node: " + String.join("; ", refused));
        }
    }

    /** Every day, and at the start where it is not refused. */
    void warn() {
        if (mode == WindowGuard.OFF) {
            return;
        }
        for (WindowVerdict verdict : look()) {
            if (verdict.isTooShort()) {
                log.warn("{}", verdict.describe());
            } else {
                log.debug("{}", verdict.describe());
            }
        }
    }

    private List<WindowVerdict> look() {
        List<WindowVerdict> found = new ArrayList<>();
        for (Source source : sources) {
            found.add(new WindowVerdict(source.name(), store.window(), redeliveryWindow(source)));
        }
        verdicts = List.copyOf(found);
        try {
            found.forEach(listener::onVerdict);
        } catch (Throwable e) {
            log.warn(
                    "listener {} failed; it changes nothing",
                    listener.getClass().getName(),
                    FailureText.readable(e));
        }
        return verdicts;
    }

    private static RedeliveryWindow redeliveryWindow(Source source) {
        try {
            return source.redeliveryWindow();
        } catch (Throwable e) {
            log.warn(
                    "{} could not say for how long it may deliver a message again",
                    source.name(),
                    FailureText.readable(e));
            return RedeliveryWindow.unknown("the broker did not answer");
        }
    }
}
