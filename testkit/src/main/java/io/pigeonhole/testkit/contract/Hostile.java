package io.pigeonhole.testkit.contract;

import java.io.PrintStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** An exception one of whose methods throws. */
final class Hostile extends Exception {
    private static final long serialVersionUID = 1L;

    private final Method method;
    private final transient Runnable act;

    /** What may be overridden. */
    enum Method {
        MESSAGE,
        LOCALIZED_MESSAGE,
        CAUSE,
        TEXT,
        STACK,
        PRINT,
        HASH,
        EQUALS
    }

    Hostile(Method method, Runnable act) {
        super("hostile");
        this.method = method;
        this.act = act;
    }

    private void act(Method called) {
        if (called == method) {
            act.run();
        }
    }

    @Override
    public @Nullable String getMessage() {
        act(Method.MESSAGE);
        return super.getMessage();
    }

    @Override
    public @Nullable String getLocalizedMessage() {
        act(Method.LOCALIZED_MESSAGE);
        return "hostile";
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
        act(Method.CAUSE);
        return super.getCause();
    }

    @Override
    public String toString() {
        act(Method.TEXT);
        return "hostile";
    }

    @Override
    public StackTraceElement[] getStackTrace() {
        act(Method.STACK);
        return super.getStackTrace();
    }

    @Override
    public void printStackTrace(PrintStream stream) {
        act(Method.PRINT);
        super.printStackTrace(stream);
    }

    @Override
    public void printStackTrace(PrintWriter writer) {
        act(Method.PRINT);
        super.printStackTrace(writer);
    }

    @Override
    public int hashCode() {
        act(Method.HASH);
        return System.identityHashCode(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        act(Method.EQUALS);
        return this == other;
    }
}
