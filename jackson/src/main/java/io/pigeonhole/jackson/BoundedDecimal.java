package io.pigeonhole.jackson;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ValueNode;

/** Decimals of a size that can be worked with: 12 characters would otherwise ask for a gigabyte when they are written in full. */
final class BoundedDecimal extends DelegatingDeserializer {
    private static final int MAX_SCALE = 10_000;

    BoundedDecimal(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    /** Throws if the number has more than 10,000 places before or behind the point that no digit was sent for. */
    static void require(BigDecimal value, @Nullable JsonParser parser) {
        if (value.scale() > MAX_SCALE || value.scale() < -MAX_SCALE) {
            throw new RefusedValueException(
                    parser, "the exponent of the number is beyond -10,000 or 10,000", BigDecimal.class);
        }
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new BoundedDecimal(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        Object read = super.deserialize(parser, context);
        if (read instanceof BigDecimal decimal) {
            require(decimal, parser);
        }
        return read;
    }

    /** The same for the numbers of a tree. */
    static final class Nodes extends JsonNodeFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public ValueNode numberNode(@Nullable BigDecimal value) {
            if (value != null) {
                require(value, null);
            }
            return super.numberNode(value);
        }
    }
}
