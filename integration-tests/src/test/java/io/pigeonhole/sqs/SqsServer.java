package io.pigeonhole.sqs;

import io.pigeonhole.embedded.EmbeddedSqs;
import java.net.URI;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;

/** One server for all tests of this JVM; each works with queues of its own. It goes with the JVM. */
public final class SqsServer {
    private static final EmbeddedSqs SHARED = EmbeddedSqs.start();

    private SqsServer() {}

    public static EmbeddedSqs shared() {
        return SHARED;
    }

    public static SqsClient client() {
        return client(SHARED.port());
    }

    /** A client that connects to a port of this machine, such as that of a proxy. */
    public static SqsClient client(int port, ExecutionInterceptor... interceptors) {
        return SqsClient.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + port))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("x", "x")))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(configuration -> configuration.executionInterceptors(List.of(interceptors)))
                .build();
    }
}
