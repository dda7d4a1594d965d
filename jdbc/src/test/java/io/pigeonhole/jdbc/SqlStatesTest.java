package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.dialect.SqlStates;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlStatesTest {
    private static final String ROWS = """
            40001, RETRY_NOW
            40P01, RETRY_NOW
            55P03, RETRY_NOW
            25P02, ABORTED
            25006, UNAVAILABLE
            25P03, ABORTED
            25P04, ABORTED
            57014, MESSAGE
            57P01, UNAVAILABLE
            57P02, UNAVAILABLE
            57P03, UNAVAILABLE
            57P05, UNAVAILABLE
            08000, UNAVAILABLE
            08006, UNAVAILABLE
            28000, UNAVAILABLE
            28P01, UNAVAILABLE
            53100, UNAVAILABLE
            53200, UNAVAILABLE
            53300, UNAVAILABLE
            58030, UNAVAILABLE
            21000, MESSAGE
            22001, PERMANENT
            22003, PERMANENT
            22021, PERMANENT
            22P02, PERMANENT
            23502, MESSAGE
            23503, MESSAGE
            23505, MESSAGE
            23514, MESSAGE
            42501, MESSAGE
            42601, MESSAGE
            42P01, MESSAGE
            54000, MESSAGE
            P0001, MESSAGE
            P0002, MESSAGE
            XX000, UNKNOWN
            0A000, UNKNOWN
            40002, UNKNOWN
            25001, UNKNOWN
            3B001, UNKNOWN
            """;

    @ParameterizedTest
    @CsvSource(textBlock = ROWS)
    void stateMeans(String state, ErrorClass meaning) {
        assertThat(SqlStates.classify(new SQLException("refused", state))).isEqualTo(meaning);
    }

    @Test
    void everyRowOfTheTableIsTested() {
        Set<String> untested = new HashSet<>(new TreeMap<>(SqlStates.TABLE).keySet());
        ROWS.lines().map(line -> line.substring(0, 5)).forEach(state -> {
            if (!untested.remove(state)) {
                untested.remove(state.substring(0, 2));
            }
        });
        assertThat(untested).isEmpty();
    }

    @Test
    void errorWithoutStateIsUnknownUnlessItIsOfTheConnection() {
        assertThat(SqlStates.classify(new SQLException("?"))).isEqualTo(ErrorClass.UNKNOWN);
        assertThat(SqlStates.classify(new SQLException("?", "1"))).isEqualTo(ErrorClass.UNKNOWN);
        assertThat(SqlStates.classify(new SQLTransientConnectionException("the pool is exhausted")))
                .isEqualTo(ErrorClass.UNAVAILABLE);
        assertThat(SqlStates.classify(new SQLNonTransientConnectionException("closed")))
                .isEqualTo(ErrorClass.UNAVAILABLE);
    }

    @Test
    void causesAreLookedAtAndTheOutermostThatSaysSomethingDecides() {
        SQLException deadlock = new SQLException("deadlock", "40P01");
        assertThat(SqlStates.classify(new IllegalStateException(new IOException(deadlock))))
                .isEqualTo(ErrorClass.RETRY_NOW);
        assertThat(SqlStates.classify(new PermanentFailure("never", deadlock))).isEqualTo(ErrorClass.PERMANENT);
        assertThat(SqlStates.classify(new SQLException("wrapped by a driver", deadlock)))
                .isEqualTo(ErrorClass.RETRY_NOW);
    }

    @Test
    void storesOwnExceptionsKeepTheirClass() {
        assertThat(SqlStates.classify(new StoreException(ErrorClass.ABORTED, "refused", null)))
                .isEqualTo(ErrorClass.ABORTED);
        assertThat(SqlStates.classify(new StoreUnavailableException("away", null)))
                .isEqualTo(ErrorClass.UNAVAILABLE);
        assertThat(SqlStates.classify(new OutcomeUnknownException("?", new SQLException("cut", "08006"))))
                .isEqualTo(ErrorClass.UNAVAILABLE);
    }

    @Test
    void whatIsNotOfTheDatabaseIsTheMessagesOwnFailure() {
        for (Throwable failure :
                List.of(new IllegalStateException("bug"), new IOException(), new StackOverflowError())) {
            assertThat(SqlStates.classify(failure)).isEqualTo(ErrorClass.MESSAGE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "08003", "57P01", "57P02", "57P03"})
    void lostConnectionLeavesACommitOpen(String state) {
        assertThat(SqlStates.leavesCommitOpen(new SQLException("cut", state))).isTrue();
    }

    @Test
    void errorWithoutStateLeavesACommitOpen() {
        assertThat(SqlStates.leavesCommitOpen(new SQLException("cut"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23503", "23514", "40001", "25P02", "P0001", "53100", "XX000", "25P03", "25P04"})
    void answerOfTheServerDoesNotLeaveACommitOpen(String state) {
        assertThat(SqlStates.leavesCommitOpen(new SQLException("refused", state)))
                .isFalse();
    }

    @Test
    @Tag("B3")
    void exceptionOfTheApplicationThatThrowsWhereItIsAskedForItsStateSaysNothing() {
        SQLException failure = new SQLException("x") {
            private static final long serialVersionUID = 1L;

            @Override
            public String getSQLState() {
                throw new IllegalStateException("not now");
            }
        };
        assertThat(SqlStates.ERRORS.classify(failure)).isEqualTo(ErrorClass.UNKNOWN);
        assertThat(SqlStates.ERRORS.classify(new IllegalArgumentException(failure)))
                .isEqualTo(ErrorClass.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "57P01", "25P03", "25P04"})
    void timeoutOfTheTransactionEndsTheConnectionAsAShutdownDoes(String state) {
        assertThat(SqlStates.endsConnection(new SQLException("ended", state))).isTrue();
    }
}
