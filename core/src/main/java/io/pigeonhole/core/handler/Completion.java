package io.pigeonhole.core.handler;

/**
 * What an {@link ExternalHandler} wants to write when its foreign effect is done. It runs in the transaction that finishes
 * the message, after that transaction has made sure that the lease is still the newest; both commit together or not at all.
 * It may run more than once for one effect, as a {@link Handler} may: a stream that it writes is to be opened in it.
 *
 * @param <C> the context that the store hands out
 */
@FunctionalInterface
public interface Completion<C extends HandlerContext> {
    /**
     * Writes.
     *
     * @param context the message and the means to write
     * @throws Exception to say that the attempt failed: what was written is rolled back, the foreign effect is not
     */
    void complete(C context) throws Exception;

    /**
     * Nothing to write.
     *
     * @param <C> the context that the store hands out
     * @return a completion that does nothing
     */
    static <C extends HandlerContext> Completion<C> nothing() {
        return context -> {};
    }
}
