package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;

/**
 * The steps of a request whose work has effects in other systems. Each step is a recovery point: once it is committed it never runs
 * again, and whoever goes on with the request is handed its result. Everything is done under a lease with a fencing token, so that a
 * process that was stopped and comes back writes nothing more. Used by one thread, until the handler returns.
 *
 * @param <C> the context that the store hands out
 */
public interface Steps<C extends HandlerContext> {
    /**
     * The work of a step in this database.
     *
     * @param <C> the context that the store hands out
     */
    @FunctionalInterface
    interface LocalStep<C extends HandlerContext> {
        /**
         * Writes.
         *
         * @param context the means to write, valid until this returns
         * @return what later steps need to know; may be empty
         * @throws Exception to say that it failed: what was written is rolled back
         */
        byte[] run(C context) throws Exception;
    }

    /** A call to another system. */
    @FunctionalInterface
    interface ForeignStep {
        /**
         * Calls the other system.
         *
         * @param idempotencyKey to be handed to it: the same for every attempt of this step of this request, and another one for a request
         *     that comes with the same key when the retention is over or this one was forgotten; 32 hexadecimal digits
         * @return what later steps need to know; may be empty
         * @throws Exception to say that it failed, or may have failed: the step runs again with the same key
         */
        byte[] run(String idempotencyKey) throws Exception;
    }

    /**
     * The request.
     *
     * @return as it came the first time
     */
    Message request();

    /**
     * Runs a step in a transaction, which also commits that it is done; or hands out its result where it is done.
     *
     * @param name of the step, not blank, the same in every version of the application; no two steps of a request have the same
     * @param step what to do
     * @return what it came back with, now or before
     * @throws Exception what it threw; or an exception of the store
     * @throws LeaseLostException if the lease has run out: nothing was written
     * @throws IllegalStateException within another step, behind the handler, and once nobody knows whether an earlier step is committed:
     *     the next request with the key finds out
     */
    byte[] inTransaction(String name, LocalStep<C> step) throws Exception;

    /**
     * Runs a step outside of any transaction, and commits then that it is done; or hands out its result where it is done. A process
     * that dies in between runs it again, with the same key. It should end within the lease.
     *
     * @param name of the step, as for {@link #inTransaction}
     * @param step what to do
     * @return what it came back with, now or before
     * @throws Exception what it threw; or an exception of the store
     * @throws LeaseLostException if the lease has run out: the step was not begun, or its result is dropped
     * @throws IllegalStateException as for {@link #inTransaction}
     */
    byte[] foreign(String name, ForeignStep step) throws Exception;
}
