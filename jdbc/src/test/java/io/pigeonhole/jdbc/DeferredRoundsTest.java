package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.outbox.AppendStep;
import io.pigeonhole.jdbc.transaction.DeferredWrite;
import io.pigeonhole.jdbc.transaction.DeferredWrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeferredRoundsTest {
    private final DeferredWrites writes = new DeferredWrites(SqlStates.ERRORS);

    @Test
    void equalStatementsOfManyScopesAreOneBatch() {
        for (String scope : List.of("a", "b", "c")) {
            defer(scope, "UPDATE");
            defer(scope, "INSERT");
        }

        assertThat(batches()).containsExactly("UPDATE a b c", "INSERT a b c");
    }

    @Test
    void aScopeThatComesAgainDoesNotSendTheOthersToTheNextRound() {
        for (String scope : List.of("a", "b", "a", "c")) {
            defer(scope, "UPDATE");
            defer(scope, "INSERT");
        }

        assertThat(batches()).containsExactly("UPDATE a b c", "INSERT a b c", "UPDATE a", "INSERT a");
    }

    @Test
    void thereAreAsManyRoundsAsTheBusiestScopeNeeds() {
        for (String scope : List.of("a", "b", "a", "b", "c", "a", "b")) {
            defer(scope, "UPDATE");
            defer(scope, "INSERT");
        }

        assertThat(batches())
                .containsExactly(
                        "UPDATE a b c", "INSERT a b c", "UPDATE a b", "INSERT a b", "UPDATE a b", "INSERT a b");
    }

    @Test
    void theSameStatementOfOneScopeStaysInItsRound() {
        defer("a", "UPDATE");
        defer("a", "UPDATE");

        assertThat(batches()).containsExactly("UPDATE a a");
    }

    @Test
    void messagesToSendComeBehindEverythingAndTheirLocksBeforeThem() {
        defer(AppendStep.INSERT, "APPEND");
        defer("a", "UPDATE");
        defer("a", "INSERT");
        defer(AppendStep.LOCK, "LOCK");
        defer(AppendStep.INSERT, "APPEND");
        defer("a", "UPDATE");

        assertThat(batches()).containsExactly("UPDATE a", "INSERT a", "UPDATE a", "LOCK LOCK", "APPEND INSERT INSERT");
    }

    @Test
    void writesOfOneScopeNeverChangePlaces() {
        Random random = new Random(7);
        for (int run = 0; run < 200; run++) {
            Map<Object, List<Integer>> deferred = new HashMap<>();
            for (int number = 0; number < 60; number++) {
                String scope = "scope" + random.nextInt(8);
                defer(scope, "statement" + random.nextInt(5), number);
                deferred.computeIfAbsent(scope, any -> new ArrayList<>()).add(number);
            }
            Map<Object, List<Integer>> sent = new HashMap<>();
            for (DeferredWrite write :
                    writes.batches().stream().flatMap(List::stream).toList()) {
                sent.computeIfAbsent(write.scope(), any -> new ArrayList<>())
                        .add((Integer) write.parameters().get(0));
            }
            assertThat(sent).isEqualTo(deferred);
            writes.clear();
        }
    }

    private void defer(Object scope, String sql, Object... parameters) {
        writes.add(new DeferredWrite(new MessageKey(0, 0), scope, sql, List.of(parameters), DeferredWrite.ANY));
    }

    private List<String> batches() {
        List<String> batches = new ArrayList<>();
        for (List<DeferredWrite> batch : writes.batches()) {
            StringBuilder text = new StringBuilder(batch.get(0).sql());
            batch.forEach(write -> text.append(' ').append(write.scope()));
            batches.add(text.toString());
        }
        return batches;
    }
}
