package io.pigeonhole.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The versions that the build took. */
public final class Versions {
    private final Properties versions = new Properties();

    /** Reads the file. */
    public Versions() {
        try (InputStream file = Versions.class.getResourceAsStream("versions.properties")) {
            if (file == null) {
                throw new IllegalStateException("the build left versions.properties out");
            }
            versions.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The version of an artifact that the file names. */
    public String of(String name) {
        String version = versions.getProperty(name);
        if (version == null || version.contains("$")) {
            throw new IllegalStateException("no version of " + name + " in " + versions);
        }
        return version;
    }
}
