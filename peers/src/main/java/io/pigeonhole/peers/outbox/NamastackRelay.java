package io.pigeonhole.peers.outbox;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** namastack-outbox in Spring Boot, with a handler that sends to Kafka and waits. */
final class NamastackRelay implements RelayPath {
    private static final String TABLES = "schema/postgres/outbox-tables.sql";

    /** With its defaults it takes ten keys every two seconds, and keeps what is sent. */
    private static final Map<String, Object> SETTINGS = settings();

    private final DataSource dataSource;
    private final String bootstrapServers;

    NamastackRelay(DataSource dataSource, String bootstrapServers) {
        this.dataSource = dataSource;
        this.bootstrapServers = bootstrapServers;
    }

    private static Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("namastack.outbox.polling.batch-size", "1000");
        settings.put("namastack.outbox.polling.fixed.interval", "10ms");
        settings.put("namastack.outbox.processing.delete-completed-records", "true");
        settings.put("namastack.outbox.processing.executor-core-pool-size", "16");
        settings.put("namastack.outbox.processing.executor-max-pool-size", "16");
        return settings;
    }

    /** What Spring Boot finds. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        /** Made by Spring. */
        Application() {}
    }

    /** Sends one and waits. */
    private record Sending(KafkaSender sender) implements OutboxTypedHandler<String> {
        @Override
        public void handle(String payload, OutboxRecordMetadata metadata) {
            sender.sendAndWait(metadata.getKey(), payload);
        }
    }

    @Override
    public String configuration() {
        return "Outbox.schedule(…) in a TransactionTemplate, OutboxTypedHandler with KafkaProducer.send(…).get(), Spring Boot; "
                + SETTINGS.entrySet().stream()
                        .map(setting -> setting.getKey().replace("namastack.outbox.", "") + " " + setting.getValue())
                        .collect(Collectors.joining(", "));
    }

    @Override
    public void createTables() throws Exception {
        try (InputStream file = Outbox.class.getClassLoader().getResourceAsStream(TABLES)) {
            if (file == null) {
                throw new IOException("the library has no " + TABLES);
            }
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(new String(file.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    @Override
    public List<String> tables() {
        return List.of("outbox_record", "outbox_instance", "outbox_partition");
    }

    @Override
    public String left() {
        return "SELECT count(*) FROM outbox_record";
    }

    @Override
    public boolean isOrdered() {
        return true;
    }

    @Override
    public Running start(String topic, Flights flights) {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        KafkaSender sender = new KafkaSender(bootstrapServers, topic, flights);
        ApplicationContextInitializer<GenericApplicationContext> beans = context -> {
            context.registerBean(
                    "dataSource",
                    DataSource.class,
                    () -> dataSource,
                    definition -> definition.setDestroyMethodName(""));
            context.registerBean("sending", Sending.class, () -> new Sending(sender));
        };
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(SETTINGS)
                .initializers(beans)
                .build();
        ConfigurableApplicationContext context = application.run();
        Outbox outbox = context.getBean(Outbox.class);
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        return new Running() {
            @Override
            public void commit(List<Event> events, Runnable beforeCommit) {
                template.executeWithoutResult(status -> {
                    jdbc.update(Accounts.CREDIT, 1L, events.get(0).account());
                    events.forEach(event -> outbox.schedule(event.payload(), event.key()));
                    beforeCommit.run();
                });
            }

            @Override
            public void close() {
                context.close();
                sender.close();
            }
        };
    }
}
