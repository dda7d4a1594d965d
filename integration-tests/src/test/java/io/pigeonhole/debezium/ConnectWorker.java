package io.pigeonhole.debezium;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.jspecify.annotations.Nullable;

/**
 * What a worker of Kafka Connect does with a source connector: Debezium's own engine runs the connector and its transformations, the
 * converters of the settings make bytes, a producer sends them. The offsets are in a file.
 */
final class ConnectWorker implements AutoCloseable {
    private static final int SECONDS = 60;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Converter keyConverter;
    private final Converter valueConverter;
    private final HeaderConverter headerConverter;
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
    private final Thread thread;

    private ConnectWorker(Properties connector, String bootstrapServers) {
        this.keyConverter = converter(connector, "key.converter", Converter.class);
        this.valueConverter = converter(connector, "value.converter", Converter.class);
        this.headerConverter = converter(connector, "header.converter", HeaderConverter.class);
        keyConverter.configure(settingsOf(connector, "key.converter."), true);
        valueConverter.configure(settingsOf(connector, "value.converter."), false);
        headerConverter.configure(settingsOf(connector, "header.converter."));
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "max.block.ms", 10_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(connector)
                .using((boolean success, String message, @Nullable Throwable error) ->
                        end.complete(success ? null : new IllegalStateException(message, error)))
                .notifying(this::send)
                .build();
        this.thread = new Thread(engine, "debezium");
        thread.setDaemon(true);
    }

    /**
     * Starts it.
     *
     * @param connector the settings, without those of offsets
     * @param offsets the file of its offsets, made if it is not there
     */
    static ConnectWorker start(Properties connector, Path offsets, String bootstrapServers) {
        Properties settings = new Properties();
        settings.putAll(connector);
        settings.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.setProperty("offset.storage.file.filename", offsets.toString());
        settings.setProperty("offset.flush.interval.ms", "0");
        ConnectWorker worker = new ConnectWorker(settings, bootstrapServers);
        worker.thread.start();
        return worker;
    }

    private void send(
            List<RecordChangeEvent<SourceRecord>> events,
            DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> sent = events.stream()
                .map(event -> producer.send(bytesOf(event.record())))
                .toList();
        for (int i = 0; i < events.size(); i++) {
            await(sent.get(i));
            committer.markProcessed(events.get(i));
        }
        committer.markBatchFinished();
    }

    private ProducerRecord<byte[], byte[]> bytesOf(SourceRecord record) {
        String topic = record.topic();
        ProducerRecord<byte[], byte[]> bytes = new ProducerRecord<>(
                topic,
                record.kafkaPartition(),
                record.timestamp(),
                keyConverter.fromConnectData(topic, record.keySchema(), record.key()),
                valueConverter.fromConnectData(topic, record.valueSchema(), record.value()));
        for (Header header : record.headers()) {
            bytes.headers()
                    .add(
                            header.key(),
                            headerConverter.fromConnectHeader(topic, header.key(), header.schema(), header.value()));
        }
        return bytes;
    }

    /** Why it has ended by itself, or null while it runs. */
    @Nullable
    Throwable failure() {
        return end.getNow(null);
    }

    void requireNoFailure() {
        Throwable failure = failure();
        if (failure != null) {
            throw new AssertionError("the connector failed", failure);
        }
    }

    /** Waits for its end, whyever it ends. */
    void stop() {
        try {
            if (!end.isDone()) {
                engine.close();
            }
            end.get(SECONDS, TimeUnit.SECONDS);
            thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the connector does not end", e);
        } finally {
            producer.close();
        }
    }

    /** Stops it, and throws if it had failed; while it is stopped the engine may refuse what it has just read itself. */
    @Override
    public void close() {
        Throwable failure = failure();
        stop();
        if (failure != null) {
            throw new AssertionError("the connector failed", failure);
        }
    }

    private static void await(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            sent.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a record was not sent", e);
        }
    }

    private static <T> T converter(Properties connector, String setting, Class<T> type) {
        String name = connector.getProperty(setting);
        try {
            return type.cast(Class.forName(name).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(setting + "=" + name, e);
        }
    }

    private static Map<String, Object> settingsOf(Properties connector, String prefix) {
        Map<String, Object> settings = new HashMap<>();
        for (String name : connector.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                settings.put(name.substring(prefix.length()), connector.getProperty(name));
            }
        }
        if (prefix.startsWith("header")) {
            settings.put("converter.type", "header");
        }
        return settings;
    }
}
