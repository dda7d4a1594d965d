package io.pigeonhole.core.failure;

import java.util.List;

/** Says in a few words what a throwable was caused by, for a line that has no stack trace. */
final class CauseText {
    private static final int LONGEST = 500;

    private CauseText() {}

    /**
     * The innermost cause that has a text, or else the innermost one.
     *
     * @param said what is said of the throwable already; nothing of it is repeated
     * @return something to append to that; empty where there is nothing to add
     */
    static String behind(String said, Throwable failure) {
        Throwable cause = innermost(failure);
        if (cause == failure) {
            return "";
        }
        String type = FailureText.classOf(cause);
        String text = FailureText.messageOf(cause);
        boolean isTextNew = !said.contains(text);
        if (!isTextNew && said.contains(type)) {
            return "";
        }
        String added = "; caused by " + type + (isTextNew ? ": " + text : "");
        return FailureText.bounded(added.length() <= LONGEST ? added : added.substring(0, LONGEST) + "…");
    }

    private static Throwable innermost(Throwable failure) {
        List<Throwable> causes = Causes.of(failure);
        int last = lastToName(causes);
        for (int i = last; i > 0; i--) {
            if (!FailureText.messageOf(causes.get(i)).isEmpty()) {
                return causes.get(i);
            }
        }
        return causes.get(last);
    }

    /** Those of ours, and what handlers say to be final, have a text that says what is to be said of their causes. */
    private static int lastToName(List<Throwable> causes) {
        for (int i = 0; i < causes.size(); i++) {
            if (causes.get(i) instanceof PigeonholeException || causes.get(i) instanceof PermanentFailure) {
                return i;
            }
        }
        return causes.size() - 1;
    }
}
