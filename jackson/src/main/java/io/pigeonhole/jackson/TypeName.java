package io.pigeonhole.jackson;

import java.util.stream.Collectors;
import tools.jackson.databind.JavaType;

/** What somebody calls a type who reads of it: without packages, with what it is generic in. */
final class TypeName {
    private TypeName() {}

    static String of(JavaType type) {
        String name = type.getRawClass().getSimpleName();
        return type.getBindings().isEmpty()
                ? name
                : name
                        + type.getBindings().getTypeParameters().stream()
                                .map(TypeName::of)
                                .collect(Collectors.joining(", ", "<", ">"));
    }
}
