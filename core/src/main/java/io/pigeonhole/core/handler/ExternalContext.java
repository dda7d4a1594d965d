package io.pigeonhole.core.handler;

/** What an {@link ExternalHandler} gets with the message that it works on. It has no transaction. */
public interface ExternalContext extends HandlerContext {
    /**
     * Whether the lease is lost, or may be: somebody released it, or the database has not been there for as long as the lease
     * lasts. Another node may be at work on the message already. What the handler returns is then refused; it had better stop.
     *
     * @return true once the database has answered that the lease is another's, once the handler has taken too long, and for as long
     *     as no heartbeat has come through for the duration of the lease
     */
    boolean isLeaseLost();
}
