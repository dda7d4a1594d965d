package io.pigeonhole.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** Which errors are refusals of SQS, and make a source give up that has never worked. */
class RefusalsTest {
    private static boolean isRefusal(int status, @Nullable String code) {
        return SqsQueue.isRefusal((SqsException) SqsException.builder()
                .statusCode(status)
                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                .build());
    }

    @ParameterizedTest
    @CsvSource({
        "400, AccessDenied",
        "400, AccessDeniedException",
        "400, UnrecognizedClientException",
        "403, InvalidClientTokenId",
        "403, SignatureDoesNotMatch",
        "401, Anything",
        "403, Anything"
    })
    void missingRightsAndWrongCredentialsAreRefusals(int status, String code) {
        assertThat(isRefusal(status, code)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "400, AWS.SimpleQueueService.NonExistentQueue",
        "400, ThrottlingException",
        "403, RequestThrottled",
        "403, OverLimit",
        "403, ExpiredToken",
        "403, RequestTimeTooSkewed",
        "429, Anything",
        "500, InternalError",
        "503, ServiceUnavailable"
    })
    void whatMayPassIsNot(int status, String code) {
        assertThat(isRefusal(status, code)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 429, 500, 502, 503, 504})
    void anAnswerWithoutAnErrorCodeMayPass(int status) {
        SqsException withoutDetails =
                (SqsException) SqsException.builder().statusCode(status).build();

        assertThat(isRefusal(status, null)).isFalse();
        assertThat(SqsQueue.isRefusal(withoutDetails)).isFalse();
    }

    @Test
    void aRefusalWithoutAnErrorCodeIsOne() {
        assertThat(isRefusal(403, null)).isTrue();
    }

    /** Such as the page of a proxy. */
    @Test
    void aFaultOfTheServerMayPassWhateverItsErrorCode() {
        assertThat(isRefusal(503, "AccessDenied")).isFalse();
    }

    @SuppressWarnings("serial")
    private static final class Unreadable extends SqsException {
        Unreadable() {
            super(SqsException.builder());
        }

        @Override
        public AwsErrorDetails awsErrorDetails() {
            throw new IllegalStateException("cannot be read");
        }
    }

    @Test
    void anErrorThatCannotBeClassifiedDoesNotEndTheSource() {
        AtomicReference<Throwable> end = new AtomicReference<>();
        SqsException unreadable = new Unreadable();

        new CallFailures("receiving", end::set, System::nanoTime).is(unreadable);

        assertThat(end).hasNullValue();
    }

    @Test
    @Tag("E5")
    void whatIsThrownOnThisSideIsNoRefusal() {
        assertThat(SqsQueue.isRefusal(SdkClientException.create("no route to host")))
                .isFalse();
        assertThat(SqsQueue.isRefusal(new IllegalStateException("the token server is away")))
                .isFalse();
        assertThat(SqsQueue.isRefusal(new OutOfMemoryError("for a moment"))).isFalse();
    }
}
