package io.pigeonhole.modules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.http.IdempotencyFilter;
import io.pigeonhole.jackson.JsonPayload;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.kafka.KafkaSource;
import io.pigeonhole.rabbitmq.RabbitSource;
import io.pigeonhole.sqs.SqsSource;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.ObjectMapper;

class ModulesIT {
    record Published(Class<?> type, String module) {
        @Override
        public String toString() {
            return module;
        }
    }

    static Stream<Published> published() {
        return Stream.of(
                new Published(Inbox.class, "io.pigeonhole.core"),
                new Published(JdbcStore.class, "io.pigeonhole.jdbc"),
                new Published(JsonPayload.class, "io.pigeonhole.jackson"),
                new Published(KafkaSource.class, "io.pigeonhole.kafka"),
                new Published(RabbitSource.class, "io.pigeonhole.rabbitmq"),
                new Published(SqsSource.class, "io.pigeonhole.sqs"),
                new Published(IdempotencyFilter.class, "io.pigeonhole.http"),
                new Published(CrashPoint.class, "io.pigeonhole.testkit"));
    }

    @ParameterizedTest
    @MethodSource("published")
    void everyJarHasAModuleNameOfItsOwn(Published jar) throws Exception {
        assertThat(descriptor(jar.type()).name()).isEqualTo(jar.module());
    }

    @Test
    void theStoreExportsItsApiOnlyAndOpensItsSchema() throws Exception {
        ModuleDescriptor store = descriptor(JdbcStore.class);

        assertThat(store.exports().stream().map(ModuleDescriptor.Exports::source))
                .containsExactly("io.pigeonhole.jdbc");
        assertThat(store.opens().stream().map(ModuleDescriptor.Opens::source))
                .containsExactlyInAnyOrder(
                        "io.pigeonhole.schema",
                        "io.pigeonhole.schema.h2",
                        "io.pigeonhole.schema.mariadb",
                        "io.pigeonhole.schema.postgresql");
    }

    @Test
    void aStoreRunsOnTheModulePath() throws Exception {
        ModuleLayer layer = layer("io.pigeonhole.jdbc", Inbox.class, JdbcStore.class, Logger.class);
        Class<?> schema = layer.findLoader("io.pigeonhole.jdbc").loadClass("io.pigeonhole.jdbc.Schema");
        Class<?> store = layer.findLoader("io.pigeonhole.jdbc").loadClass("io.pigeonhole.jdbc.JdbcStore");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:modules;DB_CLOSE_DELAY=-1");

        schema.getMethod("apply", DataSource.class).invoke(null, database);
        Object created = store.getMethod("create", DataSource.class).invoke(null, database);

        assertThat(created.getClass().getModule().getName()).isEqualTo("io.pigeonhole.jdbc");
    }

    @Test
    void payloadsAreReadOnTheModulePath() throws Exception {
        ModuleLayer layer = layer(
                "io.pigeonhole.jackson",
                Inbox.class,
                JsonPayload.class,
                Logger.class,
                ObjectMapper.class,
                JsonParser.class,
                JsonProperty.class);
        Class<?> payload = layer.findLoader("io.pigeonhole.jackson").loadClass("io.pigeonhole.jackson.JsonPayload");

        Object decoder = payload.getMethod("json", Class.class).invoke(null, List.class);

        assertThat(decoder.getClass().getModule().getName()).isEqualTo("io.pigeonhole.jackson");
    }

    private static ModuleLayer layer(String root, Class<?>... types) throws URISyntaxException {
        Path[] jars = new Path[types.length];
        for (int i = 0; i < types.length; i++) {
            jars[i] = jar(types[i]);
        }
        Configuration modules =
                ModuleLayer.boot().configuration().resolve(ModuleFinder.of(jars), ModuleFinder.of(), Set.of(root));
        return ModuleLayer.boot().defineModulesWithOneLoader(modules, ClassLoader.getPlatformClassLoader());
    }

    private static ModuleDescriptor descriptor(Class<?> type) throws URISyntaxException {
        return ModuleFinder.of(jar(type)).findAll().iterator().next().descriptor();
    }

    private static Path jar(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
