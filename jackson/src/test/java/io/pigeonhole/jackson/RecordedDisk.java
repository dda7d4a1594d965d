package io.pigeonhole.jackson;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells which files and directories an archive makes durable, and passes on all that it does with them. */
final class RecordedDisk extends FileSystemProvider {
    private final FileSystemProvider real;
    private final FileSystem files;
    private final Forcing forced;

    private RecordedDisk(FileSystemProvider real, Forcing forced) {
        this.real = real;
        this.files = new Files(this);
        this.forced = forced;
    }

    /**
     * The same path on such a disk.
     *
     * @param path a path
     * @param forced gets each path below it, or above, that is made durable
     */
    static Path of(Path path, Forcing forced) {
        return new RecordedDisk(path.getFileSystem().provider(), forced).wrap(path);
    }

    /** Makes a path durable, as the disk does or fails to do. */
    interface Forcing {
        void force(Path path) throws IOException;

        /** Right before a file gets this name, where another process may have been faster. */
        default void name(Path path) throws IOException {}

        /** Whether a file may have two names. */
        default boolean hasLinks() {
            return false;
        }
    }

    /** A path of this disk. */
    private interface Wrapped {
        Path real();
    }

    private static Path real(Path path) {
        return path instanceof Wrapped wrapped ? wrapped.real() : path;
    }

    private Path wrap(Path path) {
        return (Path) Proxy.newProxyInstance(
                RecordedDisk.class.getClassLoader(),
                new Class<?>[] {Path.class, Wrapped.class},
                (self, method, values) -> switch (method.getName()) {
                    case "real" -> path;
                    case "getFileSystem" -> files;
                    default -> call(path, method, values);
                });
    }

    private @Nullable Object call(Path path, Method method, Object @Nullable [] values) throws Throwable {
        Object[] passed = values == null ? new Object[0] : values.clone();
        for (int i = 0; i < passed.length; i++) {
            passed[i] = passed[i] instanceof Path other ? real(other) : passed[i];
        }
        try {
            Object answer = method.invoke(path, passed);
            return answer instanceof Path found ? wrap(found) : answer;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        if (options.contains(StandardOpenOption.CREATE_NEW)) {
            forced.name(real(path));
        }
        FileChannel channel = real.newFileChannel(real(path), options, attributes);
        return path.toString().endsWith(".lock")
                ? channel
                : new FullChannel(channel, Long.MAX_VALUE / 2) {
                    @Override
                    public void force(boolean metadata) throws IOException {
                        super.force(metadata);
                        forced.force(real(path));
                    }
                };
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return real.newByteChannel(real(path), options, attributes);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        real.createDirectory(real(directory), attributes);
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(real(path));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        if (options.length > 0) {
            real.move(real(source), real(target), options);
            return;
        }
        // As the JDK does on Unix: it looks, and then renames.
        if (java.nio.file.Files.exists(real(target))) {
            throw new FileAlreadyExistsException(target.toString());
        }
        forced.name(real(target));
        real.move(real(source), real(target), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        if (!forced.hasLinks()) {
            throw new UnsupportedOperationException();
        }
        forced.name(real(link));
        real.createLink(real(link), real(existing));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        real.checkAccess(real(path), modes);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return real.readAttributes(real(path), type, options);
    }

    @Override
    public String getScheme() {
        return "recorded";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isSameFile(Path one, Path other) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isHidden(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw new UnsupportedOperationException();
    }

    /** Knows whose paths they are, and nothing else. */
    private static final class Files extends FileSystem {
        private final FileSystemProvider provider;

        Files(FileSystemProvider provider) {
            this.provider = provider;
        }

        @Override
        public FileSystemProvider provider() {
            return provider;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return Set.of("basic");
        }

        @Override
        public Path getPath(String first, String... more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            throw new UnsupportedOperationException();
        }

        @Override
        public WatchService newWatchService() {
            throw new UnsupportedOperationException();
        }
    }
}
