package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.io.IOError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.zip.ZipError;
import org.jspecify.annotations.Nullable;

/**
 * Everything that code of an application may throw, by name: what a program throws, what the virtual machine throws, what
 * libraries and databases throw, what we throw ourselves, and what nobody should write but somebody has written.
 *
 * @param name what it is called
 * @param act throws, or leaves something behind and returns
 * @param returns whether it returns
 */
record Thrown(String name, Act act, boolean returns) {
    /** Throws anything, or returns. */
    @FunctionalInterface
    interface Act {
        void run() throws Throwable;
    }

    /** Throws it, whatever it is, where nothing checked may be thrown, too. */
    void raise() {
        try {
            act.run();
        } catch (Throwable e) {
            Thrown.<RuntimeException>sneak(e);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Unchecked on purpose: it throws what is checked.
    private static <E extends Throwable> void sneak(Throwable e) throws E {
        throw (E) e;
    }

    private static Thrown of(Supplier<Throwable> throwable) {
        return of(throwable.get().getClass().getSimpleName(), throwable);
    }

    private static Thrown of(String name, Supplier<Throwable> throwable) {
        return new Thrown(
                name,
                () -> {
                    throw throwable.get();
                },
                false);
    }

    /** All of them. */
    static List<Thrown> all() {
        List<Thrown> all = new ArrayList<>();
        all.addAll(plain());
        all.addAll(errors());
        all.addAll(ofDatabases());
        all.addAll(ours());
        all.addAll(odd());
        for (Hostile.Method method : Hostile.Method.values()) {
            all.add(of(
                    "throwing " + method,
                    () -> new Hostile(method, () -> {
                        throw new IllegalStateException("from " + method);
                    })));
        }
        return all;
    }

    private static List<Thrown> plain() {
        return List.of(
                of(() -> new Exception("checked")),
                of("a plain throwable", () -> new Throwable("neither")),
                of(() -> new IOException("closed")),
                of(() -> new UncheckedIOException(new IOException("closed"))),
                of(() -> new NullPointerException()),
                of(() -> new CloneNotSupportedException()),
                of(() -> new ConcurrentModificationException()),
                of(() -> new CancellationException("cancelled")),
                of(() -> new CompletionException(new TimeoutException("late"))),
                of(() -> new TimeoutException("late")),
                of(() -> new InterruptedException("by nobody")),
                of(() -> new ClosedByInterruptException()),
                new Thrown(
                        "interrupt and exception",
                        () -> {
                            Thread.currentThread().interrupt();
                            throw new IllegalStateException("the widespread way");
                        },
                        false),
                new Thrown(
                        "interrupt and interrupted",
                        () -> {
                            Thread.currentThread().interrupt();
                            throw new InterruptedException("twice");
                        },
                        false),
                new Thrown("interrupt and return", () -> Thread.currentThread().interrupt(), true));
    }

    private static List<Thrown> errors() {
        return List.of(
                of(() -> new Error("any")),
                of(() -> new AssertionError("wrong")),
                of(() -> new OutOfMemoryError("Requested array size exceeds VM limit")),
                new Thrown("a corrupt length", () -> allocate(Integer.MAX_VALUE), false),
                of(() -> new StackOverflowError()),
                new Thrown("a recursion", () -> recurse(0), false),
                of(() -> new InternalError("broken")),
                of(() -> new UnknownError("unknown")),
                of(() -> new LinkageError("links")),
                of(() -> new NoClassDefFoundError("com/example/Missing")),
                of(() -> new ClassFormatError("format")),
                of(() -> new UnsupportedClassVersionError("too new")),
                of(() -> new VerifyError("not verified")),
                of(() -> new NoSuchMethodError("another version")),
                of(() -> new NoSuchFieldError("another version")),
                of(() -> new AbstractMethodError("another version")),
                of(() -> new IllegalAccessError("another version")),
                of(() -> new InstantiationError("abstract")),
                of(() -> new IncompatibleClassChangeError("another version")),
                of(() -> new UnsatisfiedLinkError("no library")),
                of(() -> new ClassCircularityError("round")),
                of(() -> new BootstrapMethodError("a lambda")),
                new Thrown("a class that cannot be initialised", Broken::use, false),
                of(() -> new ExceptionInInitializerError("static")),
                of(() -> new IOError(new IOException("disk"))),
                of(() -> new ServiceConfigurationError("service")),
                of(() -> new ZipError("zip")),
                of("ThreadDeath", Thrown::threadDeath));
    }

    private static List<Thrown> ofDatabases() {
        List<Thrown> all = new ArrayList<>();
        for (String state : List.of(
                "40001", "40P01", "55P03", "25P02", "25P03", "25006", "57014", "57P01", "08006", "28000", "53100",
                "22001", "23505", "42601", "P0001", "99999")) {
            all.add(of("SQLSTATE " + state, () -> new SQLException("of another database", state)));
        }
        all.add(of("SQLException without a state", () -> new SQLException("nothing is known")));
        all.add(of(() -> new SQLRecoverableException("gone")));
        all.add(of(() -> new SQLTransientConnectionException("gone")));
        all.add(of(() -> new SQLNonTransientConnectionException("gone")));
        all.add(of("a cycle of next exceptions", () -> {
            BatchUpdateException one = new BatchUpdateException();
            SQLException other = new SQLException("other", null, 0, one);
            one.setNextException(other);
            one.initCause(other);
            return one;
        }));
        return all;
    }

    private static List<Thrown> ours() {
        List<Thrown> all = new ArrayList<>();
        for (ErrorClass each : ErrorClass.values()) {
            all.add(of("StoreException " + each, () -> new StoreException(each, "of another store", null)));
        }
        all.add(of(() -> new RetryableException("of another inbox", null)));
        all.add(of(() -> new StoreUnavailableException("of another inbox", null)));
        all.add(of(() -> new OutcomeUnknownException("of another inbox", null)));
        all.add(of(() -> new ConfigurationException("of another inbox")));
        all.add(of(() -> new PigeonholeException("of another inbox", null)));
        all.add(of(() -> new ClaimBlockedException("of another inbox", null)));
        all.add(of(() -> new ConsumerPausedException("another")));
        all.add(of(() -> new WatermarkMovedException("of another inbox", null)));
        all.add(of(() ->
                new DeferredWriteException(ErrorClass.MESSAGE, MessageKey.FIRST_DIGEST, "of another inbox", null)));
        all.add(of(() -> new LeaseExpiredException("another", Duration.ZERO)));
        all.add(of(() -> new PermanentFailure("never")));
        all.add(of("a hidden PermanentFailure", () -> new Exception("wrapped", new PermanentFailure("never"))));
        return all;
    }

    private static List<Thrown> odd() {
        return List.of(
                of("a cycle of causes", () -> {
                    Exception one = new Exception("one");
                    one.initCause(new Exception("other", one));
                    return one;
                }),
                of("its own cause", () -> new Exception("selfish") {
                    private static final long serialVersionUID = 1L;

                    @Override
                    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // It has no state.
                    public Throwable getCause() {
                        return this;
                    }
                }),
                of("causes without end", Endless::new),
                of("a thousand causes", () -> deep(1_000)),
                of("a cycle of suppressed ones", () -> {
                    Exception one = new Exception("one");
                    Exception other = new Exception("other");
                    one.addSuppressed(other);
                    other.addSuppressed(one);
                    return one;
                }),
                of("no message", () -> new IllegalStateException((String) null)),
                of("a huge message", () -> new IllegalStateException("x".repeat(5_000_000))),
                of(
                        "a message of hostile characters",
                        () -> new IllegalStateException("\0\uD83D\uDC00" + "\uDC00".repeat(5_000))),
                of("no stack", () -> new Exception("bare", null, false, false) {
                    private static final long serialVersionUID = 1L;
                }),
                of("null for everything", Empty::new));
    }

    private static Throwable deep(int causes) {
        Throwable cause = new Exception("the root");
        for (int i = 0; i < causes; i++) {
            cause = new Exception("because of " + i, cause);
        }
        return cause;
    }

    /** Asks for more than any virtual machine gives, as a decoder does that believes what it reads. */
    private static void allocate(int bytes) {
        throw new AssertionError("there should not be room for " + new long[bytes].length);
    }

    private static int recurse(int depth) {
        return depth < 0 ? 0 : recurse(depth + 1) + 1;
    }

    /** By name: from JDK 20 on the class is deprecated for removal. */
    private static Throwable threadDeath() {
        try {
            return Class.forName("java.lang.ThreadDeath")
                    .asSubclass(Throwable.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            return new Error("there is no ThreadDeath any more", e);
        }
    }

    /** Its first use fails in one way, every other in another. */
    private static final class Broken {
        private static final int VALUE = fail();

        private Broken() {}

        private static int fail() {
            throw new IllegalStateException("a static block");
        }

        @SuppressWarnings("DoNotCallSuggester") // That it throws is what it is for.
        static void use() {
            throw new AssertionError("there should be no " + VALUE);
        }
    }

    /** Has a new cause each time. */
    private static final class Endless extends Exception {
        private static final long serialVersionUID = 1L;

        Endless() {
            super("endless");
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // It has no state.
        public Throwable getCause() {
            return new Endless();
        }
    }

    /** Says nothing at all. */
    private static final class Empty extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable String getMessage() {
            return null;
        }

        @Override
        public @Nullable String getLocalizedMessage() {
            return null;
        }

        @Override
        @SuppressWarnings({"NullAway", "ToStringReturnsNull"}) // This is what it is for.
        public String toString() {
            return null;
        }

        @Override
        @SuppressWarnings("NullAway") // This is what it is for.
        public StackTraceElement[] getStackTrace() {
            return null;
        }
    }
}
