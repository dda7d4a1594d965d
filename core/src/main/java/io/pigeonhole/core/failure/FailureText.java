package io.pigeonhole.core.failure;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Texts of throwables that anybody may have made, fit to be stored and logged: bounded, without NUL and without halves of
 * surrogate pairs, which databases refuse. No method throws what a method of the throwable throws.
 */
public final class FailureText {
    private static final int LONGEST_MESSAGE = 2_000;
    private static final int LONGEST_STACK = 16_000;
    private static final char REPLACEMENT = '\uFFFD';

    private FailureText() {}

    /**
     * A text within bounds.
     *
     * @param text any text
     * @return at most 2,000 characters of it that every database takes; empty for null
     */
    public static String bounded(@Nullable String text) {
        return text == null ? "" : clean(text, LONGEST_MESSAGE);
    }

    /**
     * The name of a throwable's class.
     *
     * @param failure the throwable
     * @return the name, bounded
     */
    public static String classOf(Throwable failure) {
        return bounded(failure.getClass().getName());
    }

    /**
     * The message of a throwable.
     *
     * @param failure the throwable
     * @return its message, bounded; empty where it has none, and a note where {@code getMessage} throws
     */
    public static String messageOf(Throwable failure) {
        return read("getMessage", () -> bounded(failure.getMessage()));
    }

    /**
     * A throwable in one line.
     *
     * @param failure the throwable
     * @return its message where it is a {@link PermanentFailure}, which speaks for itself; its class and its message otherwise
     */
    public static String describe(Throwable failure) {
        String text = messageOf(failure);
        if (failure instanceof PermanentFailure) {
            return text;
        }
        return text.isEmpty() ? classOf(failure) : bounded(classOf(failure) + ": " + text);
    }

    /**
     * A throwable in one line, and what it was caused by: "RuntimeException: not booked; caused by SQLException: duplicate key". For what
     * handlers and decoders throw, which frameworks may have wrapped.
     *
     * @param failure the throwable
     * @return what {@link #describe} says, then the class and the message of the innermost cause that has one, as far as they are not
     *     said already; no cause of a {@link PermanentFailure} or a {@link PigeonholeException}, whose texts say what is to be said of them
     */
    public static String describeWithCause(Throwable failure) {
        return withCause(describe(failure), failure);
    }

    /**
     * The message of a throwable, and what it was caused by, as in {@link #describeWithCause}.
     *
     * @param failure the throwable
     * @return its message and its cause, bounded
     */
    public static String messageWithCause(Throwable failure) {
        return withCause(messageOf(failure), failure);
    }

    private static String withCause(String said, Throwable failure) {
        String cause = CauseText.behind(said, failure);
        int room = LONGEST_MESSAGE - cause.length();
        String cut = said.length() <= room ? said : clean(said, room - 1) + "…";
        return cut.isEmpty() && !cause.isEmpty() ? cause.substring("; ".length()) : cut + cause;
    }

    /**
     * The stack trace of a throwable, with its causes.
     *
     * @param failure the throwable
     * @return at most 16,000 characters; as much as can be read where a method of the throwable throws
     */
    public static String stackOf(Throwable failure) {
        BoundedWriter stack = new BoundedWriter();
        String note = read("printStackTrace", () -> {
            failure.printStackTrace(new PrintWriter(stack));
            return "";
        });
        return clean(stack.isFull() ? stack.toString() : stack + note, LONGEST_STACK);
    }

    /**
     * A throwable that can be given to a logger: loggers call the methods of what they print, and what these throw comes out
     * of the logger's call.
     *
     * @param failure the throwable
     * @return the throwable itself, or one with as much of its text and stack as can be read
     */
    public static Throwable readable(Throwable failure) {
        if (read("methods", () -> isReadable(failure) ? "" : "no end").isEmpty()) {
            return failure;
        }
        Unreadable copy = new Unreadable(describe(failure));
        String note = read("getStackTrace", () -> {
            copy.setStackTrace(failure.getStackTrace());
            return "";
        });
        return note.isEmpty() ? copy : new Unreadable(describe(failure) + " " + note);
    }

    /** Calls what loggers call. Throws what the throwable throws. */
    private static boolean isReadable(Throwable failure) {
        List<Throwable> causes = Causes.of(failure);
        for (Throwable cause : causes) {
            boolean complete = cause.getStackTrace() != null && cause.toString() != null;
            String text = cause.getMessage() + cause.getLocalizedMessage();
            if (!complete || text.length() > LONGEST_STACK || !areReadable(cause.getSuppressed())) {
                return false;
            }
        }
        return causes.get(causes.size() - 1).getCause() == null;
    }

    private static boolean areReadable(Throwable[] suppressed) {
        for (Throwable each : suppressed) {
            boolean plain = each.getCause() == null && each.getSuppressed().length == 0;
            if (!plain || !isReadable(each)) {
                return false;
            }
        }
        return true;
    }

    /** Stands for one that no logger can print. */
    private static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable(String text) {
            super(text);
        }
    }

    private static String read(String what, Supplier<String> reading) {
        try {
            return reading.get();
        } catch (Throwable e) {
            // Whatever a class of the application throws here, nothing but its own text is lost.
            return "(its " + what + " throws " + e.getClass().getName() + ")";
        }
    }

    private static String clean(String text, int longest) {
        StringBuilder clean = new StringBuilder(text.length() <= longest ? text : text.substring(0, longest));
        for (int i = 0; i < clean.length(); i++) {
            char c = clean.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < clean.length()
                    && Character.isLowSurrogate(clean.charAt(i + 1));
            if (pair) {
                i++;
            } else if (c == '\0' || Character.isSurrogate(c)) {
                clean.setCharAt(i, REPLACEMENT);
            }
        }
        return clean.toString();
    }
}
