package io.pigeonhole.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the unpacked programs of the servers lie: below the system property {@code pigeonhole.servers}, so that the modules
 * of a build unpack them once, or else beside the data of the server that is started first.
 */
final class ServerPrograms {
    private ServerPrograms() {}

    /** The existing directory for the programs of a product. */
    static Path directory(Path data, String product) throws IOException {
        String shared = System.getProperty("pigeonhole.servers");
        Path programs = shared == null
                ? data.resolve("programs")
                : Path.of(shared).toAbsolutePath().resolve(product);
        return Files.createDirectories(programs);
    }
}
