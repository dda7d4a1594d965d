package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.idempotency.Reply.Retention;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseRulesTest {
    @ParameterizedTest
    @CsvSource({
        "SUCCESSES, 200, false, COMMIT",
        "SUCCESSES, 303, true, COMMIT",
        "SUCCESSES, 303, false, ROLL_BACK",
        "ALL, 302, false, ROLL_BACK",
        "SUCCESSES, 400, true, ROLL_BACK",
        "SUCCESSES, 500, true, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 204, true, COMMIT",
        "SUCCESSES_AND_CLIENT_ERRORS, 402, true, COMMIT",
        "SUCCESSES_AND_CLIENT_ERRORS, 402, false, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 404, false, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 404, true, COMMIT",
        "SUCCESSES_AND_CLIENT_ERRORS, 401, true, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 403, true, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 429, true, ROLL_BACK",
        "SUCCESSES_AND_CLIENT_ERRORS, 500, true, ROLL_BACK",
        "ALL, 500, true, COMMIT_RESPONSE_ONLY",
        "ALL, 500, false, ROLL_BACK",
        "ALL, 503, true, ROLL_BACK",
        "ALL, 429, true, ROLL_BACK",
        "ALL, 422, true, COMMIT",
        "ALL, 422, false, ROLL_BACK"
    })
    void policySaysWhatStays(StorePolicy policy, int status, boolean begun, Retention retention) {
        assertThat(new ResponseRules(policy, Set.of(), "").retention(status, begun))
                .isEqualTo(retention);
    }
}
