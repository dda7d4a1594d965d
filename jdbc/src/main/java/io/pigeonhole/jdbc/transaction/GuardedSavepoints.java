package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.jdbc.dialect.SavepointStep;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the calls on one guarded object do about savepoints: at once, or, where SQL is prepared or collected, once it is
 * executed. Used by one thread at a time.
 */
final class GuardedSavepoints {
    /** A savepoint whose name is not known yet. */
    static final List<SavepointStep> NEW = List.of(new SavepointStep(SavepointStep.Kind.SET, ""));

    private final HandlerCall call;
    private List<SavepointStep> preparing = List.of();
    private List<SavepointStep> prepared = List.of();
    private List<SavepointStep> collected = List.of();

    GuardedSavepoints(HandlerCall call) {
        this.call = call;
    }

    /** This object is a statement that was just prepared by the connection of the other. */
    void prepared(GuardedSavepoints by) {
        prepared = by.preparing;
        by.preparing = List.of();
    }

    /**
     * What a call does, before it is made.
     *
     * @throws IllegalStateException if it prepares what goes back to a savepoint that the handler has not set
     */
    List<SavepointStep> of(String method, @Nullable Object @Nullable [] arguments) throws SQLException {
        Object first = arguments == null || arguments.length == 0 ? null : arguments[0];
        TransactionControl control = call.transaction().control();
        if (first instanceof Savepoint savepoint) {
            return List.of(control.savepoint(
                    method.equals("rollback") ? SavepointStep.Kind.BACK : SavepointStep.Kind.RELEASE, savepoint));
        }
        if (first instanceof String sql) {
            return ofText(method, control, sql);
        }
        if (method.equals("clearBatch")) {
            collected = List.of();
        }
        return method.startsWith("execute") ? executed() : List.of();
    }

    private List<SavepointStep> ofText(String method, TransactionControl control, String sql) {
        if (method.startsWith("execute")) {
            return control.savepoints(sql);
        }
        if (method.startsWith("prepare")) {
            preparing = control.savepoints(sql);
            call.savepoints().check(preparing);
        } else if (method.equals("addBatch")) {
            List<SavepointStep> more = control.savepoints(sql);
            if (!more.isEmpty()) {
                collected = new ArrayList<>(collected);
                collected.addAll(more);
            }
        }
        return List.of();
    }

    private List<SavepointStep> executed() {
        List<SavepointStep> steps = collected.isEmpty() ? prepared : collected;
        collected = List.of();
        return steps;
    }
}
