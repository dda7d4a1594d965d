package io.pigeonhole.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the tests of a class on the server of this JVM only, where another version would show nothing new; its constructor takes the {@link PostgresServer}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.PostgresServers#ofThisJvm")
public @interface OnEmbeddedServer {}
