package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.transaction.DeferredWrite;
import io.pigeonhole.jdbc.transaction.DeferredWrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeferredWritesTest {
    private final DeferredWrites writes = new DeferredWrites(SqlStates.ERRORS);

    @Test
    void equalStatementsOfManyMessagesBecomeOneBatch() {
        for (int message = 0; message < 500; message++) {
            add(message, "payment");
            add(message, "balance");
        }
        assertThat(batches()).containsExactly("payment x500", "balance x500");
    }

    @Test
    void statementsRunInTheOrderOfTheirFirstAppearance() {
        add(1, "c");
        add(2, "a");
        add(1, "b");
        add(2, "b");
        assertThat(batches()).containsExactly("c x1", "a x1", "b x2");
    }

    @Test
    void openAndCloseOfOneKeyKeepTheirOrderOverManyMessages() {
        add(7, "open");
        add(7, "close");
        add(7, "open");
        add(7, "close");
        assertThat(batches()).containsExactly("open x1", "close x1", "open x1", "close x1");
    }

    @Test
    void otherKeysJoinTheRoundThatIsOpen() {
        add(1, "open");
        add(1, "close");
        add(2, "open");
        add(2, "close");
        add(1, "open");
        assertThat(batches()).containsExactly("open x2", "close x2", "open x1");
    }

    @Test
    void sameStatementTwiceOfOneKeyNeedsNoNewRound() {
        add(1, "add");
        add(1, "add");
        add(2, "add");
        assertThat(batches()).containsExactly("add x3");
    }

    @Test
    void onlyTheScopeThatRepeatsGoesToTheNextRound() {
        add(1, "a");
        add(1, "b");
        add(1, "a");
        add(2, "b");
        add(2, "a");
        assertThat(batches()).containsExactly("a x1", "b x2", "a x2");
    }

    static IntStream seeds() {
        return IntStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noScopeEverSeesItsWritesInAnotherOrder(int seed) {
        Random random = new Random(seed);
        int scopes = 1 + random.nextInt(6);
        int statements = 1 + random.nextInt(5);
        Map<Object, List<DeferredWrite>> expected = new HashMap<>();
        int count = random.nextInt(120);
        for (int i = 0; i < count; i++) {
            DeferredWrite write = write(random.nextInt(scopes), "statement " + random.nextInt(statements), i);
            writes.add(write);
            expected.computeIfAbsent(write.scope(), scope -> new ArrayList<>()).add(write);
        }
        Map<Object, List<DeferredWrite>> sent = new HashMap<>();
        for (List<DeferredWrite> batch : writes.batches()) {
            assertThat(batch)
                    .extracting(DeferredWrite::sql)
                    .containsOnly(batch.get(0).sql());
            batch.forEach(write -> sent.computeIfAbsent(write.scope(), scope -> new ArrayList<>())
                    .add(write));
        }
        assertThat(sent).isEqualTo(expected);
    }

    private void add(int scope, String sql) {
        writes.add(write(scope, sql, 0));
    }

    private static DeferredWrite write(int scope, String sql, int parameter) {
        return new DeferredWrite(new MessageKey(0, scope), "key " + scope, sql, List.of(parameter), DeferredWrite.ANY);
    }

    private List<String> batches() {
        return writes.batches().stream()
                .map(batch -> batch.get(0).sql() + " x" + batch.size())
                .toList();
    }
}
