package io.pigeonhole.examples.chain;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.embedded.EmbeddedAmqp;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The clients of brokers, as all processes of the chain make them. */
final class BrokerClients {
    /** A service that is killed leaves its messages of SQS hidden for so long. */
    static final Duration VISIBILITY = Duration.ofSeconds(2);

    /** ElasticMQ hands messages to receivers that are dead, too, as long as these would have waited. */
    static final Duration WAIT = Duration.ofSeconds(1);

    private BrokerClients() {}

    static ConnectionFactory amqp(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setUsername(EmbeddedAmqp.USER);
        factory.setPassword(EmbeddedAmqp.PASSWORD);
        return factory;
    }

    static SqsClient sqs(String endpoint, @Nullable ExecutionInterceptor interceptor) {
        return SqsClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.EU_CENTRAL_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(configuration -> {
                    if (interceptor != null) {
                        configuration.addExecutionInterceptor(interceptor);
                    }
                })
                .build();
    }
}
