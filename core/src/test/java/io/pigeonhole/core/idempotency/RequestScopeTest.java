package io.pigeonhole.core.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestScopeTest {
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t"})
    void principalWithoutANameIsNotEverybody(String principal) {
        assertThatThrownBy(() -> RequestScope.of(principal))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("anonymous()");
    }

    @Test
    void everyPrincipalHasAScopeOfItsOwn() {
        assertThat(RequestScope.of("ann").hash())
                .isEqualTo(RequestScope.of("ann").hash())
                .isNotEqualTo(RequestScope.of("bob").hash())
                .isNotEqualTo(RequestScope.anonymous().hash())
                .isNotEqualTo(new RequestScope("ann", null).hash());
    }
}
