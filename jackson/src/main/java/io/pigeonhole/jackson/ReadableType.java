package io.pigeonhole.jackson;

import io.pigeonhole.core.failure.ConfigurationException;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;
import tools.jackson.databind.exc.InvalidDefinitionException;

/**
 * Refuses types that Jackson can make of no document, such as interfaces: a type is no fault of the messages, of which each would be
 * undecodable. The elements of collections, arrays, maps and optionals are looked at as well; what stands in a property is not,
 * because no message may ever have it.
 */
final class ReadableType {
    /** A class would be loaded by the name that a message has. */
    private static final Set<Class<?>> MEANINGLESS = Set.of(Class.class, Void.class, void.class);

    private final ObjectMapper mapper;
    private final JavaType root;
    private final DeserializationContext context;
    private final Set<JavaType> seen = new HashSet<>();

    private ReadableType(ObjectMapper mapper, JavaType root) {
        this.mapper = mapper;
        this.root = root;
        this.context = mapper._deserializationContext();
    }

    /**
     * Throws if nothing can ever be read as the type.
     *
     * @throws ConfigurationException with what Jackson says
     */
    static void require(ObjectMapper mapper, JavaType type) {
        new ReadableType(mapper, type).require(type);
    }

    private void require(JavaType type) {
        if (!seen.add(type)) {
            return;
        }
        if (MEANINGLESS.contains(type.getRawClass())) {
            throw new ConfigurationException(
                    beginning() + "a message has no " + type.getRawClass().getSimpleName());
        }
        try {
            ValueDeserializer<?> deserializer = undecorated(context.findRootValueDeserializer(type));
            if (isConstructible(deserializer)) {
                requireContent(type, deserializer);
                return;
            }
            // Nothing is constructed, and whoever has given the mapper a way nevertheless is not refused.
            mapper.treeToValue(mapper.createObjectNode(), type);
        } catch (InvalidDefinitionException e) {
            throw new ConfigurationException(beginning() + e.getOriginalMessage(), e);
        } catch (JacksonException e) {
            // The document is refused, not the type.
        }
    }

    private void requireContent(JavaType type, ValueDeserializer<?> deserializer) {
        boolean isOfJackson =
                deserializer instanceof ContainerDeserializerBase || deserializer instanceof ReferenceTypeDeserializer;
        if (isOfJackson && type.getContentType() != null) {
            require(type.getContentType());
        }
    }

    private String beginning() {
        return root.toCanonical() + " cannot be read from JSON: ";
    }

    private static ValueDeserializer<?> undecorated(ValueDeserializer<?> deserializer) {
        ValueDeserializer<?> inner = deserializer;
        while (inner.getDelegatee() != null) {
            inner = inner.getDelegatee();
        }
        return inner;
    }

    private static boolean isConstructible(ValueDeserializer<?> deserializer) {
        if (deserializer instanceof BeanDeserializerBase bean) {
            return bean.getValueInstantiator().canInstantiate();
        }
        return !(deserializer instanceof AbstractDeserializer);
    }
}
