package io.pigeonhole.core.handler;

/** What an {@link ExternalHandler} is told about the message that it works on. It has no transaction. */
public interface ExternalContext extends HandlerContext {
    /**
     * Whether the lease is known to be lost: the database was away for too long, or somebody released it. Another node may
     * be at work on the message already. What the handler returns is then refused; it had better stop.
     *
     * @return true from the moment on that a heartbeat has failed to prolong the lease
     */
    boolean isLeaseLost();
}
