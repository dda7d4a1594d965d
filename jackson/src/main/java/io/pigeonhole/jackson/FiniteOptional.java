package io.pigeonhole.jackson;

import java.util.OptionalDouble;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

/** A {@code double} that may be absent, read as one that may not. */
final class FiniteOptional extends StdScalarDeserializer<OptionalDouble> {
    FiniteOptional() {
        super(OptionalDouble.class);
    }

    @Override
    public OptionalDouble deserialize(JsonParser parser, DeserializationContext context) {
        return OptionalDouble.of(context.readValue(parser, double.class));
    }

    @Override
    public OptionalDouble getNullValue(DeserializationContext context) {
        return OptionalDouble.empty();
    }
}
