package io.pigeonhole.core.inbox;

/** Passes on that there is work, to whoever wants to know. */
final class WorkSignal {
    private volatile Runnable listener = () -> {};

    void tell(Runnable newListener) {
        listener = newListener;
    }

    void workIsStored() {
        listener.run();
    }
}
