package io.pigeonhole.rabbitmq;

import io.pigeonhole.embedded.EmbeddedAmqp;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The source against an AMQP broker inside the JVM. */
class QpidSourceIT extends RabbitSourceTests {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedAmqp qpid;

    @BeforeAll
    static void startQpid() {
        qpid = EmbeddedAmqp.start(directory.resolve("qpid"));
    }

    @AfterAll
    static void stopQpid() {
        qpid.close();
    }

    @Override
    int port() {
        return qpid.port();
    }
}
